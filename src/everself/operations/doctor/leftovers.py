"""Checks leftovers of other processes: locks, unfinished changes, temporary files."""

import hashlib
from collections.abc import Iterator

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import FIX, bad, command, counted, listed, note, shown, warning
from everself.storage.filesystem import READ_LIMIT, TEMPORARY_PREFIX
from everself.storage.journal import FOLDER, Intent, is_intent, parse_intent
from everself.storage.lock import FileLock, LockOwner
from everself.storage.writes import part
from everself.values import CROCKFORD, FileStat, Finding

# copied from everself.workspace.assembly and .history, which are too slow to import for this
WRITE_LOCK = "write.lock"
HISTORY_LOCK = "history.lock"
HISTORY = "history.git"
_ID = 12


class Journalled(Frozen):
    """The contents of the journal; `torn` are names of incomplete files."""

    unfinished: tuple[Intent, ...]
    waiting: int
    torn: tuple[str, ...]
    # names that no change has
    strange: tuple[str, ...] = ()


def write_lock(case: Case) -> FileLock:
    return FileLock(f"{case.agent.state}/{WRITE_LOCK}")


def history_lock(case: Case) -> FileLock:
    return FileLock(f"{case.agent.state}/{HISTORY_LOCK}")


def read_journal(case: Case) -> Journalled:
    unfinished: list[Intent] = []
    torn: list[str] = []
    strange: list[str] = []
    waiting = 0
    folder = case.state_files.stat(FOLDER) if case.has_state else None
    for one in case.state_files.list(FOLDER) if folder is not None and folder.kind == "directory" else ():
        name = one.path.rpartition("/")[2]
        if one.kind != "file" or one.links > 1 or not is_intent(name):
            strange.append(name)
            continue
        try:
            intent = parse_intent(case.state_files.read(one.path, 0, one.size + 1))
        except FileNotFoundError:
            continue
        except (Damaged, ValueError, KeyError, TypeError):
            torn.append(name)
            continue
        if name.endswith(".done"):
            waiting += 1
        else:
            unfinished.append(intent)
    return Journalled(tuple(unfinished), waiting, tuple(torn), tuple(strange))


def check_locks(case: Case) -> Iterator[Finding]:
    for name in find_blocked_locks(case):
        whole = f"{case.agent.state}/{name}"
        words = f"{shown(whole)} should be a lock file, but it is not a regular file; nothing can be changed."
        yield bad("lock-blocked", words, f"{FIX} sets it aside.", whole, fixable=True)
    settings_lock = FileLock(f"{case.places.home}/.everself.lock")
    for lock, what in (
        (write_lock(case), "the workspace"),
        (history_lock(case), "the history"),
        (settings_lock, "the settings"),
    ):
        owner = lock.owner()
        if not lock.is_held():
            continue
        if owner is None or not owner.alive:
            words = f"A process is writing {what} right now."
            yield note("lock-held", words, "Wait a moment, then: everself doctor", lock.path)
        elif owner.stopped:
            words = f"{_who(owner)} holds {what} since {shown(owner.since)} and is stopped: no other process can write."
            mend = f"Resume it with fg, or end it with kill -9 {owner.pid}; what it had begun is completed then."
            yield warning("lock-stopped", words, mend, lock.path)
        else:
            words = f"{_who(owner)} holds {what} since {shown(owner.since)}."
            yield note("lock-held", words, "Wait until it is done, or end it.", lock.path)


