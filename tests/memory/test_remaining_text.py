"""What stays of a text when something in it was put right."""

import pytest

from everself.classify.coverage import gives_otherwise
from everself.memory.remaining_text import apart_from, remainder, untouched


@pytest.mark.parametrize(
    ("text", "newer", "left"),
    [
        ("Wren is 7, Otis turned three in August.", "Wren is 8.", "Otis turned three in August."),
        ("Jory is paid 14 an hour, Jory is allergic to nuts.", "Jory is paid 15 an hour.", "Jory is allergic to nuts."),
        ("Jory is paid 14 an hour. Jory hates opera.", "Jory is paid 15 an hour.", "Jory hates opera."),
        ("Jory的工资是14欧元，他讨厌歌剧。", "Jory的工资是15欧元。", "他讨厌歌剧。"),
        ("kids: Wren is 7, Otis is three.", "i told you rubbish about the kids, wren is 8", "Otis is three."),
        # which of the two is meant nobody can tell
        ("Jory is 14, Jory is tall.", "Jory is 15.", None),
        ("Jory is paid 14 an hour, Jory is paid on Fridays.", "Jory is paid 15 an hour.", None),
    ],
)
def test_what_shares_only_its_subject_with_a_newer_statement_stays(text: str, newer: str, left: str | None) -> None:
    assert untouched(text, newer) == left


@pytest.mark.parametrize(
    ("text", "claim", "left"),
    [
        (
            "Jory is my apprentice, Jory is allergic to nuts",
            "Jory is the owner's apprentice.",
            "Jory is allergic to nuts",
        ),
        ("at 590 she is a snob and a darling", "Mustard flies best at 590 grams.", ""),
        ("小明住在巴黎，小明讨厌歌剧", "小明住在巴黎。", "小明讨厌歌剧"),
    ],
)
def test_what_says_something_else_than_a_claim_stays(text: str, claim: str, left: str) -> None:
    assert apart_from(text, claim) == left


def test_of_a_note_stays_what_was_not_wrong() -> None:
    note = "Jory has been the apprentice since September. (“he hates opera … he earns 14 euros an hour”)"
    assert remainder(note, "Jory has been the apprentice since October.") == "he hates opera, he earns 14 euros an hour"
    assert remainder(note, "Jory earns 15 euros an hour.") == (
        "Jory has been the apprentice since September. (“he hates opera”)"
    )
    assert not remainder("Jory has been the apprentice since September.", "Jory is gone.")


@pytest.mark.parametrize(
    ("note", "sentence", "otherwise"),
    [
        ("The owner's standup is every day at 8:15.", "My standup is every day at 9:30.", True),
        ("Mia, the owner's sister, lives in Lyon.", "My sister Mia lives in Paris, near the river.", True),
        ("Jory does not like opera.", "Jory likes opera, and dogs.", True),
        ("Jory likes opera.", "Jory doesn't like opera at all.", True),
        ("Jory is the owner's apprentice.", "Jory is my apprentice, he does not like opera", False),
        ("The owner's neighbour speaks Polish.", "My neighbour speaks Polish and a bit of Czech.", False),
        ("Jory has been the owner's apprentice since 2026-09-01.", "jory is my apprentice, he gets 14 an hour", False),
        ("The owner sings in a choir from 19:00.", "i have choir from 7, 2 hours", False),
    ],
)
def test_another_value_is_another_number_another_name_or_a_denial(note: str, sentence: str, otherwise: bool) -> None:
    assert gives_otherwise(note, sentence) is otherwise
