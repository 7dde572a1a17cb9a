"""Checks the state database and the history: readable, unbroken, and consistent with each other."""

import os
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

from everself.errors import Damaged
from everself.operations.doctor.case import Case
from everself.operations.doctor.leftovers import history_lock
from everself.operations.doctor.state_reading import REBUILD, RESTORE
from everself.operations.doctor.words import FIX, bad, command, counted, megabytes, note, shown, warning
from everself.storage import damaged_files as aside
from everself.storage.history.commits import FOLDER
from everself.storage.history.repair import MendableHistory
from everself.storage.state.database import State
from everself.storage.state.ledger import LedgerHead, next_row
from everself.values import Finding
from everself.workspace.repair import agrees

# longer ledgers are checked only at the end, so that the command stays fast
WHOLE_LEDGER = 5_000
NEWEST_ROWS = 1_000
CHECKED_BYTES = 8_000_000
LARGE_LOG = 64_000_000
MANY_OBJECTS = 20_000
SKEW = timedelta(minutes=5)
NEWEST_COMMITS = 200
_MENDS_HISTORY = f"{FIX} keeps what can be read and names what is gone. {RESTORE}"
_TAIL = "SELECT seq, change_id, at, author, files, previous, mac FROM ledger ORDER BY seq DESC LIMIT ?"


def check_database(case: Case) -> Iterator[Finding]:
    if isinstance(case.peeked, Finding):
        yield case.peeked
    if case.state is None:
        return
    if os.path.getsize(case.database) <= CHECKED_BYTES:
        for problem in _page_problems(case.state):
            if problem != "ok":
                words = f"The state database is damaged: {problem}."
                yield bad("database-damaged", words, f"{REBUILD} {RESTORE}", case.database, fixable=True)
    log = f"{case.database}-wal"
    if os.path.exists(log) and (size := os.path.getsize(log)) > LARGE_LOG:
        words = (
            f"The log beside the state database has grown to {megabytes(size)}; a process keeps it from being merged."
        )
        mend = "Close other Everself processes, then: everself doctor --fix"
        yield warning("database-log", words, mend, case.database, fixable=True)
    for newest in case.state.list_changes(1):
        if newest.at > case.now + SKEW:
            words = (
                f"The newest change is dated {newest.at:%Y-%m-%d %H:%M}, which is yet to come: a clock is or was wrong."
            )
            yield warning("clock-skew", words, "Check this machine's clock: date", case.database)


def _page_problems(state: State) -> list[str]:
    try:
        return [str(row[0]) for row in state.engine.read("PRAGMA quick_check(3)")]
    except Damaged as error:
        return [error.detail]


def check_ledger(case: Case) -> Iterator[Finding]:
    if case.state is None or case.key is None:
        return
    if case.state.ledger_head().seq <= WHOLE_LEDGER:
        report = case.state.verify_ledger()
        where = f" (row {report.first_bad_seq})" if report.first_bad_seq is not None else ""
        problem = "" if report.ok else f"{report.reason}{where}"
    else:
        problem = _check_tail(case.state, case.key)
    if problem:
        words = f"The ledger of changes does not check out: {problem}. It was altered, or the key is a different one."
        yield bad("ledger-broken", words, f"Compare with a backup; {RESTORE}", case.database)


def _check_tail(state: State, key: bytes) -> str:
    for before, row in pairwise(state.engine.read(_TAIL, (NEWEST_ROWS + 1,))[::-1]):
        seq, change_id, at, author, files, previous, mac = row
        made = next_row(key, LedgerHead(before[0], before[-1]), change_id, (at, author), files)
        if (made.seq, made.previous, made.mac) != (seq, previous, mac):
            return f"a row was altered or is missing (row {seq})"
    return ""


def check_history(case: Case) -> Iterator[Finding]:
    if not case.has_state or not case.config.history or history_lock(case).is_held():
        return
    folder, files = f"{case.agent.state}/{FOLDER}", case.state_files
    # estimate of the total, as git makes it: objects spread evenly over 256 folders
    sample = files.stat(f"{FOLDER}/objects/17")
    loose = 256 * len(files.list(sample.path)) if sample is not None and sample.kind == "directory" else 0
    if loose > MANY_OBJECTS:
        words = f"The history has about {loose:,} loose objects; packed they are smaller and quicker to copy."
        yield note("history-loose", words, command("git", f"--git-dir={folder}", "gc"), folder)
    known = case.state.commits() if case.state is not None else {}
    history = MendableHistory(files, folder)
    try:
        # above the limit, only the newest commits are checked
        found = history.examine(known if loose <= MANY_OBJECTS else dict(list(known.items())[-NEWEST_COMMITS:]))
    finally:
        history.close()
    if found.foreign and case.usable and agrees(case.files, history):
        words = "The state database is another agent's: it knows none of the changes in the history."
        yield bad("database-foreign", words, f"{REBUILD} {RESTORE}", case.database, fixable=True)
    elif found.foreign:
        words = "The history is another agent's: it holds none of this agent's changes."
        yield bad("history-foreign", words, f"{FIX} sets it aside and begins a new one.", folder, fixable=True)
    elif found.branch:
        words = "The history has lost its newest commit: what the ledger recorded cannot all be shown or undone."
        yield bad("history-missing", words, _MENDS_HISTORY, folder, fixable=True)
    elif found.found:
        many = counted(len(found.unreadable), "unreadable file") if found.unreadable else ""
        lack = counted(len(found.missing), "missing object") if found.missing else ""
        words = f"The history is damaged ({', '.join(filter(None, (many, lack)))}); your documents are not affected."
        yield bad("history-damaged", words, _MENDS_HISTORY, folder, fixable=True)


def check_set_aside(case: Case) -> Iterator[Finding]:
    """Files that were damaged and set aside by a repair. A person should know what is lost, and may delete them."""
    if not case.has_state or (top := case.state_files.stat(aside.FOLDER)) is None or top.kind != "directory":
        return
    for one in case.state_files.list(aside.FOLDER):
        said = case.state_files.stat(f"{one.path}/{aside.NOTE}")
        text = case.state_files.read(said.path) if said is not None and said.kind == "file" else b""
        lines = text.decode("utf-8", "replace").splitlines() or ["Damaged files of the agent's state were set aside."]
        words = shown(" ".join(line for line in lines if not line.startswith("change ")))
        whole = f"{case.agent.state}/{one.path}"
        yield note("damage-set-aside", words, f"When you need it no more: {command('rm', '-r', whole)}", whole)
