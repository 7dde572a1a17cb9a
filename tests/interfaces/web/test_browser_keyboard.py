"""Looking through what there is by keyboard alone: lists, filters, searches. What is done to it stands in test_browser_actions."""

import re
from typing import Any

import pytest
from tests.interfaces.web.chromium import Site
from tests.interfaces.web.keyboard import choose, fill, press, press_on, press_to

pytestmark = pytest.mark.slow


def told(page: Any, words: str, timeout: int = 30_000) -> None:
    page.locator(".notice", has_text=words).first.wait_for(timeout=timeout)


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
