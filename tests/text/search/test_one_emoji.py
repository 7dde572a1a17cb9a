"""One emoji is one, of however many characters it is made."""

import pytest

from everself.text.search import is_one_emoji


@pytest.mark.parametrize("text", ["🦦", "❤️", "👩‍👩‍👧‍👦", "🇰🇷", "👍🏽", "1️⃣", "☀️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
def test_an_emoji_is_one(text: str) -> None:
    assert is_one_emoji(text)


@pytest.mark.parametrize("text", ["fox", "", "🦦🦊", "🦦 x", ":)", "1", "火", "#"])
def test_nothing_else_is(text: str) -> None:
    assert not is_one_emoji(text)
