"""What only opens a correction goes; whatever says something stays, for what is left is kept as a memory."""

import pytest

from everself.classify.openers import bare


@pytest.mark.parametrize(
    "sentence",
    [
        "Generally, I drink tea",
        "On Mondays, I swim.",
        "Lena, my sister, is 12",
        "Occasionally, I smoke",
        "3,5 euros a day, no more",
        "Meistens, aber nicht immer",
        "明天，去北京",
        "최근에, 이사했어",
        "No.",
    ],
)
def test_what_says_something_stays(sentence: str) -> None:
    assert bare(sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "left"),
    [("Sorry, I meant Tuesday", "I meant Tuesday"), ("Nein, ich wohne in Köln.", "Ich wohne in Köln.")],
)
def test_an_opener_goes_in_any_language(sentence: str, left: str) -> None:
    assert bare(sentence) == left
