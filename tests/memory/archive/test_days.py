"""Days go into their quarter: word for word, once, with their dates, and as one change."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.memory.archive.days import CORRECTION, archive_days, find_old_days
from everself.memory.writing import NewEntry
from everself.testing.frozen_time import FrozenTime
from everself.testing.origins import origin_of
from everself.values import Author

# many small steps add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

QUARTER = "memory/archive/2026-Q1.md"


@pytest.fixture
def time() -> FrozenTime:
    return FrozenTime()


@pytest.fixture
def mind(tmp_path: Path, time: FrozenTime) -> Iterator[Mind]:
    with open_mind(str(tmp_path), time.clock("Asia/Seoul")) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def _live(mind: Mind, time: FrozenTime, days: int, each: int = 2) -> None:
    for day in range(days):
        for number in range(each):
            mind.memory.remember(NewEntry(f"Day {day} thing {number} happened. More of it.", origin_of("owner")))
        time.advance(timedelta(days=1))


def _texts(mind: Mind) -> list[tuple[str, str, date | None]]:
    return sorted((one.id, one.text, one.day) for one in mind.catalog.all())


def test_only_days_that_are_old_enough_are_found(mind: Mind, time: FrozenTime) -> None:
    _live(mind, time, 5)
    time.advance(timedelta(days=27))
    found = find_old_days(mind.memory, 30)
    assert [one.path for one in found.days] == ["memory/2026-03-19.md", "memory/2026-03-20.md", "memory/2026-03-21.md"]
    assert {one.to for one in found.days} == {QUARTER}
    assert [one.entries for one in found.days] == [2, 2, 2]


def test_moving_keeps_every_entry_once_with_its_id_and_its_day(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 4)
    time.advance(timedelta(days=60))
    before = _texts(mind)
    paths = [one.path for one in find_old_days(mind.memory, 30).days]
    done = archive_days(mind.memory, paths, remove=True, chronicled=True, author=Author.KEEPER)
    assert done.change
    assert done.archives == (QUARTER,)
    assert _texts(mind) == before
    assert {one.path for one in mind.catalog.all()} == {QUARTER}
    assert not any((folder / path).exists() for path in paths)
    log = (folder / "COMPACTION_LOG.md").read_text()
    assert all(f"`{path}` → `{QUARTER}`" in log for path in paths)


def test_running_twice_changes_nothing_the_second_time(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 3)
    time.advance(timedelta(days=60))
    paths = [one.path for one in find_old_days(mind.memory, 30).days]
    archive_days(mind.memory, paths, remove=True, chronicled=True)
    seen = {path: path.read_bytes() for path in folder.rglob("*.md")}
    assert find_old_days(mind.memory, 30).days == ()
    assert archive_days(mind.memory, paths, remove=True, chronicled=True).change == ""
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == seen


def test_the_chronicle_cites_entries_and_is_no_second_one(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 1)
    time.advance(timedelta(days=60))
    first = mind.catalog.all()[0]
    done = archive_days(mind.memory, ["memory/2026-03-19.md"], remove=True, chronicled=True)
    assert done.change
    text = (folder / "Archive/Chronicles/2026-March.md").read_text()
    assert f"## 2026-03-19\n\n- → Day 0 thing 0 happened. (entry:{first.id})\n" in text
    assert not [one for one in mind.catalog.all() if one.path == "Archive/Chronicles/2026-March.md"]


def test_a_kept_day_is_copied_and_the_copy_is_no_entry_until_the_day_is_gone(
    mind: Mind, time: FrozenTime, folder: Path
) -> None:
    _live(mind, time, 2)
    time.advance(timedelta(days=60))
    before = _texts(mind)
    paths = [one.path for one in find_old_days(mind.memory, 30).days]
    assert archive_days(mind.memory, paths, remove=False).change
    assert f"copy-of={paths[0]}" in (folder / QUARTER).read_text()
    assert _texts(mind) == before
    assert {one.path for one in mind.catalog.all()} == set(paths)
    (folder / paths[0]).unlink()
    assert _texts(mind) == before
    assert {one.path for one in mind.catalog.all()} == {QUARTER, paths[1]}


def test_a_copy_stays_hidden_when_its_day_changes_and_is_made_anew(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 1)
    time.advance(timedelta(days=60))
    path = "memory/2026-03-19.md"
    archive_days(mind.memory, [path], remove=False)
    assert archive_days(mind.memory, [path], remove=False).change == ""
    mind.memory.remember(NewEntry("Day 0 thing 0 happened. More of it.", origin_of("owner")))
    assert len(mind.catalog.all()) == 2
    assert not find_old_days(mind.memory, 30).days[0].copied
    assert archive_days(mind.memory, [path], remove=False).change
    assert len(mind.catalog.all()) == 2
    assert (folder / QUARTER).read_text().count("copy-of=") == 1
    assert " n=2 " in (folder / QUARTER).read_text()


def test_a_copied_day_that_is_moved_stands_there_once(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 3)
    time.advance(timedelta(days=60))
    before = _texts(mind)
    paths = [one.path for one in find_old_days(mind.memory, 30).days]
    archive_days(mind.memory, paths, remove=False)
    assert archive_days(mind.memory, paths[:2], remove=True, author=Author.KEEPER).change
    assert _texts(mind) == before
    text = (folder / QUARTER).read_text()
    assert text.count("copy-of=") == 1
    assert text.count("moved from") == 2


def test_a_day_that_holds_a_correction_stays(mind: Mind, time: FrozenTime, folder: Path) -> None:
    _live(mind, time, 1)
    done = mind.memory.correct("Day 0 thing 0 happened. More of it.", "It never happened.", origin_of("owner"))
    core = (folder / "MEMORY.md").read_text()
    line = next(line for line in core.splitlines() if done.entry in line)
    (folder / "MEMORY.md").write_text(core.replace(line, ""))
    day = folder / "memory/2026-03-20.md"
    day.write_text(day.read_text() + "\n## Put right\n\n" + line + "\n")
    time.advance(timedelta(days=60))
    found = find_old_days(mind.memory, 30)
    assert [one.path for one in found.days] == ["memory/2026-03-19.md"]
    assert [(one.path, one.why) for one in found.held] == [("memory/2026-03-20.md", CORRECTION)]


@pytest.mark.parametrize(
    "text",
    [
        "Two lines\nof one\n\nAnother paragraph that is an entry of its own\n\nA third\n",
        "---\ntitle: notes\n---\n\n# Notes\n\n- one\n- two\n",
        "# Notes\n\n```\nan open fence\n",
        "- a\n- b\n  - c\n",
        "\ufeff# Memory Log: 2026-01-05\r\n\r\n## [09:00:00] note\r\n\r\nwith other line ends\r\n",
        "# Memory Log: 2026-01-05\n\ntext under the title\n\n## 14:30 walk\n\n<div>\nopen html\n",
        "",
    ],
)
def test_what_people_wrote_is_read_as_before(mind: Mind, folder: Path, text: str) -> None:
    (folder / "memory").mkdir(exist_ok=True)
    (folder / "memory/2026-01-05.md").write_bytes(text.encode())
    (folder / "memory/2026-01-06-walk.md").write_text("# Walk\n\n- by the sea\n")
    before = _texts(mind)
    paths = ["memory/2026-01-05.md", "memory/2026-01-06-walk.md"]
    assert archive_days(mind.memory, paths, remove=True, chronicled=True, author=Author.KEEPER).change
    assert not (folder / paths[0]).exists()
    assert _texts(mind) == before


def test_what_cannot_be_part_of_another_file_is_moved_whole(mind: Mind, folder: Path) -> None:
    (folder / "memory").mkdir(exist_ok=True)
    data = b"---\ntitle: notes\n---\n\nfirst\n\nsecond\n"
    (folder / "memory/2026-01-05.md").write_bytes(data)
    archive_days(mind.memory, ["memory/2026-01-05.md"], remove=True)
    assert (folder / "memory/archive/2026-01-05.md").read_bytes() == data


def test_a_persons_days_stay_theirs_and_no_chronicle_tells_of_them(mind: Mind, time: FrozenTime, folder: Path) -> None:
    mind.memory.remember(NewEntry("Jun likes tea. A lot.", origin_of("person:jun"), person="jun"))
    time.advance(timedelta(days=60))
    paths = [one.path for one in find_old_days(mind.memory, 30).days]
    done = archive_days(mind.memory, paths, remove=True, chronicled=True)
    assert done.archives == ("users/jun/memory/archive/2026-Q1.md",)
    assert not list(folder.glob("Archive/Chronicles/*"))


def test_a_full_archive_is_followed_by_another(
    mind: Mind, time: FrozenTime, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.memory.archive.days.LARGEST", 700)
    _live(mind, time, 4)
    time.advance(timedelta(days=60))
    before = _texts(mind)
    archive_days(mind.memory, [one.path for one in find_old_days(mind.memory, 30).days], remove=True)
    assert _texts(mind) == before
    assert (folder / "memory/archive/2026-Q1-2.md").exists()


def test_undoing_brings_the_days_back(mind: Mind, time: FrozenTime, folder: Path) -> None:
    from tests.operations.changes import Changes

    _live(mind, time, 2)
    time.advance(timedelta(days=60))
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    done = archive_days(mind.memory, [one.path for one in find_old_days(mind.memory, 30).days], remove=True)
    Changes(mind.bench.workspace).undo(done.change)
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before


def test_search_gives_archived_text_the_day_it_had_and_sees_a_copy_once(
    mind: Mind, time: FrozenTime, folder: Path
) -> None:
    from everself.search.chunking.chunks import chunk_document
    from everself.search.sync.documents import Sources, default_chunking

    _live(mind, time, 2, each=1)
    time.advance(timedelta(days=60))
    archive_days(mind.memory, ["memory/2026-03-19.md"], remove=True)
    archive_days(mind.memory, ["memory/2026-03-20.md"], remove=False)
    sources = Sources(mind.bench.workspace, (), default_chunking())

    def seen() -> list[tuple[str, str, date | None]]:
        found, _ = sources.list()
        read = [document for path in sorted(found) if (document := sources.read(path)) is not None]
        return [(one.path, piece.text[:5], piece.day) for one in read for piece in chunk_document(one.path, one.data)]

    kept = ("memory/2026-03-20.md", "Day 1", date(2026, 3, 20))
    assert seen() == [kept, (QUARTER, "Day 0", date(2026, 3, 19))]
    stamp = sources.list()[0][QUARTER]
    (folder / kept[0]).unlink()
    assert sources.list()[0][QUARTER] != stamp, "it shows something else now, and must be read again"
    assert seen() == [(QUARTER, "Day 0", date(2026, 3, 19)), (QUARTER, "Day 1", date(2026, 3, 20))]


@pytest.mark.parametrize("first", ["closed", "archived"])
def test_the_chronicle_marks_what_ended_before_or_after_it_was_told(
    mind: Mind, time: FrozenTime, folder: Path, first: str
) -> None:
    old = mind.memory.remember(NewEntry("I live in Leeds.", origin_of("owner")))
    other = mind.memory.remember(NewEntry("The shed is blue.", origin_of("owner")))
    time.advance(timedelta(days=1))
    new = mind.memory.remember(NewEntry("I live in York.", origin_of("owner")))
    close = partial(mind.memory.supersede, old.entry, new.entry)
    archive = partial(archive_days, mind.memory, ["memory/2026-03-19.md"], remove=True, chronicled=True)
    for step in (close, archive) if first == "closed" else (archive, close):
        step()
    text = (folder / "Archive/Chronicles/2026-March.md").read_text()
    now = ", now: I live in York." if first == "closed" else ""
    assert f"I live in Leeds. (until 2026-03-20{now}) (entry:{old.entry})" in text
    assert f"The shed is blue. (entry:{other.entry})" in text


def test_forgetting_reaches_archive_copy_and_chronicle(mind: Mind, time: FrozenTime, folder: Path) -> None:
    from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
    from everself.memory.forgetting.proof import Target

    _live(mind, time, 2)
    time.advance(timedelta(days=60))
    archive_days(mind.memory, ["memory/2026-03-19.md"], remove=True, chronicled=True)
    archive_days(mind.memory, ["memory/2026-03-20.md"], remove=False)
    for path in ("memory/2026-03-20.md", QUARTER):
        doomed = next(one for one in mind.catalog.all() if one.path == path)
        resources = ForgettingResources(mind.bench.workspace, mind.bench.state, mind.bench.storage)
        forgetting = Forgetting(mind.catalog, resources, time.clock())
        assert forgetting.carry_out(forgetting.plan(Target(ids=(doomed.id,)))).gone
        every = "".join(one.read_text() for one in folder.rglob("*.md"))
        assert doomed.text not in every
        assert f"entry:{doomed.id}" not in (folder / "Archive/Chronicles/2026-March.md").read_text()
    assert len(mind.catalog.all()) == 2
