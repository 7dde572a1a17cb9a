"""The day that "tomorrow" means is written down once, when it is said; words that come over from an older entry keep theirs."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.clock import Clock
from everself.memory.memory import Memory
from everself.memory.provenance import stated_by_owner
from everself.memory.writing import NewEntry
from everself.values import Origin


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


def on(mind: Mind, day: int) -> Memory:
    return mind.memory.at(Clock(mind.memory.clock.zone, lambda: datetime(2026, 4, day, 9, tzinfo=UTC)))


def said(message: str) -> Origin:
    return stated_by_owner("chat", f"msg:{message}")


def test_said_on_two_days_it_means_two_days(mind: Mind) -> None:
    for day in (1, 2):
        on(mind, day).remember(NewEntry("I fly to Oslo tomorrow.", said(f"M{day}")))
    assert sorted(one.text for one in mind.catalog.all()) == [
        "I fly to Oslo tomorrow. (2026-04-02)",
        "I fly to Oslo tomorrow. (2026-04-03)",
    ]


def test_what_has_its_day_gets_no_other_one_later(mind: Mind) -> None:
    first = on(mind, 1).remember(NewEntry("I meet Ana tomorrow at 5pm", said("M1")))
    again = on(mind, 4).remember(NewEntry(mind.catalog.get(first.entry).text, said("M2")))
    assert again.mention
    assert [one.text for one in mind.catalog.all()] == ["I meet Ana tomorrow at 5pm (2026-04-02)"]


@pytest.mark.parametrize("dated", [" (2026-04-02)", ""])
def test_a_correction_does_not_date_words_of_the_old_entry_anew(mind: Mind, dated: str) -> None:
    door = said("M1") if dated else stated_by_owner("terminal")
    first = on(mind, 1).remember(NewEntry("I meet Ana tomorrow at 5pm", door))
    made = on(mind, 4).correct(
        first.entry, f"I meet Ana tomorrow at 6pm{dated}", said("M2"), trigger="it was at 6pm, not 5pm"
    )
    assert mind.catalog.get(made.entry).text == f"I meet Ana tomorrow at 6pm{dated}"


def test_a_correction_that_says_it_anew_is_dated_by_its_own_day(mind: Mind) -> None:
    first = on(mind, 1).remember(NewEntry("I meet Ana tomorrow", said("M1")))
    made = on(mind, 2).correct(
        first.entry, "I meet Ana the day after tomorrow", said("M2"), trigger="no, the day after tomorrow"
    )
    assert mind.catalog.get(made.entry).text == "I meet Ana the day after tomorrow (2026-04-04)"
