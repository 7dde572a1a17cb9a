"""R5: eight processes append while others change documents; and a person saves from an editor beside two writers and an undo."""

import os
from dataclasses import dataclass
from random import Random

from tests.operations.changes import Changes
from tests.trust.operations import contents
from tests.trust.rows.r02 import check
from tests.trust.workers import LOGS, PATIENCE, Nursery, Report, entry_of, reported

from everself.clock import monotonic, pause
from everself.testing.workspaces import Bench, real_workspace

WRITERS = 8
# the scene with the person: few documents, so that they meet
SHARED = LOGS[:2]
# seconds at most between two entries of a writer: without them the history lags, and undo waits for it
CALM = 0.1


def run_writers(count: int, seed: int) -> tuple[int, float]:
    """Eight writers with maintenance beside them. How many other changes there were, and how long it took."""
    with Nursery("tests.trust.workers", "dulwich.repo", patience=PATIENCE + 2 * count) as nursery:
        top = f"{nursery.folder}/top"
        os.mkdir(top)
        started = monotonic()
        helper = nursery.start(
            "tests.trust.workers:maintain", top=top, name=f"m{seed}", report=f"{top}/moves", stop=f"{top}/stop"
        )
        writers = [
            nursery.start("tests.trust.workers:write", top=top, name=name, report=f"{top}/{name}", count=count)
            for name in _names(seed)
        ]
        for pid in writers:
            nursery.finish(pid)
        _leave(f"{top}/stop")
        nursery.finish(helper)
        acknowledged = [line.split()[0] for name in _names(seed) for line in reported(f"{top}/{name}")]
        assert len(set(acknowledged)) == WRITERS * count, f"{len(acknowledged)} acknowledged"
        check(top, set(acknowledged))
        return len(reported(f"{top}/moves")), monotonic() - started


def _names(seed: int) -> list[str]:
    return [f"w{number}.{seed}" for number in range(WRITERS)]


def _leave(path: str) -> None:
    with open(path, "wb"):
        pass


def take_back_some(top: str, seed: int, report: str, stop: str) -> None:
    """In a child: undo appends of others, one after the other."""
    said = Report(report)
    random = Random(f"undo {seed}")
    tried: set[str] = set()
    with real_workspace(top) as bench:
        changes = Changes(bench.workspace)
        while not os.path.exists(stop):
            pause(random.uniform(0.0, 0.02))
            found = [one.id for one in changes.log(40) if one.reason == "append" and one.id not in tried]
            if found:
                identity = random.choice(found)
                tried.add(identity)
                if changes.undo(identity).applied is not None:
                    said.say(identity)


def edit_like_a_person(top: str, seed: int, report: str, stop: str) -> None:
    """In a child: an editor that looks whether the file on the disk is still the one it loaded before it saves.

    It saves by rename and in place in turn. When the file it wrote in place turns out not to be the document any more, it says so to its
    person, who adds the line again.
    """
    said = Report(report)
    random = Random(f"editor {seed}")
    number = again = 0
    while not os.path.exists(stop):
        pause(random.uniform(0.0, 0.1))
        path = f"{top}/workspace/{random.choice(SHARED)}"
        line = f"- a line by hand, number {number}\n".encode()
        number += 1
        saved = False
        while not saved:
            saved = _edit_once(path, line, random, by_rename=number % 2 == 0)
            again += not saved
        said.say(line.decode().strip())
    said.say(f"again {again}")


def _edit_once(path: str, line: bytes, random: Random, *, by_rename: bool) -> bool:
    """Load, think, look again, save. False when somebody else was faster."""
    try:
        loaded = os.stat(path)
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        pause(0.002)
        return False
    title, newline, rest = data.partition(b"\n")
    text = title + newline + line + rest if random.random() < 0.5 else data + line
    pause(random.uniform(0.0, 0.01))
    spare = f"{os.path.dirname(path)}/.spare"
    if by_rename:
        with open(spare, "wb") as file:
            file.write(text)
        os.chmod(spare, 0o600)
    if _differs(loaded, path):
        return False
    if by_rename:
        os.replace(spare, path)
        return True
    return _overwrite(path, text)


