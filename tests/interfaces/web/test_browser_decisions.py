"""Deciding in a real browser: what waits, the soul, and what a model is told. Each by keyboard alone."""

import pytest
from tests.interfaces.web.chromium import Site
from tests.interfaces.web.keyboard import press_on

pytestmark = pytest.mark.slow


def test_what_waits_is_decided_by_one_key(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("review")
        cards = page.locator("[data-waiting]")
        assert cards.count() == 10
        first, second = (cards.nth(at).get_attribute("aria-labelledby") for at in (0, 1))
        # s skips, a accepts what is next
        page.keyboard.press("s")
        page.keyboard.press("s")
        assert page.evaluate("document.activeElement.getAttribute('aria-labelledby')") != first
        words = page.evaluate("document.activeElement.querySelector('blockquote').textContent")
        page.keyboard.press("a")
        page.wait_for_url("**done=review-accepted**")
        assert words not in page.inner_text(".queue")
        page.keyboard.press("r")
        page.wait_for_url("**done=review-refused**")
        assert page.locator(f"[aria-labelledby='{first}']").count() == 0
        assert page.locator(f"[aria-labelledby='{second}']").count() == 1
        page.keyboard.press("e")
        page.keyboard.type("In my own words, by keyboard.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**done=review-edited**")
        page.get_by_role("button", name="Undo").press("Enter")
        page.wait_for_url("**done=undone**")
        sheet.told.check()


def test_what_changed_since_it_was_shown_is_shown_again_and_not_decided(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("review")
        card = page.locator("[data-waiting]").first
        words = card.locator("blockquote").inner_text()
        identity = card.locator("input[name=name]").first.input_value()
        core = days.workspace / "MEMORY.md"
        found = next(file for file in days.workspace.rglob("*.md") if words in file.read_text())
        found.write_text(found.read_text().replace(words, f"{words} Changed outside."))
        card.get_by_role("button", name="It is mine").press("Enter")
        page.wait_for_url("**/review**")
        assert "done=review-accepted" not in page.url
        assert "Changed outside." in page.inner_text("main") or "changed since" in page.inner_text("main")
        assert core.exists()
        listed = days.gateway.everself("memory", "list", "--unvouched", "--limit", "5000")
        assert identity in {one["entry"]["id"] for one in listed} or "Changed outside." in str(listed)


def test_a_conflict_stands_side_by_side_and_its_answers_are_keys(days: Site) -> None:
    old = days.gateway.everself("memory", "add", "The office is in Bonn.")["entry"]
    new = days.gateway.everself("memory", "add", "The office is in Mainz.")["entry"]
    _ask_about(days, old, new)
    with days.open() as sheet:
        page = sheet.go("review")
        card = page.locator("[data-waiting]", has_text="Which holds?")
        assert card.locator(".side-entry").count() == 2
        assert "Bonn" in card.locator(".side-entry").first.inner_text()
        card.focus()
        page.keyboard.press("2")
        page.wait_for_url("**done=review-accepted**")
    closed = {one["entry"]["text"] for one in days.gateway.everself("memory", "list", "--closed")}
    assert "The office is in Mainz." in closed


def _ask_about(site: Site, old: str, new: str) -> None:
    """A question as the Conflict Detector asks it."""
    from everself.agent import open_runtime
    from everself.keepers.keeper import Ask, Choice, CloseEntry, Planned, packed
    from everself.storage.state.reviews import Review
    from everself.values import new_id

    choices = (
        Choice("the newer", (CloseEntry(old, new),)),
        Choice("the older", (CloseEntry(new, old),)),
        Choice("both"),
    )
    planned = Planned(Ask("conflict", f"{old} {new}", "Which holds?", choices), (f"entry:{old}",), "they differ")
    with open_runtime(environ=site.gateway.environ) as app:
        now = app.clock.now().isoformat()
        assert app.state.reviews.add(
            Review(new_id(), now, "conflict", "conflict-detector", f"{old} {new}", packed(planned), planned.evidence)
        )


def test_the_soul_grows_is_taken_back_and_is_guarded(days: Site) -> None:
    kept = days.gateway.everself("memory", "add", "Do not guess dates, said Ana.")["entry"]
    propose = ("soul", "propose", "--reason", "asked twice", "--evidence", f"entry:{kept}")
    days.gateway.everself(*propose, "Never guess a date.")
    days.gateway.everself(*propose, "Be loud.")
    soul = days.workspace / "SOUL.md"
    with days.open() as sheet:
        page = sheet.go("soul")
        line = page.locator("article", has_text="Never guess a date.")
        assert line.locator(f"a[href$='{kept}']").count() == 1
        line.get_by_role("button", name="Let it in").press("Enter")
        page.wait_for_url("**done=soul-approved**")
        assert "Never guess a date." in soul.read_text()
        press_on(page, page.locator("article", has_text="Be loud.").get_by_role("button", name="Refuse"))
        page.wait_for_url("**done=soul-refused**")
        assert "asked twice" in page.inner_text(".timeline")
        page.get_by_role("button", name="Take back").first.press("Enter")
        page.wait_for_url("**done=soul-line-back**")
        assert "Never guess a date." not in soul.read_text()
        # one of the earlier versions has it
        for row in page.locator("td a.none, tbody tr a").all():
            if "version" in (row.get_attribute("href") or ""):
                row.press("Enter")
                break
        page.wait_for_url("**/soul/version/**")
        page.get_by_role("button", name="Go back to this one").press("Enter")
        page.wait_for_url("**done=soul-rolled-back**")
        page.get_by_role("button", name="Undo").press("Enter")
        page.wait_for_url("**done=undone**")
        # changed with an editor: accepted once, put back once
        before = soul.read_text()
        soul.write_text(f"{before}\n- Added by hand.\n")
        page = sheet.go("soul")
        assert "Added by hand." in page.inner_text(".trouble .diff")
        page.get_by_role("button", name="Put back").press("Enter")
        page.wait_for_url("**done=outside-undone**")
        assert soul.read_text() == before
        soul.write_text(f"{before}\n- Mine.\n")
        page = sheet.go("soul")
        page.get_by_role("button", name="It was me").press("Enter")
        page.wait_for_url("**done=outside-accepted**")
        assert "- Mine." in soul.read_text()
        assert page.locator(".trouble").count() == 0
        sheet.told.check()


def test_the_budget_of_a_prompt_is_shown_for_any_message_and_session(days: Site) -> None:
    days.gateway.command("ask", "Tell me about the boat")
    with days.open() as sheet:
        page = sheet.go("context")
        page.focus("#message")
        page.keyboard.type("What does the garden cost?")
        page.focus("form button")
        page.keyboard.press("Enter")
        page.wait_for_url("**message=**")
        bar = page.locator("svg.stacked").first
        assert bar.locator("rect").count() >= 4
        assert abs(sum(float(one.get_attribute("width")) for one in bar.locator("rect").all()) - 1000) < 2
        assert "recalled" in page.inner_text(".legend >> nth=0")
        page.select_option("#kind", "group")
        page.focus("form button")
        page.keyboard.press("Enter")
        page.wait_for_url("**kind=group**")
        page = sheet.go("context")
        page.select_option("#session", index=1)
        page.focus("form button")
        page.keyboard.press("Enter")
        page.wait_for_url("**session=**")
        assert "a provider's cache" in page.inner_text("main")
        page.get_by_role("link", name="The whole prompt").press("Enter")
        page.wait_for_selector("pre")
        sheet.told.check()


def test_a_browser_that_no_terminal_signed_in_is_told_where_to_decide(days: Site) -> None:
    context = days.browser.new_context()
    try:
        page = context.new_page()
        page.goto(days.link(terminal=False))
        page.wait_for_url("**/web/**")
        page.goto(days.url("review"))
        assert "everself web" in page.inner_text("main")
        assert page.locator("[data-waiting]").count() == 0
    finally:
        context.close()
