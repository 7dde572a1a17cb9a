"""What a correction names decides what it can be about: an entry that does not hold the value which is gone is not meant."""

import pytest

from everself.memory.contrasts import names_another, names_other_value


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("the meeting with li is at 4 not 3", "meeting with sandra at 5pm at cafe blume"),
        ("the flight to porto is on 14 march instead of 13", "flight to lisbon is on 12 march at 7:40"),
        ("das treffen ist um 19 uhr nicht um 20 uhr", "yoga ist dienstags um 18 uhr"),
        ("민수랑 약속은 5시가 아니라 6시야", "회의는 매주 월요일 10시"),
        ("el tren sale a las 9:30, no a las 9:00", "el vuelo sale a las 9:15"),
    ],
)
def test_what_holds_neither_value_is_not_meant(said: str, known: str) -> None:
    assert names_other_value(said, known)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("the meeting is at 4 not 3", "meeting with sandra at 3pm"),
        ("its on the 4th of december not the 3rd", "the school play is on 3 december"),
        ("歯医者は15時じゃなくて16時だった", "歯医者の予約は12月4日の15時です"),
        # one value alone says nothing of what is gone, and two of different things are not set against each other
        ("physio moved to 8:45", "physio is on mondays at 8:15"),
        ("the demo is on 14 may and 20 people come", "the demo is on 12 may"),
    ],
)
def test_what_holds_the_value_that_is_gone_may_be_meant(said: str, known: str) -> None:
    assert not names_other_value(said, known)


def test_another_name_in_the_same_place_is_something_else() -> None:
    assert names_another("the meeting with li is at 4 not 5", "meeting with sandra at 5")
    assert not names_another("the meeting with sandra is at 4 not 5", "meeting with sandra at 5")
    assert not names_another("the cat sitter isn't ines, it's carla", "the cat sitter is ines", ("ines", "carla"))
