import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from everself.workspace.watch import EVERYTHING, _Batch, watch

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

# Ten times what it should ever take: a test ends with words, not with a hang.
PATIENCE = 300.0


class Watched:
    """A watcher in a thread, with what it said in the order it said it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: queue.Queue[frozenset[str]] = queue.Queue()
        self.errors: queue.Queue[Exception] = queue.Queue()
        self.stop = threading.Event()
        self.react: Callable[[frozenset[str]], None] = lambda _paths: None
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        watch(str(self.root), self._heard, on_error=self.errors.put, stop=self.stop, debounce_ms=100)

    def _heard(self, paths: frozenset[str]) -> None:
        self.said.put(paths)
        self.react(paths)

    def hear(self) -> frozenset[str]:
        return self.said.get(timeout=PATIENCE)

    def hear_all(self, wanted: set[str]) -> set[str]:
        """Everything said until all of `wanted` was."""
        heard: set[str] = set()
        while not wanted <= heard:
            heard |= self.hear()
        return heard


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / ".git").mkdir()
    one = Watched(root)
    one.thread.start()
    yield one
    one.stop.set()
    one.thread.join(PATIENCE)
    assert not one.thread.is_alive()
    assert one.errors.empty()


def test_it_begins_with_everything_and_then_names_what_changes(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    (watched.root / "SOUL.md").write_text("a")
    assert watched.hear() == {"SOUL.md"}
    (watched.root / "SOUL.md").write_text("b")
    assert watched.hear() == {"SOUL.md"}
    (watched.root / "SOUL.md").unlink()
    assert watched.hear() == {"SOUL.md"}


def test_a_burst_is_told_together(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    names = {f"memory/2026-{month:02}-{day:02}.md" for month in range(1, 13) for day in range(1, 29)}
    for name in names:
        (watched.root / name).write_text("a")
    calls = [watched.hear()]
    while not names <= set().union(*calls):
        calls.append(watched.hear())
    # one on an idle machine; a few where writing was held up
    assert len(calls) <= len(names) // 10


def test_an_editor_that_swaps_files_is_seen_as_a_change_of_the_document(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    (watched.root / "4913").write_text("")
    (watched.root / "4913").unlink()
    (watched.root / "MEMORY.md.tmp").write_text("a")
    os.replace(watched.root / "MEMORY.md.tmp", watched.root / "MEMORY.md")
    assert watched.hear() == {"MEMORY.md"}


def test_scratch_files_and_hidden_folders_are_not_mentioned(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    for name in (".everself-1", "memory/.everself-2", ".git/index", "memory/x.md~", ".SOUL.md.swp", "memory/#x#"):
        (watched.root / name).write_text("a")
    (watched.root / "memory" / "x.md").write_text("a")
    assert watched.hear() == {"memory/x.md"}


@pytest.mark.slow
def test_files_in_a_folder_that_is_new_or_renamed_are_named(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    deep = watched.root / "bank" / "entities"
    deep.mkdir(parents=True)
    (deep / "anna.md").write_text("a")
    (deep / ".hidden.md").write_text("a")
    assert watched.hear_all({"bank/entities/anna.md"}) == {"bank/entities/anna.md"}
    (watched.root / "bank").rename(watched.root / "library")
    heard = watched.hear_all({"library/entities/anna.md", "bank"})
    assert not any(".hidden" in path for path in heard)


def test_a_folder_that_is_removed_and_made_again_is_watched_again(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING
    shutil.rmtree(watched.root)
    watched.root.mkdir()
    while watched.hear() != EVERYTHING:
        pass
    (watched.root / "USER.md").write_text("a")
    assert watched.hear() == {"USER.md"}


@pytest.mark.slow
def test_a_folder_that_is_swapped_for_another_is_noticed(watched: Watched, tmp_path: Path) -> None:
    assert watched.hear() == EVERYTHING
    (tmp_path / "other").mkdir()
    watched.root.rename(tmp_path / "old")
    (tmp_path / "other").rename(watched.root)
    assert watched.hear() == EVERYTHING
    (tmp_path / "old" / "SOUL.md").write_text("not ours any more")
    (watched.root / "USER.md").write_text("a")
    assert watched.hear() == {"USER.md"}


@pytest.mark.slow
def test_a_folder_that_does_not_exist_yet_is_waited_for(tmp_path: Path) -> None:
    one = Watched(tmp_path / "later")
    one.thread.start()
    with pytest.raises(queue.Empty):
        one.said.get(timeout=0.1)
    one.root.mkdir()
    assert one.hear() == EVERYTHING
    one.stop.set()
    one.thread.join(PATIENCE)
    assert not one.thread.is_alive()


def test_an_error_in_the_reaction_is_reported_and_watching_goes_on(watched: Watched) -> None:
    assert watched.hear() == EVERYTHING

    def fail(paths: frozenset[str]) -> None:
        raise LookupError(*paths)

    watched.react = fail
    (watched.root / "SOUL.md").write_text("a")
    error = watched.errors.get(timeout=PATIENCE)
    assert isinstance(error, LookupError)
    assert error.args == ("SOUL.md",)
    watched.react = lambda _paths: None
    (watched.root / "USER.md").write_text("a")
    assert "USER.md" in watched.hear_all({"USER.md"})
    while not watched.errors.empty():
        assert isinstance(watched.errors.get(), LookupError)


@pytest.mark.slow
def test_where_the_system_will_not_watch_it_polls(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched.hear() == EVERYTHING
    real = watchfiles.watch
    modes: list[bool | None] = []

    def limited(
        *paths: str, force_polling: bool | None, **options: Any
    ) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        modes.append(force_polling)
        if not force_polling:
            raise OSError("OS file watch limit reached")
        yield from real(*paths, force_polling=True, poll_delay_ms=30, **options)

    monkeypatch.setattr(watchfiles, "watch", limited)
    shutil.rmtree(watched.root)
    watched.root.mkdir()
    assert "limit" in str(watched.errors.get(timeout=PATIENCE))
    while watched.hear() != EVERYTHING:
        pass
    (watched.root / "USER.md").write_text("a")
    assert watched.hear() == {"USER.md"}
    assert modes == [None, True]


@pytest.mark.slow
def test_a_root_that_is_no_folder_is_reported_once_and_recovered_from(tmp_path: Path) -> None:
    one = Watched(tmp_path / "root")
    one.root.write_text("a file")
    one.thread.start()
    assert isinstance(one.errors.get(timeout=PATIENCE), NotADirectoryError)
    one.root.unlink()
    one.root.mkdir()
    assert one.hear() == EVERYTHING
    assert one.errors.empty()
    one.stop.set()
    one.thread.join(PATIENCE)
    assert not one.thread.is_alive()


@pytest.mark.slow
def test_a_root_reached_through_a_link_is_watched(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    one = Watched(tmp_path / "link")
    one.thread.start()
    assert one.hear() == EVERYTHING
    (tmp_path / "real" / "SOUL.md").write_text("a")
    assert one.hear() == {"SOUL.md"}
    one.stop.set()
    one.thread.join(PATIENCE)


def test_changes_wait_for_calm() -> None:
    batch = _Batch(quiet=1.0)
    batch.add({"a"}, now=10.0)
    assert batch.take_due(10.9) == frozenset()
    batch.add({"b"}, now=10.9)
    assert batch.take_due(11.5) == frozenset()
    batch.add((), now=11.8)
    assert batch.take_due(11.9) == {"a", "b"}
    assert batch.take_due(99.0) == frozenset()


def test_changes_that_never_calm_down_are_told_all_the_same() -> None:
    batch = _Batch(quiet=1.0)
    told = []
    for tenth in range(0, 200, 5):
        batch.add({"log"}, now=tenth / 10)
        if batch.take_due(tenth / 10):
            told.append(tenth / 10)
    assert len(told) == 3
    assert told[0] == 6.0


def test_the_library_is_loaded_only_when_watching_starts() -> None:
    code = "import sys, everself.workspace.watch; sys.exit('watchfiles' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ).returncode == 0


def test_without_the_library_changes_are_seen_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    (tmp_path / "memory").mkdir()
    (tmp_path / "SOUL.md").write_text("a")
    one = Watched(tmp_path)
    one.thread.start()
    assert one.hear() == EVERYTHING
    (tmp_path / "memory" / "2026-11-02.md").write_text("a")
    (tmp_path / ".hidden").write_text("a")
    assert one.hear() == {"memory/2026-11-02.md"}
    (tmp_path / "SOUL.md").unlink()
    assert one.hear() == {"SOUL.md"}
    one.stop.set()
    one.thread.join(PATIENCE)
    assert one.errors.empty()
