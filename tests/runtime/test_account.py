"""Everything that is said about one entry is so."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.memory.writing import NewEntry
from everself.operations.entry_account import account_of
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of


@pytest.fixture
def time() -> FrozenTime:
    return FrozenTime()


@pytest.fixture
def mind(tmp_path: Path, time: FrozenTime) -> Iterator[Mind]:
    with open_mind(str(tmp_path), time.clock()) as found:
        yield found


def test_confidence_is_the_sum_of_its_steps(mind: Mind, time: FrozenTime) -> None:
    done = mind.memory.remember(NewEntry("Prefers tea.", origin_of("person:bob")))
    mind.memory.remember(NewEntry("Prefers tea.", origin_of("person:bob")))
    time.advance(timedelta(days=95))
    found = account_of(mind.memory, mind.bench.state.entries, done.entry).confidence
    assert (found.base, found.mentions, found.gained, found.days, found.lost) == (0.6, 2, 0.05, 95, 0.15)
    assert found.result == pytest.approx(found.base + found.gained - found.lost)


def test_a_correction_loses_nothing(mind: Mind, time: FrozenTime) -> None:
    mind.memory.remember(NewEntry("Lives in Berlin.", origin_of("owner")))
    done = mind.memory.correct("Lives in Berlin.", "Lives in Oslo.", origin_of("owner"))
    time.advance(timedelta(days=1000))
    found = account_of(mind.memory, mind.bench.state.entries, done.entry).confidence
    assert (found.lost, found.result, found.ceiling) == (0.0, 1.0, 1.0)


def test_evidence_is_followed_to_its_end_and_the_weakest_counts(mind: Mind) -> None:
    page = mind.memory.remember(NewEntry("The page says so.", origin_of("web", "url:https://e.org"))).entry
    note = mind.memory.remember(NewEntry("It may be so.", origin_of("agent", f"entry:{page}", "msg:7"))).entry
    sure = mind.memory.remember(NewEntry("It is so.", origin_of("owner", f"entry:{note}"))).entry
    found = account_of(mind.memory, mind.bench.state.entries, sure)
    assert [(one.reference, one.source, one.depth) for one in found.evidence] == [
        (f"entry:{note}", "agent", 1),
        (f"entry:{page}", "web", 2),
        ("msg:7", "correction", 2),
        ("url:https://e.org", "web", 3),
    ]
    assert (found.entry.source, found.trust) == ("owner", "web")
    assert account_of(mind.memory, mind.bench.state.entries, page).derived == (note,)


def test_what_happened_to_it_is_told_newest_first_with_its_words(mind: Mind) -> None:
    done = mind.memory.remember(NewEntry("Prefers tea.", origin_of("owner"), explicit=True))
    mind.memory.remember(NewEntry("Likes walks.", origin_of("owner"), explicit=True))
    mind.memory.edit(done.entry, "Prefers green tea.", origin_of("owner"))
    mind.memory.correct(done.entry, "Prefers coffee.", origin_of("owner"))
    found = account_of(mind.memory, mind.bench.state.entries, done.entry[:6])
    assert [(one.reason, one.words) for one in found.changes] == [
        ("correct", "Prefers green tea."),
        ("edit", "Prefers green tea."),
        ("remember", "Prefers tea."),
    ]
    assert found.entry.closed


def test_text_without_a_comment_has_an_account_too(mind: Mind, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "MEMORY.md").write_text("- Likes walks\n")
    (entry,) = mind.catalog.all()
    found = account_of(mind.memory, mind.bench.state.entries, entry.id)
    assert (found.citation, found.trust, found.changes, found.derived) == ("MEMORY.md#L1", "hand", (), ())