def _overwrite(path: str, text: bytes) -> bool:
    with open(path, "r+b", buffering=0) as file:
        file.write(text)
        written = os.fstat(file.fileno())
    # the document may have been exchanged between opening and writing
    now = os.stat(path)
    return (now.st_dev, now.st_ino) == (written.st_dev, written.st_ino)


def _differs(loaded: os.stat_result, path: str) -> bool:
    try:
        now = os.stat(path)
    except FileNotFoundError:
        return True
    return (now.st_mtime_ns, now.st_size, now.st_ino) != (loaded.st_mtime_ns, loaded.st_size, loaded.st_ino)


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of the person and the processes at the same documents."""

    lines: int
    appended: int
    undone: int
    # acknowledged, but the person's save came a microsecond later and knew nothing of it: in the history
    only_in_history: int


def run_meeting(count: int, seed: int) -> Meeting:
    """Two processes append, one undoes and a person saves from an editor: nothing is lost."""
    with Nursery("tests.trust.rows.r05", "dulwich.repo", patience=PATIENCE + 2 * count) as nursery:
        top = f"{nursery.folder}/top"
        os.mkdir(top)
        stop = f"{top}/stop"
        beside = [
            nursery.start(f"tests.trust.rows.r05:{name}", top=top, seed=seed, report=f"{top}/{name}", stop=stop)
            for name in ("take_back_some", "edit_like_a_person")
        ]
        names = [f"a.{seed}", f"b.{seed}"]
        writers = [
            nursery.start(
                "tests.trust.workers:write",
                top=top,
                name=name,
                report=f"{top}/{name}",
                count=count,
                logs=SHARED,
                calm=CALM,
            )
            for name in names
        ]
        for pid in writers:
            nursery.finish(pid)
        _leave(stop)
        for pid in beside:
            nursery.finish(pid)
        appended = dict(line.split() for name in names for line in reported(f"{top}/{name}"))
        lines = [line for line in reported(f"{top}/edit_like_a_person") if line.startswith("- ")]
        undone = set(reported(f"{top}/take_back_some"))
        with real_workspace(top) as bench:
            bench.workspace.note_outside()
            return Meeting(len(lines), len(appended), len(undone), check_meeting(bench, lines, appended, undone))


def check_meeting(bench: Bench, lines: list[str], appended: dict[str, str], undone: set[str]) -> int:
    """Everything is where it belongs; how many appended entries stand in the history only."""
    documents = contents(bench.workspace)
    together = b"".join(documents.values())
    lost = [line for line in lines if f"{line}\n".encode() not in together]
    assert not lost, f"{len(lost)} of {len(lines)} lines of the person are lost: {lost[:3]}"
    overwritten = 0
    for name, identity in appended.items():
        times = together.count(entry_of(name))
        assert times <= 1, f"{name} stands there {times} times"
        if times == 0:
            _, files = bench.workspace.record(identity)
            kept = any(entry_of(name) in (file.after or b"") for file in files)
            assert kept, f"{name} (change {identity}) is neither in the documents nor in the history"
            overwritten += identity not in undone
    report = bench.state.verify_ledger()
    assert report.ok, report
    assert bench.state.changes_without_commit() == []
    return overwritten


def run_r5(count: int, seed: int) -> str:
    """Eight times `count` entries, and the meeting with a person."""
    try:
        others, took = run_writers(count, seed)
        meeting = run_meeting(count, seed)
    except AssertionError as error:
        raise AssertionError(f"R5 seed {seed}: {error}") from error
    return (
        f"R5 {WRITERS} × {count} entries, {others} other changes, {WRITERS * count / took:.0f} entries/s, 0 lost; with a person: "
        f"{meeting.lines} lines, {meeting.appended} entries, {meeting.undone} undone, 0 lost, "
        f"{meeting.only_in_history} overwritten by the person and kept in the history, seed {seed}"
    )
