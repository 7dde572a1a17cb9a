"""Of two hits that say the same of different days, the newer comes first where a question asks how things stand."""

from datetime import date

import pytest

from everself.search.score_adjustments import newest_first
from everself.values import Hit

OLD = Hit("memory/2026-01-01.md", 1, 1, 0.80, "I have tried three recipes of Emma.", day=date(2026, 1, 1))
NEW = Hit("memory/2026-03-01.md", 1, 1, 0.75, "By now I have tried five recipes of Emma.", day=date(2026, 3, 1))
ASKED = "How many of Emma's recipes have I tried?"


def test_the_newer_comes_first() -> None:
    assert newest_first([OLD, NEW], ASKED) == [NEW, OLD]
    assert newest_first([NEW, OLD], ASKED) == [NEW, OLD]


def test_of_two_that_are_equally_good_the_newer_comes_first_whatever_is_asked() -> None:
    equal = NEW._replace(score=OLD.score)
    assert newest_first([OLD, equal], "How many recipes of Emma had I tried before?") == [equal, OLD]


@pytest.mark.parametrize(
    ("other", "query"),
    [
        (NEW, "How many recipes of Emma had I tried before?"),
        (NEW._replace(score=0.5), ASKED),
        (NEW._replace(day=None), ASKED),
        (NEW._replace(day=date(2025, 1, 1)), ASKED),
        (NEW._replace(text="Emma visited the harbour and the old museum with her cousin."), ASKED),
    ],
)
def test_the_better_stays_first_where_the_other_says_something_else_or_the_past_is_asked_for(other, query) -> None:
    assert newest_first([OLD, other], query) == [OLD, other]
