"""The pages about memory: search, lists, an entry's life, and whatever is done to it, with its undo."""

import re
from pathlib import Path

import pytest
from tests.interfaces.web.browsers import Browser, Sheet, browse

from everself.interfaces.web.pages.entry import CUT
from everself.operations.caller import AT_TERMINAL
from everself.operations.entries import AddRequest, add_entry

HOSTILE = (
    "<script>fetch('http://evil.example')</script>",
    '"><img src=http://evil.example/x.png onerror=alert(1)>',
    "[click](javascript:alert(1)) http://evil.example/?q={{7*7}} {% include 'error.html' %}",
    "right\u202eto left\u202c and zero\u200bwidth and \x1b[31mred",
    "שלום עולם",
    "</textarea></title></bdi><style>*{display:none}</style>",
)


async def remember(browser: Browser, text: str, **more: str) -> str:
    """The id of a new entry, added by the page's own form."""
    page = await browser.send(await browser.get("memory"), "memory/add", text=text, **more)
    assert page.status == 200, page.words
    return str(page.answer.url).partition("/entry/")[2].partition("?")[0]


def test_an_empty_memory_says_what_to_do() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("memory")
        assert "Nothing is remembered yet" in page.words
        assert "Add something" in page.words

    browse(act)


def test_an_entry_is_added_found_changed_corrected_and_each_taken_back() -> None:
    async def act(browser: Browser) -> None:
        entry = await remember(browser, "The heron is called Otto")
        found = await browser.get("memory?q=heron")
        assert f"/web/main/memory/entry/{entry}" in found.links
        assert "found because it says “heron”" in found.words
        page = await browser.get(f"memory/entry/{entry}")
        assert page.form("/edit")["text"] == "\nThe heron is called Otto"

        edited = await browser.send(page, f"memory/entry/{entry}/edit", text="The heron is called Otto II")
        assert "Changed." in edited.words
        assert "Otto II" in edited.words
        back = await browser.send(edited, "undo")
        assert "Undone." in back.words
        assert "Otto II" not in (await browser.get("memory")).words

        page = await browser.get(f"memory/entry/{entry}")
        right = await browser.send(page, f"memory/entry/{entry}/correct", text="The heron is called Emma")
        assert "Corrected." in right.words
        assert "no longer holds" in (await browser.get(f"memory/entry/{entry}")).words
        assert "Otto" not in (await browser.get("memory?tier=core")).words
        await browser.send(right, "undo")
        assert "no longer holds" not in (await browser.get(f"memory/entry/{entry}")).words.partition("Its life")[0]

    browse(act)


def test_forgetting_shows_its_plan_first_and_its_proof_afterwards() -> None:
    async def act(browser: Browser) -> None:
        entry = await remember(browser, "The safe code is nine four one")
        other = await remember(browser, "The heron is called Otto")
        plan = await browser.get(f"memory/forget?entries={entry}")
        assert "Forget this for good?" in plan.words
        assert "nine four one" in plan.words
        fields = plan.form("memory/forget")
        # a plan that was shown for one entry forgets no other, and nothing is forgotten without one
        for wrong in (fields | {"entries": other}, fields | {"ticket": ""}, fields | {"ticket": "1.x"}):
            asked = await browser.post("memory/forget", wrong)
            assert asked.status == 200
            assert "for good?" in asked.words
        assert "nine four one" in (await browser.get("memory")).words
        proof = await browser.post("memory/forget", fields)
        assert "finds nothing of it" in proof.words
        assert "nine four one" not in proof.words
        assert (await browser.get(f"memory/entry/{entry}")).status == 404
        rest = await browser.get("memory")
        assert "nine four one" not in rest.words
        assert "Otto" in rest.words

    browse(act)


def test_what_changed_since_the_plan_was_shown_is_not_forgotten_but_shown() -> None:
    async def act(browser: Browser) -> None:
        entry = await remember(browser, "The safe code is nine four one")
        plan = await browser.get(f"memory/forget?entries={entry}")
        assert f"/web/main/memory/entry/{entry}" in plan.links
        await browser.send(
            await browser.get(f"memory/entry/{entry}"), f"memory/entry/{entry}/edit", text="The pin is six"
        )
        again = await browser.post("memory/forget", plan.form("memory/forget"))
        assert "Forget this for good?" in again.words
        assert "The pin is six" in again.words
        assert "The pin is six" in (await browser.get("memory")).words
        assert "finds nothing of it" in (await browser.send(again, "memory/forget")).words

    browse(act)


