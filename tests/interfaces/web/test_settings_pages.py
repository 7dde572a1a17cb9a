"""Settings through the checks of `config set`, secrets that never reach the browser, models, agents, programs, people."""

from pathlib import Path

import pytest
from tests.interfaces.http.gateways import HOME, make_agent, make_token
from tests.interfaces.web.browsers import Browser, Sheet, browse, sign_in

from everself.operations.caller import AT_TERMINAL
from everself.operations.entries import AddRequest, add_entry

SECRET = "sk-test-1234567890abcdef"


def test_a_setting_is_saved_with_its_checks_and_put_back() -> None:
    async def act(browser: Browser) -> None:
        path = "settings/value?key=agents.defaults.heartbeat.every"
        page = await browser.get(path)
        saved = await browser.send(page, "settings/value", value="45m")
        assert "Saved." in saved.words
        assert "45m" in Path(HOME.places.host_file).read_text()
        assert "Before, it was:" in saved.words
        # the first form of the page sets it back
        again = await browser.post("settings/value", saved.form("settings/value"))
        assert again.status == 303
        assert "45m" not in Path(HOME.places.host_file).read_text()
        wrong = await browser.send(await browser.get(path), "settings/value", value="often")
        assert wrong.status >= 400
        assert "45m" not in Path(HOME.places.host_file).read_text()
        assert (await browser.get("settings/value?key=no.such.key")).status >= 400

    browse(act)


def test_a_secret_is_stored_and_never_sent_to_the_browser() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("settings/value?key=provider.openai.apiKey")
        saved = await browser.send(page, "settings/value", value=SECRET)
        assert "Saved." in saved.words
        assert SECRET in Path(HOME.places.secrets_file).read_text()
        seen = [saved]
        seen += [await browser.get(f"settings{more}") for more in ("", "/values")]
        seen += [await browser.get(f"health{more}") for more in ("", "/doctor", "/log")]
        again = await browser.get("settings/value?key=provider.openai.apiKey")
        replaced = await browser.send(again, "settings/value", value=f"{SECRET}-2")
        seen += [again, replaced, await browser.send(replaced, "settings/value", usual="1", value="")]
        for one in seen:
            assert SECRET not in one.html
            assert SECRET not in str(one.answer.url)

    browse(act)


@pytest.mark.slow
def test_a_model_is_chosen_with_its_key() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("settings")
        assert "answers through reflex" in page.words
        # without a key it cannot be asked, and is not put in use
        refused = await browser.send(page, "settings/model", provider="anthropic", name="claude-opus-4-5")
        assert refused.status >= 400
        chosen = await browser.send(page, "settings/model", provider="anthropic", name="claude-opus-4-5", key=SECRET)
        assert "answers through this model" in chosen.words, chosen.words
        assert "anthropic/claude-opus-4-5" in chosen.words
        assert SECRET not in chosen.html
        back = await browser.send(chosen, "settings/model", provider="other", name="reflex")
        assert "answers through reflex" in back.words
        tested = await browser.send(back, "settings/model/test")
        assert tested.status == 400
        assert "there is nothing to test" in tested.words

    browse(act)


def test_agents_are_added_and_removed_from_the_list_after_a_question() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("settings")
        added = await browser.send(page, "settings/agents/add", name="aria")
        assert "The agent was added." in added.words
        assert (await browser.get("/web/aria/memory")).status == 200
        assert "workspace-aria" in (await browser.get("/web/aria/settings/agent")).words
        fields = added.form("settings/agents/remove") | {"name": "aria"}
        asked = await browser.post("settings/agents/remove", fields)
        assert "Remove this agent from the list?" in asked.words
        gone = await browser.send(asked, "settings/agents/remove")
        assert "no longer listed" in gone.words
        assert (await browser.get("/web/aria/memory")).status == 404

    browse(act)


def test_programs_are_listed_without_their_secrets_and_removed_after_a_question() -> None:
    async def act(browser: Browser) -> None:
        token = make_token("editor")
        page = await browser.get("settings/programs")
        assert "editor" in page.words
        assert token not in page.html
        asked = await browser.send(page, "settings/programs/token")
        assert "Remove this token?" in asked.words
        assert "editor" in (await browser.get("settings/programs")).words
        assert "editor" not in (await browser.send(asked, "settings/programs/token")).words.partition("Since")[2]

    browse(act)


def test_signing_out_is_asked_about_and_ends_every_browser() -> None:
    async def act(browser: Browser) -> None:
        other = await sign_in(browser.gateway)
        asked = await browser.send(await browser.get("settings"), "settings/sign-out")
        assert "Sign every browser out?" in asked.words
        end = await browser.send(asked, "settings/sign-out")
        assert end.status == 401
        assert (await other.get("memory")).status == 401

    browse(act)


def test_people_and_what_each_may_see() -> None:
    async def act(browser: Browser) -> None:
        assert "Nobody besides you" in (await browser.get("people")).words
        async with browser.gateway.service.pool.using("main") as runtime:
            add_entry(runtime, AT_TERMINAL, AddRequest(text="The heron of the owner is called Otto"))
            add_entry(runtime, AT_TERMINAL, AddRequest(text="Ana likes the heron", person="ana"))
        make_token("kiosk", "guest/ana")
        people = await browser.get("people")
        assert "ana" in people.words
        assert "kiosk" in people.words
        person = await browser.get("people/person?name=ana&q=heron")
        assert "Ana likes the heron" in person.words
        assert "Otto" not in person.words
        assert (await browser.get("people/person")).status == 400

    browse(act)


def test_a_guest_sees_none_of_it() -> None:
    async def act(browser: Browser) -> None:
        make_agent("zenobia")
        guest = await sign_in(browser.gateway, "guest/anna")
        for path in ("settings/values", "settings/value?key=gateway.port", "people", "health/log"):
            page: Sheet = await guest.get(path)
            assert page.status == 403, path
        for path in ("settings", "health", "settings/programs"):
            page = await guest.get(path)
            assert page.status in (200, 403)
            assert "zenobia" not in page.html
            assert HOME.places.home not in page.html

    browse(act)
