"""What "tomorrow" means is written behind a statement, once, and only where the word means one day."""

from datetime import date

import pytest

from everself.text.dates import has_days, with_days

SAID = date(2026, 11, 2)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("frozen quail, next lot is tomorow", "2026-11-03"),
        ("The boiler man comes tomorrow.", "2026-11-03"),
        ("yesterday we signed the lease", "2026-11-01"),
        ("day after tomorrow i fly to Oslo", "2026-11-04"),
        ("明天去看牙医", "2026-11-03"),
        ("明後日に引っ越します", "2026-11-04"),
        ("내일 면접이에요", "2026-11-03"),
        ("übermorgen kommt der Klempner", "2026-11-04"),
        ("demain je pars à Lyon", "2026-11-03"),
        ("我大后天走", "2026-11-05"),
        ("大前天下雨了", "2026-10-30"),
        ("しあさって会いましょう", "2026-11-05"),
    ],
)
def test_the_day_stands_behind_the_words(text: str, day: str) -> None:
    assert with_days(text, SAID) == f"{text} ({day})"
    # said and dated, it stays as it is
    assert with_days(f"{text} ({day})", SAID) == f"{text} ({day})"


@pytest.mark.parametrize(
    "text",
    [
        "I swim on Tuesdays.",
        "jeden Morgen um sechs",
        "er wohnt hier",
        "trabaja por la mañana",
        "today was long",
        "We sang Tomorrowland.",
        "",
    ],
)
def test_what_may_mean_another_day_is_left_alone(text: str) -> None:
    assert with_days(text, SAID) == text


def test_two_days_are_told_apart() -> None:
    said = "tomorrow the vet, day after tomorrow the dentist"
    assert with_days(said, SAID) == f"{said} (tomorrow: 2026-11-03, day after tomorrow: 2026-11-04)"


def test_days_that_were_written_are_known_again() -> None:
    assert has_days(with_days("yesterday \udcff the vet", SAID))
    assert has_days(with_days("tomorrow the vet, day after tomorrow the dentist", SAID))
    assert not has_days("The lease of 2026-11-02 \udcff ends tomorrow.")
