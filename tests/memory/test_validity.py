"""What held when: closing, asking for a day, and what rests on what no longer holds."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.errors import NotFound, WrongUse
from everself.memory.selection import Selection, list_entries
from everself.memory.writing import NewEntry
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of

FIRST, LATER = date(2026, 3, 19), date(2026, 4, 2)


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


def wait(mind: Mind) -> None:
    """Two weeks."""
    assert isinstance(mind.memory.clock.read, FrozenTime)
    mind.memory.clock.read.advance(LATER - FIRST)


def believed(mind: Mind, day: date) -> list[str]:
    return sorted(one.entry.text for one in list_entries(mind.memory, Selection(as_of=day)))


def test_what_replaces_another_closes_it_that_day(mind: Mind) -> None:
    old = mind.memory.remember(NewEntry("The office is in Kreuzberg.", origin_of("owner")))
    wait(mind)
    new = mind.memory.remember(NewEntry("The office is in Mitte.", origin_of("owner")))
    assert not mind.catalog.get(old.entry).closed
    mind.memory.supersede(old.entry, new.entry)
    closed = mind.catalog.get(old.entry)
    assert (closed.until, closed.closed_by, closed.text) == (LATER, new.entry, "The office is in Kreuzberg.")
    assert closed.vouched
    assert believed(mind, FIRST - timedelta(days=1)) == []
    assert believed(mind, LATER - timedelta(days=1)) == ["The office is in Kreuzberg."]
    assert believed(mind, LATER) == ["The office is in Mitte."]


def test_nothing_replaces_itself_or_what_is_not_there(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry("The office is in Mitte.", origin_of("owner")))
    with pytest.raises(WrongUse):
        mind.memory.supersede(done.entry, done.entry)
    with pytest.raises(NotFound):
        mind.memory.supersede(done.entry, "AAAAAAAAAAAA")
    assert not mind.catalog.get(done.entry).closed


def test_a_correction_by_words_closes_every_entry_that_says_so(mind: Mind, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "memory").mkdir()
    text = "# A\n\n- The office is in Kreuzberg.\n- Rain.\n- the office is in  kreuzberg.\n"
    (tmp_path / "workspace" / "memory" / "places.md").write_text(text)
    mind.memory.remember(NewEntry("The office is in Kreuzberg!", origin_of("owner")))
    done = mind.memory.correct("The office is in Kreuzberg.", "The office is in Mitte.", origin_of("owner"))
    assert len(done.closed) == 2
    assert believed(mind, FIRST) == ["Rain.", "The office is in Kreuzberg!", "The office is in Mitte."]


def test_what_was_said_again_after_it_was_closed_is_a_new_entry(mind: Mind) -> None:
    old = mind.memory.remember(NewEntry("The office is in Kreuzberg.", origin_of("owner")))
    mind.memory.correct(old.entry, "The office is in Mitte.", origin_of("owner"))
    wait(mind)
    again = mind.memory.remember(NewEntry("The office is in Kreuzberg.", origin_of("owner")))
    assert not again.mention
    assert again.entry != old.entry
    assert (mind.catalog.get(old.entry).until, mind.catalog.get(again.entry).until) == (FIRST, None)


def test_text_struck_by_hand_is_retired_and_still_there(mind: Mind, tmp_path: Path) -> None:
    done = mind.memory.remember(NewEntry("The office is in Kreuzberg.", origin_of("owner"), explicit=True))
    path = tmp_path / "workspace" / "MEMORY.md"
    path.write_text(path.read_text().replace("The office is in Kreuzberg.", "~~The office is in Kreuzberg.~~"))
    entry = mind.catalog.get(done.entry)
    assert (entry.closed, entry.struck, entry.text, entry.vouched) == (True, True, "The office is in Kreuzberg.", True)


def test_what_rests_on_what_no_longer_holds_is_stale_through_every_step(mind: Mind) -> None:
    said = mind.memory.remember(NewEntry("The office is in Kreuzberg.", origin_of("owner")))
    one = mind.memory.remember(NewEntry("Takes the U8 to work.", origin_of("agent", f"entry:{said.entry}")))
    two = mind.memory.remember(
        NewEntry("Needs a ticket for zone A.", origin_of("agent", f"entry:{one.entry}", "msg:1"))
    )
    other = mind.memory.remember(NewEntry("Likes the U8.", origin_of("agent", "msg:2")))
    assert mind.memory.stale() == set()
    done = mind.memory.correct(said.entry, "The office is in Mitte.", origin_of("owner"))
    assert mind.memory.stale() == {one.entry, two.entry}
    assert not {done.entry, other.entry} & mind.memory.stale()


def test_two_that_rest_on_each_other_do_not_run_for_ever(mind: Mind) -> None:
    one, other = "AAAAAAAAAAAA", "BBBBBBBBBBBB"
    mind.memory.remember(NewEntry("Takes the U8.", origin_of("agent", f"entry:{other}")), lambda: one)
    mind.memory.remember(NewEntry("Has a ticket.", origin_of("agent", f"entry:{one}")), lambda: other)
    assert mind.memory.stale() == set()
    mind.memory.correct(one, "Takes the bus.", origin_of("owner"))
    assert mind.memory.stale() == {other, one}


def test_the_day_of_a_log_is_when_it_was_believed_first_however_late_it_is_read(mind: Mind, tmp_path: Path) -> None:
    folder = tmp_path / "workspace" / "memory"
    folder.mkdir()
    (folder / "2024-02-29.md").write_text("# Memory Log: 2024-02-29\n\n## [10:00:00] note\n\nMoved to Mapo.\n")
    assert believed(mind, date(2024, 2, 28)) == []
    assert believed(mind, date(2024, 2, 29)) == ["Moved to Mapo."]


def test_a_fact_that_is_put_right_often_is_followed_to_what_holds_now(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weight that is told each week: every version leads to the newest, and all of them together are looked up at once."""
    versions = [mind.memory.remember(NewEntry("I weigh 80 kg.", origin_of("owner"))).entry]
    for number in range(1, 25):
        versions.append(mind.memory.correct(versions[-1], f"I weigh {80 + number} kg.", origin_of("owner")).entry)
    entries = list(mind.catalog.named(versions).values())
    asked: list[int] = []
    named = mind.catalog.named
    monkeypatch.setattr(mind.catalog, "named", lambda ids: (asked.append(len(ids)), named(ids))[1])
    assert mind.memory.words_now_of(entries) == dict.fromkeys(versions[:-1], "I weigh 104 kg.")
    assert asked == [1]
    assert mind.memory.words_now(mind.catalog.get(versions[0])) == "I weigh 104 kg."


def test_entries_that_replace_each_other_have_no_successor(mind: Mind, tmp_path: Path) -> None:
    """Somebody edited the comments by hand."""
    day = tmp_path / "workspace" / "memory" / "2026-03-19.md"
    done = mind.memory.remember(NewEntry("The office is in Mitte.", origin_of("owner")))
    other = mind.memory.remember(NewEntry("The office is in Wedding.", origin_of("owner")))
    text = day.read_text("utf-8")
    for one, by in ((done, other), (other, done)):
        text = text.replace(f"id={one.entry} ", f"id={one.entry} until=2026-03-19 by={by.entry} ")
    day.write_text(text, "utf-8")
    assert mind.memory.words_now_of(mind.catalog.all()) == {}
