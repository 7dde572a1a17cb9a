"""The state database and the history: whether what was recorded can still be read, follows upon itself, and agrees."""

import os
from collections.abc import Iterator
from datetime import timedelta

from everself.app.doctor.case import Case
from everself.app.doctor.traces import read_journal
from everself.app.doctor.words import command, counted, megabytes
from everself.disk.filesystem import parent_of
from everself.store.ledger import LedgerHead, next_row
from everself.store.state import State
from everself.values import Finding
from everself.workspace.history import FOLDER, History

# Checked whole up to here; beyond, only the newest rows, so that the command stays quick.
WHOLE_LEDGER = 5_000
NEWEST_ROWS = 1_000
CHECKED_BYTES = 8_000_000
LARGE_LOG = 64_000_000
MANY_OBJECTS = 20_000
SKEW = timedelta(minutes=5)
_TAIL = "SELECT seq, change_id, at, author, files, previous, mac FROM ledger ORDER BY seq DESC LIMIT ?"
_RESTORE = "everself restore brings back a backup."


def check_database(case: Case) -> Iterator[Finding]:
    if isinstance(case.peeked, Finding):
        yield case.peeked
    if case.state is None:
        return
    if os.path.getsize(case.database) <= CHECKED_BYTES:
        for (problem,) in case.state.engine.read("PRAGMA quick_check(3)"):
            if problem != "ok":
                yield Finding(
                    "error", "database-damaged", f"The state database is damaged: {problem}.", _RESTORE, case.database
                )
    log = f"{case.database}-wal"
    if os.path.exists(log) and os.path.getsize(log) > LARGE_LOG:
        words = f"The log beside the state database has grown to {megabytes(os.path.getsize(log))}; a process keeps it from being merged."
        mend = "Close other Everself processes, then: everself doctor --fix"
        yield Finding("warning", "database-log", words, mend, case.database, fixable=True)
    newest = next(iter(case.state.list_changes(1)), None)
    if newest is not None and newest.at > case.now + SKEW:
        words = (
            f"The newest change is dated {newest.at:%Y-%m-%d %H:%M}, which is still to come: a clock is or was wrong."
        )
        yield Finding("warning", "clock-skew", words, "Check this machine's clock: date", case.database)


def check_ledger(case: Case) -> Iterator[Finding]:
    if case.state is None or case.key is None:
        return
    if case.state.ledger_head().seq <= WHOLE_LEDGER:
        report = case.state.verify_ledger()
        where = f" at row {report.first_bad_seq}" if report.first_bad_seq is not None else ""
        problem = "" if report.ok else f"{report.reason}{where}"
    else:
        problem = _check_tail(case.state, case.key)
    if problem:
        words = f"The ledger of changes does not check out: {problem}. Somebody altered it, or the key is another one."
        yield Finding("error", "ledger-broken", words, f"Compare with a backup; {_RESTORE}", case.database)


def _check_tail(state: State, key: bytes) -> str:
    rows = state.engine.read(_TAIL, (NEWEST_ROWS + 1,))[::-1]
    for before, row in zip(rows, rows[1:], strict=False):
        seq, change_id, at, author, files, previous, mac = row
        made = next_row(key, LedgerHead(before[0], before[-1]), change_id, (at, author), files)
        if (made.seq, made.previous, made.mac) != (seq, previous, mac):
            return f"a row was altered or is missing at row {seq}"
    return ""


def check_history(case: Case) -> Iterator[Finding]:
    if case.state is None or not case.config.history:
        return
    folder = f"{case.agent.state}/{FOLDER}"
    head = History(case.state_files).head()
    recorded = any(case.state.commit_of(record.id) for record in case.state.list_changes(5))
    if recorded and (head is None or not _has_object(case, head)):
        words = "The history of changes is gone or lacks its newest commit: earlier changes cannot be shown or undone."
        yield Finding("error", "history-missing", words, f"Your files are not affected. {_RESTORE}", folder)
    waiting = len(read_journal(case).waiting)
    lost = len(case.state.changes_without_commit()) - waiting
    if lost > 0:
        words = f"{counted(lost, 'recorded change')} {'is' if lost == 1 else 'are'} in no commit of the history and cannot be undone."
        yield Finding(
            "note", "history-incomplete", words, "Nothing needs to be done; the files hold what was changed.", folder
        )
    loose = _loose_objects(case)
    if loose > MANY_OBJECTS:
        words = f"The history has about {loose:,} loose objects."
        yield Finding("note", "history-loose", words, command("git", f"--git-dir={folder}", "gc"), folder)


def _has_object(case: Case, commit: str) -> bool:
    path = f"{FOLDER}/objects/{commit[:2]}/{commit[2:]}"
    if case.state_files.stat(path) is not None:
        return True
    packs = f"{FOLDER}/objects/pack"
    return case.state_files.stat(packs) is not None and any(
        one.path.endswith(".pack") for one in case.state_files.list(packs)
    )


def _loose_objects(case: Case) -> int:
    """As git does: objects spread evenly over 256 folders, so one of them tells."""
    sample = f"{FOLDER}/objects/17"
    found = case.state_files.stat(sample)
    if found is None or found.kind != "directory" or case.state_files.stat(parent_of(sample)) is None:
        return 0
    return 256 * len(case.state_files.list(sample))
