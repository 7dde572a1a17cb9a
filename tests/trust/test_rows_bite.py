"""The rows are no ornament: break the kernel on purpose, and each break is found."""

from collections.abc import Iterator

import pytest
from tests.trust.rows.r03 import first_disk, run_r3
from tests.trust.rows.r04 import run_r4
from tests.trust.rows.r06 import run_r6

from everself.storage import journal as journals
from everself.storage import writes
from everself.storage.filesystem import FileSystem, Handle
from everself.storage.journal import Filed, Intent, Journal
from everself.storage.simulated_disk import SimulatedFileSystem, SimulatedHandle
from everself.values import Conflict
from everself.workspace import disk_workspace as on_disk
from everself.workspace import execution
from everself.workspace.disk_workspace import DiskWorkspace, Recovery

pytestmark = pytest.mark.trust

# found within far fewer lives than CI runs
LIVES = 400


@pytest.fixture(autouse=True)
def _a_sound_beginning() -> Iterator[None]:
    """The disk that every life begins with is made once: not while the kernel is broken, nor is such a one left for others."""
    first_disk()
    yield
    first_disk.cache_clear()


def test_a_kernel_that_does_not_sync_directories_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedFileSystem, "sync_directory", lambda *_: None)
    with pytest.raises(AssertionError, match="R3 seed"):
        run_r3(LIVES, 1)


def test_a_kernel_that_does_not_sync_files_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedHandle, "sync", lambda _: None)
    with pytest.raises(AssertionError, match="R3 seed"):
        run_r3(LIVES, 1)


def test_a_workspace_that_skips_the_journal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(_: Journal, intent: Intent, *_seen: object) -> Filed:
        return Filed(f"journal/00000001-{intent.id}.intent", intent)

    monkeypatch.setattr(Journal, "begin", begin)
    monkeypatch.setattr(Journal, "finish", lambda _, filed: filed)
    with pytest.raises(AssertionError, match="R3 seed"):
        run_r3(LIVES, 1)


def test_a_kernel_that_ignores_a_short_write_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def write_once(handle: Handle, data: bytes) -> None:
        handle.write(data)

    monkeypatch.setattr(writes, "write_all", write_once)
    with pytest.raises(AssertionError):
        run_r4(("append",), 1)


def test_a_workspace_that_does_not_put_back_after_a_failure_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk, "take_back", lambda *_: None)
    with pytest.raises(AssertionError, match="R4 promote"):
        run_r4(("promote",), 1)


def test_a_workspace_that_does_not_recover_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiskWorkspace, "_recover", lambda _: Recovery())
    with pytest.raises(AssertionError, match="R3 seed"):
        run_r3(LIVES, 1)


def test_a_journal_that_believes_torn_intents_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def believe(data: bytes) -> Intent:
        return trusting(data + b"\0" * 64)

    trusting = journals.parse_intent
    monkeypatch.setattr(journals, "parse_intent", believe)
    with pytest.raises(AssertionError, match="R3 seed"):
        run_r3(LIVES, 1)


def test_a_replacement_that_does_not_look_at_what_it_replaced_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def blunt(files: FileSystem, path: str, data: bytes, base: str, temporary: str) -> None:
        del base
        writes.write_new(files, temporary, data)
        files.rename(temporary, path)
        files.sync_directory("")

    monkeypatch.setattr(writes, "replace", blunt)
    with pytest.raises(AssertionError, match="R6 seed"):
        run_r6(LIVES, 1)


def test_a_second_swap_that_does_not_look_at_what_it_took_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def blunt(files: FileSystem, path: str, ours: str, temporary: str) -> writes.Differs:
        del ours
        old = files.read(temporary)
        files.exchange(temporary, path)
        files.unlink(temporary)
        return writes.Differs(old)

    monkeypatch.setattr(writes, "_swap_back", blunt)
    with pytest.raises(AssertionError, match="R6 seed"):
        run_r6(50, 1)


def test_an_earlier_save_that_is_not_folded_in_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "_fold", lambda files, _, name: writes.discard(files, [name]))
    with pytest.raises(AssertionError, match="R6 seed"):
        run_r6(50, 1)


def test_a_torn_temporary_file_that_is_taken_for_a_persons_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "stage", writes.write_new)
    with pytest.raises(AssertionError, match=r"R4 undo, .* bytes free"):
        run_r4(("undo",), 1, levels=20, calls=False)


def test_a_failure_that_is_told_although_the_change_comes_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk, "unfinished", lambda _, error: error)
    with pytest.raises(AssertionError, match=r"R4 append, ENOSPC at call .* and after"):
        run_r4(("append",), 1)


def test_a_change_that_overrides_a_persons_lines_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "merge", lambda _base, _theirs, ours: ours)
    monkeypatch.setattr(on_disk, "resolve", _deaf(on_disk.resolve))
    with pytest.raises(AssertionError, match="R6 seed"):
        run_r6(LIVES, 1)


def _deaf(resolve):  # type: ignore[no-untyped-def] # wraps whatever resolve is
    """Plans from what it saw first, as a job does that holds a snapshot across a slow step."""
    seen: dict[int, object] = {}

    def remembered(change, read):  # type: ignore[no-untyped-def] # as above
        found = resolve(change, read)
        if not isinstance(found, Conflict):
            seen[id(change)] = found
        return seen.get(id(change), found)

    return remembered
