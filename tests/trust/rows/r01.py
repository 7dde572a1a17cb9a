"""R1: SIGKILL before every system call of an operation that changes the disk, then recovery; and again inside recovery.

Files, database and history work on one thread here, so that strace, which counts the calls of each thread by itself, counts them all.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from tests.trust.operations import OPERATIONS, contents, random_id, seeded
from tests.trust.workers import PATIENCE, Nursery, Report, is_traced, reported

from everself.clock import monotonic, pause
from everself.disk.filesystem import TEMPORARY_PREFIX
from everself.disk.journal import FOLDER as JOURNAL
from everself.store.worker import Worker
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Applied, Change
from everself.workspace.assembly import Habits
from everself.workspace.history import FOLDER as HISTORY
from everself.workspace.history import History
from everself.workspace.recorder import Recorder

# Every call that can change what a disk holds; opening counts where it creates.
CHANGING = (
    *("write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile"),
    *("fsync", "fdatasync", "sync_file_range", "msync"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "symlink", "symlinkat"),
    *("mkdir", "mkdirat", "rmdir", "ftruncate", "truncate", "fallocate"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "utimensat"),
)
OPENING = ("open", "creat", "openat", "openat2")
MARKING = ("access", "faccessat", "faccessat2")
BEGIN = "/everself-begin"
ACKNOWLEDGED = "acknowledged"
REPORT = "report"

# these three in CI; the full size takes all
FIRST = ("append", "promote", "undo")
NAMES = (*FIRST, *(name for name in OPERATIONS if name not in FIRST))
# how often a child is started again because strace missed its beginning
TRIES = 5
# git looks at every n-th survivor only: it takes longer than all the rest
FSCK_EACH = 10


@dataclass(frozen=True, slots=True)
class Point:
    """The n-th call of a name, with what strace said of it."""

    call: str
    number: int
    line: str

    def __str__(self) -> str:
        return f"{self.call} {self.number}: {self.line}"


@dataclass(frozen=True, slots=True)
class Scene:
    """An operation on a prepared workspace, and what the documents are before and after it."""

    name: str
    seed: int
    prepared: str
    before: dict[str, bytes]
    after: dict[str, bytes]
    changes: int


@dataclass(slots=True)
class Tally:
    points: int = 0
    again: int = 0
    longest: float = 0.0


def perform(name: str, top: str, seed: int) -> None:
    """In a child: do the operation, say so, and commit it to the history."""
    work_on_one_thread()
    said = Report(f"{top}/{REPORT}")
    os.access(BEGIN, os.F_OK)
    with open_bench(top, seed) as bench:
        change = plan(name, bench, seed)
        assert change is not None
        assert isinstance(bench.workspace.apply(change), Applied)
        said.say(ACKNOWLEDGED)


def recover(top: str) -> None:
    """In a child: what the next start does."""
    work_on_one_thread()
    os.access(BEGIN, os.F_OK)
    with open_bench(top, 0) as bench:
        bench.workspace.recover()


def work_on_one_thread() -> None:
    # a Worker that cannot start a thread does the work where it is asked for; the history then waits for `close`
    Worker._start = lambda _: False  # type: ignore[method-assign]
    Recorder.wake = lambda _: None  # type: ignore[method-assign]


def open_bench(top: str, seed: int | str) -> AbstractContextManager[Bench]:
    random = Random(f"ids {seed}")
    return real_workspace(top, Habits(identify=lambda: random_id(random), background=False))


def plan(name: str, bench: Bench, seed: int) -> Change | None:
    return OPERATIONS[name](bench.workspace, Random(f"{name} {seed}"))


def set_the_scene(folder: str, name: str, seed: int) -> Scene:
    """A workspace with a little life, and a seed with which the operation finds something to do there."""
    top = f"{folder}/prepared"
    with open_bench(top, "life") as bench:
        seeded(bench.workspace, Random(f"life {seed}"))
        before, changes = contents(bench.workspace), len(bench.workspace.changes(1000))
    for attempt in range(seed, seed + 100):
        with open_bench(top, attempt) as bench:
            change = plan(name, bench, attempt)
        if change is not None and change.edits:
            break
    else:
        raise AssertionError(f"{name} finds nothing to do")
    copy = shutil.copytree(top, f"{folder}/after")
    with open_bench(copy, attempt) as bench:
        assert isinstance(bench.workspace.apply(change), Applied)
        after = contents(bench.workspace)
    shutil.rmtree(copy)
    return Scene(name, attempt, top, before, after, changes)


class Stage:
    """Where scenes are played: copies of prepared folders, children under strace."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._number = 0

    def fresh(self, source: str) -> str:
        self._number += 1
        return shutil.copytree(source, f"{self._nursery.folder}/take-{self._number}")

    def record(self, source: str, function: str, **arguments: object) -> tuple[str, list[Point]]:
        """Let a child work on a copy: the copy, and every call that changes the disk after the child began."""
        for _ in range(TRIES):
            top = self.fresh(source)
            code, points = self._trace([], function, {"top": top, **arguments})
            assert code == 0, f"{function} ended with {code}:\n{self._nursery.complaints()}"
            if points is not None:
                return top, points
        raise AssertionError("strace attaches too late")

    def kill(self, source: str, points: Sequence[Point], at: int, function: str, **arguments: object) -> str:
        """Let a child work on a copy and kill it before that very call. The copy.

        Up to there it must have done what was recorded; if it did not, the machine was too busy for strace, and it is done again.
        """
        point = points[at]
        inject = ["-e", f"inject={point.call}:signal=SIGKILL:when={point.number}"]
        for _ in range(TRIES):
            top = self.fresh(source)
            code, seen = self._trace(inject, function, {"top": top, **arguments})
            odd = _find_difference(points[: at + 1], seen or [])
            if code == -9 and not odd:
                return top
            shutil.rmtree(top)
        raise AssertionError(f"does not repeat itself ({code}): {odd}\n{self._nursery.complaints()}")

    def _trace(self, inject: list[str], function: str, arguments: dict[str, object]) -> tuple[int, list[Point] | None]:
        output = f"{self._nursery.folder}/trace"
        pid = self._nursery.start(f"tests.trust.rows.r01:{function}", gated=True, **arguments)
        names = ",".join(f"?{name}" for name in (*CHANGING, *OPENING, *MARKING))
        command = ["strace", "-qq", "-s", "200", "-o", output, "-e", f"trace={names}", *inject, "-p", str(pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
            end = monotonic() + PATIENCE
            while not is_traced(pid):
                assert strace.poll() is None, f"strace cannot trace: {strace.communicate()[1]}"
                assert monotonic() < end, "strace does not attach"
                pause(0.0005)
            # it has seized the child, but needs a moment more to see its calls; `_parse` notices when this was too short
            pause(0.002)
            self._nursery.release(pid)
            code = self._nursery.wait(pid)
            strace.communicate(timeout=PATIENCE)
        with open(output, encoding="utf-8", errors="replace") as file:
            return code, _parse(file.read().splitlines())


def _find_difference(recorded: Sequence[Point], seen: Sequence[Point]) -> str:
    for wanted, got in zip_longest(recorded, seen):
        if not wanted or not got or (wanted.call, wanted.number) != (got.call, got.number):
            return f"{wanted} became {got}"
    return ""


def _parse(lines: Sequence[str]) -> list[Point] | None:
    """The changing calls after the mark, numbered as strace numbers them: by name, from where it attached. None without a mark."""
    seen = Counter[str]()
    points = []
    began = False
    for line in lines:
        call, bracket, rest = line.partition("(")
        if not bracket or call.startswith(("+", "-")):
            continue
        seen[call] += 1
        if call in MARKING:
            began = began or BEGIN in rest
        elif began and f'"{ACKNOWLEDGED}' not in rest and (call in CHANGING or "O_CREAT" in rest):
            points.append(Point(call, seen[call], line))
    return points if began else None


def check_survivor(top: str, scene: Scene, *, acknowledged: bool, deep: bool) -> float:
    """Recover, and see that the operation happened once and wholly or not at all. How long recovery took."""
    started = monotonic()
    with open_bench(top, 0) as bench:
        bench.workspace.recover()
        bench.workspace.close()
        took = monotonic() - started
        now = contents(bench.workspace)
        happened = now == scene.after
        assert happened or now == scene.before, explain(now, scene)
        assert happened or not acknowledged, "an acknowledged change is gone"
        records = bench.workspace.changes(1000)
        assert len(records) == scene.changes + happened, f"{len(records)} changes, {scene.changes} before"
        report = bench.state.verify_ledger()
        assert report.ok, report
        assert bench.state.changes_without_commit() == []
        check_history(bench, [one.id for one in records])
        if happened:
            _, files = bench.workspace.record(records[0].id)
            assert {one.path: one.after for one in files} == {one.path: now.get(one.path) for one in files}
        assert bench.grounds.state.list(JOURNAL) == []
    left = [name for _, folders, names in os.walk(top) for name in (*folders, *names)]
    assert not [name for name in left if name.startswith(TEMPORARY_PREFIX)], left
    if deep:
        check_with_git(f"{top}/state/{HISTORY}")
    return took


def check_history(bench: Bench, identities: Sequence[str]) -> None:
    """One commit for each change, none that nobody made, and the newest one is what stands on the disk."""
    from dulwich.repo import Repo

    now = contents(bench.workspace)
    history = History(bench.grounds.state)
    assert {path: history.content(path) for path in history.paths()} == now
    with Repo(bench.grounds.packs or "") as repository:
        messages = [walked.commit.message.decode() for walked in repository.get_walker()]
    for identity in identities:
        commits = sum(f"\nChange: {identity}\n" in message for message in messages)
        assert commits == 1, f"{commits} commits for change {identity}"
    assert len(messages) == len(identities), messages


def check_with_git(repository: str) -> None:
    git = shutil.which("git")
    if git is not None:
        done = subprocess.run(
            [git, f"--git-dir={repository}", "fsck", "--strict", "--no-dangling"],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr, done.stderr


def explain(now: dict[str, bytes], scene: Scene) -> str:
    return (
        "\n".join(
            f"{path}: {scene.before.get(path, b'-')[-80:]!r} or {scene.after.get(path, b'-')[-80:]!r}, not {data[-80:]!r}"
            for path, data in now.items()
            if data not in (scene.before.get(path), scene.after.get(path))
        )
        or f"half of it: {sorted(now)}"
    )


def kill_at(stage: Stage, scene: Scene, points: Sequence[Point], at: int, tally: Tally) -> None:
    """Kill the operation at a point and recover; kill the recovery of a copy as well, and recover that."""
    top = stage.kill(scene.prepared, points, at, "perform", name=scene.name, seed=scene.seed)
    acknowledged = ACKNOWLEDGED in reported(f"{top}/{REPORT}")
    twin, inside = stage.record(top, "recover")
    if inside:
        second = Random(f"{scene.name} {scene.seed} {at}").randrange(len(inside))
        try:
            again = stage.kill(top, inside, second, "recover")
            check_survivor(again, scene, acknowledged=acknowledged, deep=False)
        except AssertionError as error:
            raise AssertionError(f"then recovery before {inside[second]}: {error}") from error
        tally.again += 1
        shutil.rmtree(again)
    took = check_survivor(top, scene, acknowledged=acknowledged, deep=at % FSCK_EACH == 0)
    tally.longest = max(tally.longest, took)
    tally.points += 1
    for one in (top, twin):
        shutil.rmtree(one)


def run_operation(nursery: Nursery, name: str, seed: int, tally: Tally) -> None:
    folder = f"{nursery.folder}/{name}"
    os.mkdir(folder)
    scene = set_the_scene(folder, name, seed)
    stage = Stage(nursery)
    whole, points = stage.record(scene.prepared, "perform", name=name, seed=scene.seed)
    assert reported(f"{whole}/{REPORT}") == [ACKNOWLEDGED]
    check_survivor(whole, scene, acknowledged=True, deep=True)
    for at, point in enumerate(points):
        try:
            kill_at(stage, scene, points, at, tally)
        except AssertionError as error:
            raise AssertionError(f"R1 seed {seed}, {name} killed before {point}: {error}") from error
    for one in (whole, folder):
        shutil.rmtree(one)


def run_r1(count: int, seed: int, start: int = 0) -> str:
    """Take `count` operations from number `start` on."""
    assert shutil.which("strace"), "R1 needs strace: install it (apt-get install strace)"
    tally = Tally()
    names = NAMES[start : start + count]
    with Nursery("tests.trust.rows.r01", "dulwich.repo", in_memory=True) as nursery:
        for name in names:
            run_operation(nursery, name, seed, tally)
    return (
        f"R1 {len(names)} operations, {tally.points} points, {tally.again} more inside recovery, 0 lost, 0 doubled, 0 torn, "
        f"longest recovery {tally.longest * 1000:.0f} ms, seed {seed}"
    )
