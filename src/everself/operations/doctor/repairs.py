"""The safe repairs: repeatable, losing no text, granting no rights. Others are left to the person."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from everself.clock import system_now
from everself.errors import EverselfError
from everself.operations.doctor.case import Case
from everself.operations.doctor.index import find_unfinished
from everself.operations.doctor.leftovers import (
    find_blocked_locks,
    find_left_over,
    find_strange,
    history_lock,
    is_kept_elsewhere,
    write_lock,
)
from everself.operations.doctor.privacy import OTHERS, find_exposed
from everself.operations.doctor.words import failed
from everself.search.factory import index_place, unused_place
from everself.storage import damaged_files as aside
from everself.storage import writes
from everself.storage.filesystem import disk_errors
from everself.storage.real_disk import RealFileSystem
from everself.values import Finding

LOCK_TIMEOUT = 5.0


def repair(case: Case, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Run the repairs for the fixable findings, in a fixed order. Yields a finding for each failure."""
    asked = {finding.code for finding in findings if finding.fixable}
    for codes, act in _REPAIRS:
        if asked.isdisjoint(codes) or (act in _NEED_KEY and (case.key is None or not case.usable)):
            continue
        try:
            act(case)
        except (EverselfError, OSError) as error:
            yield failed("fix-failed", error)


def _close_to_others(case: Case) -> None:
    """Remove all permissions of group and others. One failure does not stop the rest."""
    resisted: OSError | None = None
    for one in find_exposed(case):
        files = RealFileSystem(one.folder)
        for path, mode in one.modes.items():
            try:
                files.set_mode(path, mode & ~OTHERS)
            except OSError as error:
                error.filename = f"{one.folder}/{path}"
                resisted = error
    if resisted is not None:
        raise resisted


def _set_aside(case: Case) -> None:
    """Set aside foreign and unreadable files. Nothing is deleted."""
    files, folder = case.state_files, aside.free_folder(case.state_files, "journal", system_now())
    with disk_errors(case.agent.state):
        moved = aside.set_aside(files, find_blocked_locks(case), folder)
        with write_lock(case).hold(LOCK_TIMEOUT), history_lock(case).hold(LOCK_TIMEOUT):
            moved += aside.set_aside(files, find_strange(case), folder)
            if moved:
                aside.leave_note(files, folder, [f"Set aside, because it cannot be used: {', '.join(moved)}."])


def _rebuild_state(case: Case, *, foreign: bool = False) -> None:
    from everself.operations.doctor.rebuild import rebuild_state

    if case.key is not None:
        rebuild_state(case, case.key, LOCK_TIMEOUT, foreign=foreign)


def _finish_changes(case: Case) -> None:
    """Open the agent like any writing command: migrates the database, completes interrupted changes, writes the history."""
    from everself.runtime import Runtime

    with Runtime(case.places, case.loaded, case.agent) as app:
        app.workspace.recover()
        # raises errors that closing the runtime would only log
        app.workspace.close()


def _mend_history(case: Case) -> None:
    from everself.runtime import Runtime

    with Runtime(case.places, case.loaded, case.agent) as app:
        app.workspace.mend_history()


def _remove_temporaries(case: Case) -> None:
    with disk_errors(case.agent.workspace), write_lock(case).hold(LOCK_TIMEOUT):
        left = [one.path for one in find_left_over(case) if is_kept_elsewhere(case, one)]
        writes.discard(case.files, left)


def _tidy_index(case: Case) -> None:
    """Remove leftover index files, which are derived and unused."""
    if find_unfinished(case):
        from everself.search.rebuild import sweep

        sweep(index_place(case.agent), LOCK_TIMEOUT)
    unused = unused_place(case.agent)
    if unused is not None:
        with disk_errors(unused.folder):
            writes.discard(unused.files, [f"{unused.name}{ending}" for ending in ("", "-journal", "-wal", "-shm")])


# another agent's database: nothing is copied from it
_replace_state = partial(_rebuild_state, foreign=True)
# without its key a new key would be made, and the ledger could never be verified again
_NEED_KEY = (_rebuild_state, _replace_state, _finish_changes, _mend_history)
_HALF_DONE = "changes-interrupted changes-waiting intent-torn database-log database-older database-unmerged"
_REPAIRS: tuple[tuple[frozenset[str], Callable[[Case], None]], ...] = (
    (frozenset({"open-to-others", "secrets-readable"}), _close_to_others),
    (frozenset({"lock-blocked", "journal-damaged", "journal-strange", "journal-no-folder"}), _set_aside),
    (frozenset({"database-missing", "database-broken", "database-damaged"}), _rebuild_state),
    (frozenset({"database-foreign"}), _replace_state),
    (frozenset(_HALF_DONE.split()), _finish_changes),
    (frozenset({"history-damaged", "history-missing", "history-foreign"}), _mend_history),
    (frozenset({"temporary-left"}), _remove_temporaries),
    (frozenset({"index-left", "index-unused"}), _tidy_index),
)
