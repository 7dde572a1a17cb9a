"""Days, times and numbers of statements, as they are compared."""

import pytest

from everself.text.quantities import Quantity, read_quantities


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in read_quantities(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("pim has the vet thursday, half 9", [("day", "thursday"), ("time", "half 9")]),
        (
            "its friday the 13th at 2 in the afternoon",
            [("day", "friday"), ("day", "13th"), ("time", "2 in the afternoon")],
        ),
        ("theyve put me on friday at 10 past 2", [("day", "friday"), ("time", "10 past 2")]),
        ("zehn nach zwei am Montag", [("time", "zehn nach zwei"), ("day", "Montag")]),
        ("from 10 to 2 places", [("number", "10"), ("number", "2")]),
        ("dentist on thursday, 9.20, big filling", [("day", "thursday"), ("time", "9.20")]),
        ("on tuesday 3.50 for a coffee", [("day", "tuesday"), ("number", "3.50")]),
        ("monday 12.5 kg", [("day", "monday"), ("number", "12.5")]),
        ("friday 9.20pm", [("day", "friday"), ("time", "9.20pm")]),
        ("bertrand thursday quarter past 4", [("day", "thursday"), ("time", "quarter past 4")]),
        ("Dienstag um Viertel vor drei", [("day", "Dienstag"), ("time", "Viertel vor drei")]),
        ("out by november 27, not negotiable", [("day", "november 27")]),
        ("we may go in may", [("day", "may")]),
        ("jory is on 15.50 an hour", [("number", "15.50")]),
        ("class 4b has 26 children", [("number", "26")]),
        ("Lotte wird am 3. Dezember acht", [("day", "3. Dezember"), ("number", "acht")]),
        ("周会是每周一，房租是3200元", [("day", "周一"), ("number", "3200")]),
        ("회의는 화요일 오전 10시예요", [("day", "화요일"), ("time", "10시")]),
        ("歯医者は11月20日の15時です", [("day", "11月20日"), ("time", "15時")]),
    ],
)
def test_values_are_found_where_they_stand(text: str, values: list[tuple[str, str]]) -> None:
    assert found(text) == values


def only(text: str) -> Quantity:
    (one,) = read_quantities(text)
    return one


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("9:45", "at 9:45", True),
        ("2pm", "14:00", True),
        ("10 past 2", "14:10", True),
        ("by 31 march", "the end of march", True),
        ("on the 19th", "19 december 2026", True),
        ("march 2027", "in march 2028", False),
        ("tuesdays", "dienstags", True),
        ("monday", "12 may", None),
        ("three", "3", True),
        ("1,200", "1200", True),
    ],
)
def test_two_ways_to_write_a_value_agree(one: str, other: str, same: bool | None) -> None:
    assert only(one).agrees(only(other)) is same
