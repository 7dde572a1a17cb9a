"""What other processes left or hold: locks, unfinished changes in the journal, temporary files."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from everself.app.doctor.case import Case
from everself.app.doctor.words import command, counted, listed, shown
from everself.disk.filesystem import READ_LIMIT, TEMPORARY_PREFIX
from everself.disk.journal import FOLDER, Intent, parse_intent
from everself.disk.lock import FileLock
from everself.errors import Damaged
from everself.values import CROCKFORD, FileStat, Finding

# as everself.workspace.assembly and .history have them, which are too heavy to load for a word each
WRITE_LOCK = "write.lock"
HISTORY_LOCK = "history.lock"
HISTORY = "history.git"
_FIX = "everself doctor --fix"
_ID = 12


@dataclass(frozen=True, slots=True)
class Journalled:
    """What the journal holds, read and not touched. The names are those of files in it."""

    unfinished: tuple[Intent, ...]
    waiting: tuple[str, ...]
    torn: tuple[str, ...]
    torn_done: tuple[str, ...]


def write_lock(case: Case) -> FileLock:
    return FileLock(f"{case.agent.state}/{WRITE_LOCK}")


def history_lock(case: Case) -> FileLock:
    return FileLock(f"{case.agent.state}/{HISTORY_LOCK}")


def read_journal(case: Case) -> Journalled:
    unfinished: list[Intent] = []
    names: dict[str, list[str]] = {"waiting": [], "torn": [], "torn_done": []}
    for one in case.state_files.list(FOLDER) if case.has_state and case.state_files.stat(FOLDER) else ():
        name = one.path.rpartition("/")[2]
        done = name.endswith(".done")
        if one.kind != "file" or not name[:8].isdigit() or not name.endswith((".intent", ".abort", ".done")):
            continue
        try:
            intent = parse_intent(case.state_files.read(one.path, 0, one.size + 1))
        except FileNotFoundError:
            continue
        except (Damaged, ValueError, KeyError, TypeError):
            names["torn_done" if done else "torn"].append(name)
            continue
        if done:
            names["waiting"].append(name)
        else:
            unfinished.append(intent)
    return Journalled(tuple(unfinished), *(tuple(found) for found in names.values()))


def check_locks(case: Case) -> Iterator[Finding]:
    for lock, what in (
        (write_lock(case), "the workspace"),
        (history_lock(case), "the history"),
        (FileLock(f"{case.places.home}/.everself.lock"), "the settings"),
    ):
        if not lock.is_held():
            continue
        owner = lock.owner()
        if owner is None or not owner.alive:
            words = f"A process is writing {what} right now."
            yield Finding("note", "lock-held", words, "Wait a moment, then: everself doctor", lock.path)
            continue
        who = f"Process {owner.pid} ({shown(owner.command)}) holds {what} since {shown(owner.since)}"
        if owner.stopped:
            mend = f"Resume it (fg) or end it: kill -9 {owner.pid}; what it had begun is completed afterwards."
            yield Finding(
                "warning", "lock-stopped", f"{who}, but it is stopped: nobody else can write.", mend, lock.path
            )
        else:
            yield Finding("note", "lock-held", f"{who}.", "Wait until it is done, or end it.", lock.path)


def check_journal(case: Case) -> Iterator[Finding]:
    if not case.has_state:
        return
    found = read_journal(case)
    folder = f"{case.agent.state}/{FOLDER}"
    if not write_lock(case).is_held():
        if found.unfinished:
            paths = {step.path for intent in found.unfinished for step in intent.steps}
            owner = write_lock(case).owner()
            dead = (
                ""
                if owner is None or owner.alive
                else f" Process {owner.pid} ({shown(owner.command)}) died while writing."
            )
            words = f"{counted(len(found.unfinished), 'change')} to {listed(paths)} {_were(found.unfinished)} interrupted half way.{dead}"
            yield Finding(
                "warning",
                "changes-interrupted",
                words,
                f"{_FIX} completes it, and so does any change.",
                folder,
                fixable=True,
            )
        if found.torn:
            words = f"{counted(len(found.torn), 'change')} {_were(found.torn)} cut off before the first byte was written; your files are not affected."
            yield Finding("note", "intent-torn", words, _FIX, folder, fixable=True)
    if found.waiting and not history_lock(case).is_held():
        words = f"{counted(len(found.waiting), 'change')} {_were(found.waiting)} made and recorded, but not yet in the history."
        yield Finding("note", "changes-waiting", words, _FIX, folder, fixable=True)
    if found.torn_done:
        words = f"{counted(len(found.torn_done), 'change')} cannot be taken into the history, because the journal is damaged there."
        mend = (
            f"The files are as they should be; {command('rm', *(f'{folder}/{name}' for name in found.torn_done[:3]))}"
        )
        yield Finding("warning", "journal-damaged", words, mend, folder)


def check_temporaries(case: Case) -> Iterator[Finding]:
    # while somebody writes, what lies there is in use
    left = [] if write_lock(case).is_held() else find_left_over(case)
    safe = [one.path for one in left if is_kept_elsewhere(case, one)]
    if safe:
        words = f"{counted(len(safe), 'temporary file')} {_were(safe)} left behind: {listed(safe)}. The text is kept elsewhere."
        yield Finding("note", "temporary-left", words, _FIX, safe[0], fixable=True)
    for one in left:
        if one.path not in safe:
            whole = f"{case.agent.workspace}/{one.path}"
            words = f"{shown(one.path)} was left behind by a crash and holds text that stands nowhere else."
            mend = f"Look at it and copy what you need ({command('less', whole)}), then: {command('rm', whole)}"
            yield Finding("warning", "temporary-unique", words, mend, one.path)


def find_left_over(case: Case) -> list[FileStat]:
    """Temporary files that no change under way still needs."""
    if not case.listing.temporaries:
        return []
    from everself.workspace.execution import temporary

    found = read_journal(case)
    needed = {temporary(intent, number) for intent in found.unfinished for number in range(len(intent.steps))}
    return [one for one in case.listing.temporaries if one.path not in needed]


def is_kept_elsewhere(case: Case, one: FileStat) -> bool:
    """Whether a file with a name that only Everself gives holds nothing that a document or the history does not hold too."""
    identity, dash, number = one.path.rpartition("/")[2].removeprefix(TEMPORARY_PREFIX).partition("-")
    named = len(identity) == _ID and set(identity) <= set(CROCKFORD) and dash and number.isdigit()
    if not named or one.kind != "file" or one.links > 1 or one.size > READ_LIMIT:
        return False
    data = case.files.read(one.path)
    alike = (
        other for other in case.listing.found if other.kind == "file" and other.links == 1 and other.size == len(data)
    )
    return not data or _is_in_history(case, data) or any(case.files.read(other.path) == data for other in alike)


def _is_in_history(case: Case, data: bytes) -> bool:
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return case.has_state and case.state_files.stat(f"{HISTORY}/objects/{blob[:2]}/{blob[2:]}") is not None


def _were(things: tuple[object, ...] | list[str]) -> str:
    return "was" if len(things) == 1 else "were"
