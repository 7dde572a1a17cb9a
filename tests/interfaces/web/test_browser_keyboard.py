"""Looking through what there is by keyboard alone: lists, filters, searches. What is done to it stands in test_browser_actions."""

import re
from typing import Any

import pytest
from tests.interfaces.web.chromium import Site
from tests.interfaces.web.crawl import FRAGMENTS, PART, crawl, live, read_routes
from tests.interfaces.web.keyboard import choose, fill, press, press_on, press_to

pytestmark = pytest.mark.slow


UNFOLD = "document.querySelectorAll('main details, header details').forEach(one => { one.open = true; })"
# what can be pressed or filled in, each with a number
NUMBERED = """
() => {
    const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
    const found = [...all].filter(one => one.checkVisibility() && !one.disabled && one.type !== "hidden" && !one.matches(".skip"));
    found.forEach((one, at) => { one.dataset.number = at; });
    document.activeElement.blur();
    return found.map(one => one.outerHTML.slice(0, 120));
}
"""
FOCUSED = """
() => {
    const at = document.activeElement, look = getComputedStyle(at);
    return [at.dataset.number ?? "", look.outlineStyle !== "none" || look.boxShadow !== "none"];
}
"""


def told(page: Any, words: str, timeout: int = 30_000) -> None:
    page.locator(".notice", has_text=words).first.wait_for(timeout=timeout)


def test_whatever_can_be_pressed_is_reached_by_tab_and_shows_where_the_focus_is(days: Site) -> None:
    live(days)
    with days.open() as sheet:
        page = sheet.page
        # its link makes way for what is fetched
        reply = sheet.go("chat").get_attribute("[data-receipt]", "data-receipt")
        reply = reply.partition("/web/main/")[2].removesuffix(PART)

        def look(path: str) -> None:
            if PART in path:
                return
            page.evaluate(UNFOLD)
            # a receipt is fetched when it is opened
            page.wait_for_load_state("networkidle")
            found = page.evaluate(NUMBERED)
            reached: set[str] = set()
            # a date has four places to stop at
            for _ in range(len(found) + 30):
                page.keyboard.press("Tab")
                number, shown = page.evaluate(FOCUSED)
                assert shown or not number, (path, found[int(number)])
                reached.add(number)
            missed = [one for at, one in enumerate(found) if str(at) not in reached]
            assert not missed, (path, missed)

        reached = crawl(sheet, look, (reply,))
        assert read_routes() - reached - set(FRAGMENTS) == set()


def test_what_is_worth_keeping_is_kept_from_its_list(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("memory")
        press(page, "Worth keeping", "A")
        page.wait_for_url("**/memory/candidates")
        fill(page, "Days back", "200")
        press(page, "Look", "BUTTON")
        page.wait_for_url("**days=200**")
        assert page.locator("h1").inner_text()
        page = sheet.go("memory")
        press(page, "Changes", "A")
        page.wait_for_url("**/memory/changes")
        page = sheet.go("memory")
        press(page, "Searches", "A")
        page.wait_for_url("**/memory/searches")
        sheet.told.check()


def test_the_timeline_and_every_filter(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("memory")
        before = page.locator(".by-day .entries > li").count()
        press(page, "Show older ones", "A")
        page.locator(".by-day .entries > li").nth(before).wait_for(state="attached")
        # what was focused is gone; the focus goes on where the new ones begin
        assert page.evaluate("document.activeElement !== document.body")
        page = sheet.go("memory")
        press(page, "Filter", "SUMMARY")
        choose(page, "Tier", "Working")
        choose(page, "Source", "Written by hand")
        press(page, "Show", "BUTTON")
        page.wait_for_url("**tier=working**")
        assert "source=hand" in page.url
        assert page.locator("details.filter[open]").count() == 1
        press(page, "Show everything", "A")
        page.wait_for_url(re.compile("/memory$"))
        press(page, "Filter", "SUMMARY")
        fill(page, "Person", "bob")
        press(page, "Show", "BUTTON")
        page.wait_for_url("**person=bob**")
        assert "Bob" in page.inner_text("#found")
        page = sheet.go("memory")
        page.wait_for_selector(".browse-lists a")
        press_to(page, "Add something", "SUMMARY")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**since=**")
        sheet.told.check()


def test_conversations_are_chosen_searched_and_deleted(days: Site) -> None:
    days.gateway.command("ask", "Where is the ladder?")
    with days.open() as sheet:
        page = sheet.go("chat")
        press(page, "Conversations", "SUMMARY")
        press(page, "Search conversations", "A")
        page.wait_for_url("**/chat/search")
        page.keyboard.press("/")
        page.keyboard.type("ladder")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=ladder**")
        press_on(page, page.locator(".entries a").first)
        page.wait_for_url("**session=**")
        press(page, "Conversations", "SUMMARY")
        press(page, "Delete this conversation", "A")
        page.wait_for_url("**/chat/delete**")
        press(page, "Delete it", "BUTTON")
        told(page, "The conversation is deleted.")
        press(page, "New conversation", "A")
        page.wait_for_url("**session=new**")
        sheet.told.check()
