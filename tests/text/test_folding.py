"""A folded text has every character at its old place, and what is quoted is hidden."""

import pytest

from everself.text.folding import HIDDEN, fold_in_place, hide_quoted, one_script


@pytest.mark.parametrize("text", ["It’s “so” – yes…", "１２３ＡＢＣ。", "說「好」", "\ud800 x", ""])
def test_every_place_stays(text: str) -> None:
    assert len(fold_in_place(text)) == len(text)
    assert len(one_script(text)) == len(text)
    assert len(hide_quoted(text)) == len(text)


def test_quotes_are_straight_and_characters_simplified() -> None:
    assert fold_in_place("It’s “so” – １") == 'It\'s "so" - 1'
    assert one_script("說對") == "说对"


def test_a_sentence_in_quotes_a_fence_and_a_quoted_line_are_hidden_and_a_name_is_not() -> None:
    assert hide_quoted('the cat "Miso"') == 'the cat "Miso"'
    assert hide_quoted('she said "I live in Porto now"') == f'she said "{HIDDEN * 19}"'
    assert hide_quoted("> gone\nstays") == f"{HIDDEN * 6}\nstays"
    assert hide_quoted("```\nx\n```\ny") == f"{HIDDEN * 3}\n{HIDDEN}\n{HIDDEN * 3}\ny"