def check_journal(case: Case) -> Iterator[Finding]:
    found, lock = read_journal(case), write_lock(case)
    folder = f"{case.agent.state}/{FOLDER}"
    torn = [name for name in found.torn if not name.endswith(".done")]
    # while another process writes, an open intent is its current change
    if found.unfinished and not lock.is_held():
        paths = {step.path for intent in found.unfinished for step in intent.steps}
        owner = lock.owner()
        died = f" {_who(owner)} died while writing." if owner is not None and not owner.alive else ""
        words = f"Interrupted half way: {counted(len(found.unfinished), 'change')} to {listed(paths)}.{died}"
        yield warning("changes-interrupted", words, f"{FIX} (or any change) completes it.", folder, fixable=True)
    if torn and not lock.is_held():
        words = (
            f"Cut off before the first byte was written: {counted(len(torn), 'change')}. Your files are not affected."
        )
        yield note("intent-torn", words, FIX, folder, fixable=True)
    if found.waiting and not history_lock(case).is_held():
        words = f"Made and recorded, but not yet in the history: {counted(found.waiting, 'change')}."
        yield note("changes-waiting", words, FIX, folder, fixable=True)
    for name in sorted(set(found.torn) - set(torn)):
        words = "A recorded change cannot be taken into the history, because its note is damaged; your files are as they were."
        yield warning("journal-damaged", words, f"{FIX} sets it aside.", f"{folder}/{name}", fixable=True)
    if found.strange:
        words = (
            f"In the journal of changes lies what Everself did not put there: {listed(found.strange)}. It is not read."
        )
        yield warning("journal-strange", words, f"{FIX} sets it aside.", folder, fixable=True)
    odd = case.state_files.stat(FOLDER) if case.has_state else None
    if odd is not None and odd.kind != "directory":
        words = f"{shown(folder)} should be the folder of the journal, but it is not a folder; nothing can be changed."
        yield bad("journal-no-folder", words, f"{FIX} sets it aside.", folder, fixable=True)


def find_strange(case: Case) -> list[str]:
    """Unusable files in the journal, or in place of its folder."""
    odd = case.state_files.stat(FOLDER) if case.has_state else None
    if odd is None or odd.kind != "directory":
        return [] if odd is None else [FOLDER]
    found = read_journal(case)
    return [f"{FOLDER}/{name}" for name in (*found.strange, *(one for one in found.torn if one.endswith(".done")))]


def find_blocked_locks(case: Case) -> list[str]:
    """Locks that are not regular files, so nothing can take them."""
    if not case.has_state:
        return []
    stats = [case.state_files.stat(name) for name in (WRITE_LOCK, HISTORY_LOCK)]
    return [one.path for one in stats if one is not None and (one.kind != "file" or one.links > 1)]


def check_temporaries(case: Case) -> Iterator[Finding]:
    # while another process writes, temporary files are in use
    left = [] if write_lock(case).is_held() else find_left_over(case)
    safe = [one.path for one in left if is_kept_elsewhere(case, one)]
    if safe:
        words = f"Left behind by a crash, with text that is kept elsewhere: {listed(safe)}."
        yield note("temporary-left", words, FIX, safe[0], fixable=True)
    for one in left:
        if one.path not in safe:
            whole = f"{case.agent.workspace}/{one.path}"
            words = f"{shown(one.path)} was left behind by a crash and contains text that exists nowhere else."
            mend = f"Look at it and copy what you need ({command('less', whole)}), then: {command('rm', whole)}"
            yield warning("temporary-unique", words, mend, one.path)


def find_left_over(case: Case) -> list[FileStat]:
    """Temporary files that no current change needs."""
    if not case.listing.temporaries:
        return []
    from everself.workspace.execution import all_names, temporary

    found = read_journal(case)
    needed = {
        name
        for intent in found.unfinished
        for number in range(len(intent.steps))
        for name in all_names(temporary(intent, number))
    }
    return [one for one in case.listing.temporaries if one.path not in needed]


def is_kept_elsewhere(case: Case, one: FileStat) -> bool:
    """Whether a temporary file of Everself's contains nothing that is not also in a document or the history."""
    identity, dash, number = one.path.rpartition("/")[2].removeprefix(TEMPORARY_PREFIX).partition("-")
    number, _, ending = number.partition("-")
    named = len(identity) == _ID and set(identity) <= set(CROCKFORD) and dash and number.isdigit()
    if not named or one.kind != "file" or one.links > 1 or one.size > READ_LIMIT:
        return False
    # a part is an incomplete copy
    if f"-{ending}".endswith(part("")):
        return True
    data = case.files.read(one.path)
    alike = (
        other for other in case.listing.found if other.kind == "file" and other.links == 1 and other.size == len(data)
    )
    return not data or _is_in_history(case, data) or any(case.files.read(other.path) == data for other in alike)


def _is_in_history(case: Case, data: bytes) -> bool:
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return case.has_state and case.state_files.stat(f"{HISTORY}/objects/{blob[:2]}/{blob[2:]}") is not None


def _who(owner: LockOwner) -> str:
    return f"Process {owner.pid} ({shown(owner.command)})"
