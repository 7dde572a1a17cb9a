"""The text before the first comma of a message."""

import pytest

from everself.text.leads import lead_of, without_empty_lead


@pytest.mark.parametrize(
    ("text", "lead"),
    [("no, it is 9:45", "no"), ("重要：明天", "重要"), ("it costs 1,200 euros", ""), ("no mark here", "")],
)
def test_the_lead_is_what_stands_before_the_first_mark(text: str, lead: str) -> None:
    assert lead_of(text) == lead


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("for me, the bin goes out on Monday", "the bin goes out on Monday"),
        ("for me would you: the code is 12", "the code is 12"),
        ("I, too, eat no fish", "I, too, eat no fish"),
        ("when we are out, the code is 12", "when we are out, the code is 12"),
        ("Ana, the plumber, comes at four", "Ana, the plumber, comes at four"),
        ("for me,", "for me,"),
    ],
)
def test_a_lead_of_nothing_but_grammar_is_left_out(text: str, rest: str) -> None:
    assert without_empty_lead(text) == rest
