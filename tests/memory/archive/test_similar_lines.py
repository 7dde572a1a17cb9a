"""Which lines are held to say the same: never two that give one thing two values, whatever the learned head says."""

import pytest

from everself.memory.archive import similar_lines
from everself.memory.archive.similar_lines import near_pairs
from everself.values import Entry


def pairs(*texts: str) -> list[tuple[str, str]]:
    lines = [Entry(str(number), "MEMORY.md", text) for number, text in enumerate(texts)]
    return [(one.text, other.text) for one, other in near_pairs(lines)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My sister lives in Leeds", "My sister lives in York"),
        ("The rent is 850 a month", "The rent is 910 a month"),
        ("The demo is on 3 March", "The demo is on 9 May"),
        ("我的妹妹住在柏林", "我的妹妹住在慕尼黑"),
    ],
)
def test_two_values_of_one_thing_are_no_pair(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similar_lines, "say_same", lambda *_: True)
    assert pairs(one, other) == []


def test_what_only_shares_words_is_no_pair_unless_it_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ("I like to walk my dog by the river", "I like to walk my dog by the old river")
    monkeypatch.setattr(similar_lines, "say_same", lambda *_: False)
    assert pairs(*lines) == []
    monkeypatch.setattr(similar_lines, "say_same", lambda *_: True)
    assert pairs(*lines) == [lines]


def test_the_same_words_are_a_pair_whatever_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similar_lines, "say_same", lambda *_: False)
    assert pairs("I play the cello.", "i play the cello") == [("I play the cello.", "i play the cello")]
