"""Rebuilds a damaged or missing state database from its readable rows and from the history.

The old database is set aside with a note of what is lost. No document changes.
"""

from collections.abc import Iterator
from contextlib import suppress

from everself.clock import system_now
from everself.errors import HistoryDamaged
from everself.operations.doctor.case import Case
from everself.operations.doctor.leftovers import history_lock, write_lock
from everself.operations.doctor.words import counted
from everself.storage import damaged_files as aside
from everself.storage import writes
from everself.storage.filesystem import disk_errors
from everself.storage.history.commits import FOLDER, CommitNote, History
from everself.storage.history.repair import change_of
from everself.storage.state.database import State, open_state
from everself.storage.state.rebuild import Salvaged, take_over
from everself.values import Author, ChangeRecord, FileChange, digest
from everself.workspace.state_factory import STATE_FILE

_NEW = "state-new.db"
_ENDINGS = ("", "-wal", "-shm", "-journal")
# the tables that people would miss, in their words
_TOLD = {
    "messages": "messages of conversations",
    "vouchers": "vouchers for entries",
    "tombstones": "tombstones of what was forgotten",
    "proposals": "proposals",
    "reviews": "things to review",
    "jobs": "jobs",
    "ledger": "the ledger of changes",
}


def rebuild_state(case: Case, key: bytes, timeout: float, *, foreign: bool = False) -> None:
    """From a `foreign` database nothing is copied.

    Safe to repeat after a crash: the old database stays in place until the last step.
    """
    files, folder = case.state_files, aside.free_folder(case.state_files, "state", system_now())
    with disk_errors(case.agent.state), write_lock(case).hold(timeout), history_lock(case).hold(timeout):
        writes.discard(files, [f"{_NEW}{ending}" for ending in _ENDINGS])
        with open_state(f"{case.agent.state}/{_NEW}", key) as state:
            salvaged = Salvaged({}, tuple(_TOLD)) if foreign else take_over(case.database, state, key)
            told = _record_history(case, state)
            total = state.ledger_head().seq
        # SQLite would apply a leftover log to the new database
        aside.set_aside(files, [f"{STATE_FILE}{ending}" for ending in _ENDINGS[1:]], folder)
        if files.stat(STATE_FILE) is not None and files.exchange(_NEW, STATE_FILE):
            # exchanged: the old database now has the new name
            kept = f"{folder}/{STATE_FILE}"
            writes.make_directories(files, kept)
            files.rename(_NEW, kept)
        else:
            aside.set_aside(files, [STATE_FILE], folder)
            files.rename(_NEW, STATE_FILE)
        files.sync_directory("")
        aside.leave_note(files, folder, _lines(salvaged, total, told))


def _record_history(case: Case, state: State) -> int:
    """Record the changes that only the history contains; returns their number."""
    history = History(case.state_files, f"{case.agent.state}/{FOLDER}")
    chain: list[tuple[str, CommitNote]] = []
    # a damaged history is read as far back as possible
    with suppress(HistoryDamaged):
        chain += history.newest()
    commits: dict[str, str | None] = {}
    recorded = 0
    for commit, note in reversed(chain):
        identity = change_of(note.message)
        if not identity:
            continue
        commits[identity] = commit
        with suppress(HistoryDamaged):
            if not state.has_change(identity):
                files = history.files_of(commit)
                recorded += state.record_change(_record(identity, note, files), [_hashes(file) for file in files])
    state.set_commits(commits)
    return recorded


def _record(identity: str, note: CommitNote, files: tuple[FileChange, ...]) -> ChangeRecord:
    reason, _, rest = note.message.partition("\n")
    lines = [line.partition(": ") for line in rest.splitlines()]
    authors = {author.value: author for author in Author}
    return ChangeRecord(
        identity,
        note.at,
        authors.get(note.author, Author.HAND),
        reason,
        tuple(file.path for file in files),
        tuple(value for name, _, value in lines if name == "Evidence"),
        next((value for name, _, value in lines if name == "Undoes"), ""),
    )


def _hashes(file: FileChange) -> tuple[str, str | None, str | None]:
    before, after = (None if data is None else digest(data) for data in (file.before, file.after))
    return file.path, before, after


def _lines(salvaged: Salvaged, total: int, told: int) -> Iterator[str]:
    yield "The state database was damaged or missing and has been rebuilt. Your documents are not affected."
    yield f"The log holds {counted(total, 'change')}, {told:,} of them from the history."
    kept = [f"{count:,} {_TOLD[name]}" for name, count in salvaged.rows.items() if count and name in _TOLD]
    if kept:
        yield f"Kept: {', '.join(kept)}."
    if salvaged.partly:
        names = [_TOLD[name] for name in salvaged.partly if name in _TOLD]
        yield f"Gone in whole or in part: {', '.join(sorted(names)) or 'statistics and notes of the runtime'}."
        yield "Entries that are no longer vouched for count as added outside Everself: everself memory vouch."
    yield "If the agent says that its identity was changed outside, look at it and take it over: everself soul verify."