def test_words_that_go_alone_are_shown_before_they_go() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            file = Path(runtime.agent.workspace, "memory", "topics.md")
        file.parent.mkdir(exist_ok=True)
        file.write_text("# Topics\n\nBefore.\n\nThe flat in Elm Street is let.\n\nAfter.\n")
        plan = await browser.get("memory/forget?words=Elm+Street")
        assert "Forget this for good?" in plan.words
        assert "Only these words go, and the text around them stays" in plan.words
        assert "“ Elm Street ” memory/topics.md (1 place)" in plan.words

    browse(act)


def test_lists_are_narrowed_and_paged() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            for number in range(45):
                add_entry(runtime, AT_TERMINAL, AddRequest(text=f"Reading number {number} of the gauge"))
        await remember(browser, "We ship on Fridays", tag="decision")
        first = await browser.get("memory")
        older = next(link for link in first.links if "before=" in link)
        second = await browser.get(older)
        assert "Reading number 0 of" not in first.words
        assert "Reading number 0 of" in second.words
        assert "Reading number 44 of" not in second.words
        only = await browser.get("memory?tag=decision")
        assert "We ship on Fridays" in only.words
        assert "Reading number" not in only.words
        none = await browser.get("memory?person=nobody")
        assert "Nothing fits" in none.words
        assert (await browser.get("memory?since=yesterday")).status == 400
        assert (await browser.get("memory?standing=strange")).status == 200
        contents = await browser.get("memory/contents")
        assert "46 entries" in contents.words

    browse(act)


@pytest.mark.slow
def test_texts_of_strangers_are_text_on_every_page() -> None:
    async def act(browser: Browser) -> None:
        async with browser.gateway.service.pool.using("main") as runtime:
            made = [add_entry(runtime, AT_TERMINAL, AddRequest(text=text, person="ana")) for text in HOSTILE]
            name = "x" * 10_000
            long = add_entry(runtime, AT_TERMINAL, AddRequest(text=f"begin {'line ' * 40_000} end", about=name[:200]))
        pages = ["memory", "memory?q=evil", "memory/contents", "memory/changes", "memory/searches", "memory/candidates"]
        for one in made:
            pages += [
                f"memory/entry/{one.entry}",
                f"memory/forget?entries={one.entry}",
                f"memory/entry/{one.entry}/origins",
            ]
        async with browser.gateway.service.pool.using("main") as runtime:
            pages += [f"memory/change/{one.id}" for one in runtime.workspace.changes(8)]
        pages += ["memory/lines?at=MEMORY.md", f"memory?q={name}", f"memory?person={name}", f"memory/entry/{name}"]
        for path in pages:
            page = await browser.get(path)
            assert page.status in (200, 400, 404), (path, page.status, page.words)
            _need_harmless(page, path)
        whole = await browser.get(f"memory/entry/{long.entry}")
        assert len(whole.html) < 10 * CUT
        assert "Show all" in whole.words
        assert " end" in (await browser.get(f"memory/entry/{long.entry}?part=6")).words

    browse(act)


def _need_harmless(page: Sheet, path: str) -> None:
    for tag, found in page.elements:
        assert tag not in ("img", "iframe", "object", "embed", "style", "base"), (path, tag)
        assert tag != "script" or found["src"].startswith("/static/"), path
        assert not any(name.startswith("on") or name == "style" for name in found), (path, tag, found)
        for name in ("href", "src", "action"):
            assert found.get(name, "/").startswith(("/", "#")), (path, tag, found)
    for char in ("\u202e", "\u200b", "\x1b"):
        # a field to edit holds the text itself
        assert char not in re.sub(r"<textarea.*?</textarea>", "", page.html, flags=re.DOTALL), path
    assert "49" not in page.html.partition("q=")[2][:4]


def test_what_the_page_does_is_refused_to_guests() -> None:
    from tests.interfaces.web.browsers import sign_in

    async def act(browser: Browser) -> None:
        entry = await remember(browser, "The heron is called Otto")
        guest = await sign_in(browser.gateway, "guest/anna")
        for path in ("memory", f"memory/entry/{entry}", "memory/changes", "memory/contents", "memory/searches"):
            page = await guest.get(path)
            assert page.status == 403, path
            assert "Otto" not in page.html

    browse(act)
