"""Talking in a real browser: streaming, stopping, coming back to a reply, what it rests on, and the first conversation as a form."""

import pytest
from tests.interfaces.web.chromium import Site
from tests.interfaces.web.keyboard import press_on

pytestmark = pytest.mark.slow


def test_the_first_conversation_is_a_form_that_the_keyboard_fills_in(empty: Site) -> None:
    with empty.open() as sheet:
        page = sheet.go()
        assert page.inner_text("h1") == "We have not met yet"
        page.focus("#r-name")
        for words in ("Wren", "a lighthouse keeper", "dry"):
            page.keyboard.type(words)
            page.keyboard.press("Tab")
        page.focus("#r-time_zone")
        page.keyboard.type("nowhere at all")
        page.keyboard.press("Enter")
        # what cannot be is said, and what was answered stays
        page.locator(".trouble").wait_for()
        assert page.input_value("#r-name") == "Wren"
        page.fill("#r-time_zone", "Lisbon")
        page.fill("#r-wishes", "Never guess a date.")
        page.focus("#r-time_zone")
        page.keyboard.press("Enter")
        page.wait_for_selector(".diff ins")
        assert "Wren" in page.inner_text(".diff")
        assert not (empty.workspace / "IDENTITY.md").read_text().count("Wren")
        page.get_by_role("button", name="Yes, write it").press("Enter")
        page.locator(".notice").wait_for()
        assert "Wren" in (empty.workspace / "IDENTITY.md").read_text()
        assert "Never guess a date." in (empty.workspace / "SOUL.md").read_text()
        assert page.inner_text("h1") == "Wren"
        # one undo takes all of it back
        page.get_by_role("button", name="Undo").press("Enter")
        page.wait_for_url("**done=undone**")
        assert "Wren" not in (empty.workspace / "IDENTITY.md").read_text()
        sheet.told.check()


def test_a_reply_arrives_word_by_word_with_what_it_rests_on_and_what_is_wrong_is_fixed_in_place(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("chat?session=new")
        page.focus("#text")
        page.keyboard.type("Who lives in Oslo?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".said-by.assistant details.receipt")
        assert page.inner_text(".said-by.assistant .words") == "Hello from the script."
        summary = page.inner_text("details.receipt summary")
        assert "memories recalled" in summary
        assert "tokens" in summary
        page.focus("details.receipt > summary")
        page.keyboard.press("Enter")
        page.wait_for_selector(".receipt-body .entries li")
        first = page.locator(".receipt-body .entries > li").first
        was = first.locator(".entry-text").inner_text()
        press_on(page, first.locator("details summary"))
        field = first.locator("textarea")
        assert field.input_value().strip() == was
        field.fill("Carla lives in Bergen now.")
        first.get_by_role("button", name="Correct it").press("Enter")
        page.wait_for_url("**done=corrected**")
        assert "Carla lives in Bergen now." in page.inner_text("main")
        # and forgetting shows first what would go
        page.goto(sheet.site.url("chat"))
        press_on(page, page.locator("details.receipt > summary").last)
        page.wait_for_selector(".receipt-body .entries li")
        page.get_by_role("link", name="Forget this").first.press("Enter")
        page.wait_for_url("**/memory/forget**")
        assert "cannot be undone" in page.inner_text("main")
        sheet.told.check()


def test_a_page_that_is_loaded_again_in_the_middle_of_a_reply_goes_on_with_it(days: Site) -> None:
    days.gateway.model.released.clear()
    with days.open() as sheet:
        page = sheet.go("chat?session=new")
        page.fill("#text", "Say it slowly, please")
        page.keyboard.press("Enter")
        page.locator(".said-by.assistant .words", has_text="One").wait_for()
        page.reload()
        page.locator(".said-by.assistant .words", has_text="One").wait_for()
        assert page.locator("#stop").is_visible()
        days.gateway.model.released.set()
        page.wait_for_selector(".said-by.assistant details.receipt")
        # the scripted model hangs up where it stalled; what came is the reply
        assert page.locator(".said-by.assistant .words").last.inner_text().strip() == "One"
        assert page.locator(".said-by.user").count() == 1
        sheet.told.check()


def test_a_reply_is_stopped_and_what_came_of_it_stays(days: Site) -> None:
    days.gateway.model.released.clear()
    with days.open() as sheet:
        page = sheet.go("chat?session=new")
        page.fill("#text", "Say it slowly again")
        page.keyboard.press("Enter")
        page.locator(".said-by.assistant .words", has_text="One").wait_for()
        page.focus("#stop")
        page.keyboard.press("Enter")
        page.wait_for_selector("#stop", state="hidden")
        days.gateway.model.released.set()
        assert "One" in page.inner_text("#talk")
        assert "stopped" in page.inner_text("#talk")
        page.reload()
        assert "Say it slowly again" in page.inner_text("#talk")
        sheet.told.check()


def test_without_scripts_a_message_is_a_form_and_the_answer_a_page(days: Site) -> None:
    with days.open(scripts=False) as sheet:
        page = sheet.go("chat?session=new")
        page.fill("#text", "Hello without scripts")
        page.get_by_role("button", name="Send").press("Enter")
        page.wait_for_url("**session=**")
        assert page.inner_text(".said-by.user .words") == "Hello without scripts"
        assert page.inner_text(".said-by.assistant .words") == "Hello from the script."
        press_on(page, page.locator("details.receipt > summary"))
        page.get_by_role("link", name="Why it said this").press("Enter")
        page.wait_for_selector(".receipt-body")


def test_a_model_that_fails_is_said_and_a_conversation_is_deleted_after_a_question(days: Site) -> None:
    with days.open() as sheet:
        page = sheet.go("chat?session=new")
        page.fill("#text", "please fail")
        page.keyboard.press("Enter")
        page.wait_for_selector(".notice-line.warning, .said-by.assistant .trouble")
        page.goto(sheet.site.url("chat/search?q=please+fail"))
        press_on(page, page.locator(".entries a").first)
        press_on(page, page.locator("summary", has_text="Conversations"))
        page.get_by_role("link", name="Delete this conversation").press("Enter")
        assert "cannot be undone" in page.inner_text("main")
        page.get_by_role("button", name="Delete it").press("Enter")
        page.wait_for_url("**done=talk-deleted**")
        page.goto(sheet.site.url("chat/search?q=please+fail"))
        assert "No message holds" in page.inner_text("main")
