"""A huge memory: what is read before an answer and at each write is bounded, and what was left is said. Counts work, no time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.errors import TooLarge
from everself.memory import catalog as books
from everself.memory import tiers
from everself.memory.catalog import HUGE
from everself.memory.entries import ParsedEntry, read_document
from everself.memory.tiers import MemoryStatus, count_tiers
from everself.memory.writing import NewEntry
from everself.storage.engine import Engine
from everself.testing.origins import origin_of
from everself.workspace import disk_workspace as on_disk

LIMIT = 2_000


class Parsed:
    """Sizes of the documents that were read entry by entry."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, data: bytes) -> tuple[ParsedEntry, ...]:
        self.sizes.append(len(data))
        return read_document(data)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    found = Parsed()
    monkeypatch.setattr(books, "read_document", found)
    return found


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        yield found


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines are huge, a few documents many."""
    monkeypatch.setattr(books, "HUGE", LIMIT)
    monkeypatch.setattr(tiers, "HUGE", LIMIT)
    monkeypatch.setattr(tiers, "MOST_DOCUMENTS", 5)


def lines(count: int, word: str = "fact") -> str:
    return "".join(f"- {word} number {i} is so\n" for i in range(count))


def lay(top: Path, path: str, text: str) -> None:
    file = top / "workspace" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def days(top: Path, count: int) -> None:
    for i in range(count):
        lay(top, f"memory/2026-01-{i + 1:02d}.md", f"# Memory Log\n\n## [09:00:00] note\n\nday {i}\n")


def count(mind: Mind, *, whole: bool = False) -> MemoryStatus:
    return count_tiers(mind.memory, mind.bench.state.entries, whole=whole)


@pytest.mark.usefixtures("low")
def test_a_count_reads_no_more_than_its_bound_and_says_what_it_left(mind: Mind, tmp_path: Path, parsed: Parsed) -> None:
    days(tmp_path, 6)
    found = count(mind)
    assert (found.entries, found.read, found.uncounted, parsed.sizes) == (0, 0, 6, [])
    assert [one.files for one in found.tiers] == [0, 0, 6]
    told: list[tuple[int, int]] = []
    mind.catalog.refresh(progress=lambda done, total: told.append((done, total)))
    assert told == [(i, 6) for i in range(7)]
    found = count(mind)
    assert (found.entries, found.uncounted, len(parsed.sizes)) == (6, 0, 6)


@pytest.mark.usefixtures("low")
def test_within_its_bound_a_count_is_exact(mind: Mind, tmp_path: Path) -> None:
    days(tmp_path, 5)
    found = count(mind)
    assert (found.entries, found.read, found.uncounted) == (5, 5, 0)


@pytest.mark.usefixtures("low")
def test_many_bytes_are_left_as_well(
    mind: Mind, tmp_path: Path, parsed: Parsed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "MOST_BYTES", 100)
    days(tmp_path, 4)
    assert (count(mind).uncounted, parsed.sizes) == (4, [])


@pytest.mark.usefixtures("low")
def test_asked_to_a_count_reads_everything(mind: Mind, tmp_path: Path) -> None:
    days(tmp_path, 6)
    lay(tmp_path, "MEMORY.md", lines(200))
    found = count(mind, whole=True)
    assert (found.entries, found.uncounted, found.huge) == (206, 0, ("MEMORY.md",))


@pytest.mark.usefixtures("low")
def test_what_is_gone_is_not_counted_though_nobody_noted_it(mind: Mind, tmp_path: Path) -> None:
    days(tmp_path, 6)
    count(mind, whole=True)
    for i in range(6):
        (tmp_path / f"workspace/memory/2026-01-{i + 1:02d}.md").unlink()
    found = count(mind)
    assert (found.entries, found.elsewhere, found.uncounted) == (0, 0, 6)


@pytest.mark.usefixtures("low")
def test_a_huge_document_keeps_no_other_from_being_counted(mind: Mind, tmp_path: Path, parsed: Parsed) -> None:
    lay(tmp_path, "MEMORY.md", lines(200))
    days(tmp_path, 3)
    found = count(mind)
    assert (found.entries, found.uncounted, found.huge) == (3, 1, ("MEMORY.md",))
    assert max(parsed.sizes) < LIMIT


@pytest.mark.usefixtures("low")
def test_an_entry_that_was_moved_out_of_a_huge_document_keeps_its_id(mind: Mind, tmp_path: Path) -> None:
    kept = mind.memory.remember(NewEntry("The deploy is on Fridays.", origin_of("owner"), explicit=True)).entry
    core = tmp_path / "workspace/MEMORY.md"
    line = next(one for one in core.read_text().splitlines() if kept in one)
    core.write_text(core.read_text() + lines(200))
    mind.catalog.refresh()
    core.write_text(core.read_text().replace(line + "\n", ""))
    lay(tmp_path, "memory/topic.md", f"# Topic\n\n{line}\n")
    # the count would leave the huge one out, but something came from there
    assert count(mind).entries
    found = mind.catalog.find(kept)
    assert found is not None
    assert (found.path, found.source, found.vouched) == ("memory/topic.md", "owner", True)


def test_nothing_is_read_of_a_huge_core_when_something_is_remembered(
    mind: Mind, tmp_path: Path, parsed: Parsed
) -> None:
    lay(tmp_path, "MEMORY.md", "# Memory\n\n" + "- a line of a memory that nobody ever looked through\n" * (HUGE // 50))
    for i in range(3):
        found = mind.memory.remember(NewEntry(f"Something new, number {i}.", origin_of("owner")))
        assert (found.mention, found.unread) == (False, ("MEMORY.md",))
    assert all(size < HUGE for size in parsed.sizes)
    again = mind.memory.remember(NewEntry("Something new, number 1.", origin_of("owner")))
    assert again.mention


@pytest.mark.usefixtures("low")
def test_the_same_words_in_a_huge_document_are_not_looked_for_and_it_is_said(mind: Mind, tmp_path: Path) -> None:
    lay(tmp_path, "memory/topic.md", lines(200))
    count(mind, whole=True)
    before = (tmp_path / "workspace/memory/topic.md").read_bytes()
    found = mind.memory.remember(NewEntry("fact number 7 is so", origin_of("owner")))
    assert (found.mention, found.unread) == (False, ("memory/topic.md",))
    assert (tmp_path / "workspace/memory/topic.md").read_bytes() == before
    # whoever asks by words finds both
    mind.catalog.refresh()
    assert len(mind.catalog.with_words("fact number 7 is so")) == 2
    assert mind.memory.remember(NewEntry("fact number 7 is so", origin_of("owner"))).mention


@pytest.mark.usefixtures("low")
def test_the_document_that_is_written_to_is_compared_however_large_it_is(mind: Mind, tmp_path: Path) -> None:
    lay(tmp_path, "MEMORY.md", "# Memory\n\n## Facts\n\n" + lines(200))
    for text in ("fact number 7 is so", "Said for good."):
        first = mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=True))
        again = mind.memory.remember(NewEntry(text, origin_of("owner"), explicit=True))
        assert (again.entry, again.mention, again.unread) == (first.entry, True, ())
    assert (tmp_path / "workspace/MEMORY.md").read_text().count("Said for good.") == 1


def test_what_is_too_large_to_be_written_is_refused_without_being_read(
    mind: Mind, tmp_path: Path, parsed: Parsed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(books, "HUGE", LIMIT)
    monkeypatch.setattr(books, "READ_LIMIT", 2 * LIMIT)
    monkeypatch.setattr(on_disk, "READ_LIMIT", 2 * LIMIT)
    lay(tmp_path, "MEMORY.md", lines(400))
    with pytest.raises(TooLarge):
        mind.memory.remember(NewEntry("Said for good.", origin_of("owner"), explicit=True))
    assert all(size <= LIMIT for size in parsed.sizes)
    assert not mind.memory.remember(NewEntry("Said for today.", origin_of("owner"))).mention


def test_what_is_small_is_compared_and_nothing_is_said(mind: Mind, tmp_path: Path) -> None:
    lay(tmp_path, "MEMORY.md", lines(20))
    found = mind.memory.remember(NewEntry("fact number 7 is so", origin_of("owner")))
    assert (found.mention, found.unread) == (True, ())


def test_naming_many_entries_asks_the_database_no_more_often_than_naming_a_few(
    mind: Mind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    read = Engine.read

    def counted(self: Engine, *words: object) -> object:
        nonlocal asked
        asked += 1
        return read(self, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "read", counted)
    lay(tmp_path, "MEMORY.md", lines(2 * books.MANY))
    mind.catalog.refresh()
    assert asked < 20
    assert sum(mind.bench.state.entries.counts().values()) == 2 * books.MANY


def test_many_entries_get_the_names_that_a_few_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[dict[str, str]] = []
    for way, most in (("one by one", 10**9), ("at once", 1)):
        monkeypatch.setattr(books, "MANY", most)
        with open_mind(str(tmp_path / way)) as mind:
            for text in (lines(30), lines(10), "", lines(30) + lines(5)):
                lay(tmp_path / way, "MEMORY.md", text)
                lay(tmp_path / way, "memory/topic.md", lines(3, "other") + text[:100])
                mind.catalog.refresh()
            named.append({one.id: f"{one.path} {one.text}" for one in mind.catalog.all()})
    assert named[0] == named[1]
    assert len(named[0]) > 35
