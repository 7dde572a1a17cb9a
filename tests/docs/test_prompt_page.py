"""docs/prompt.md is what a model is sent, and holds nothing that a model should not read."""

import pytest
from tools.show_prompt import PAGE, page

pytestmark = pytest.mark.slow


def test_the_page_is_the_request_that_the_code_makes() -> None:
    assert page() == PAGE.read_text("utf-8"), "run: python -m tools.show_prompt, and read what changed"


def test_the_prompt_holds_no_form_no_comment_and_no_bookkeeping() -> None:
    text = PAGE.read_text("utf-8")
    assert not [word for word in ("<!--", "_(", "Re-embedded", "Trigger:", "\n>\n", "\n\n\n") if word in text]
