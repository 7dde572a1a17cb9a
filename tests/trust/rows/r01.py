"""R1: SIGKILL before every system call of an operation that changes the disk, then recovery; and again inside recovery."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from tests.trust.operations import OPERATIONS, contents, random_id, seeded
from tests.trust.tracing import ACKNOWLEDGED, Act, Point, Stage, begin, was_acknowledged, work_on_one_thread
from tests.trust.verbs import VERBS, prepare_verb
from tests.trust.workers import PATIENCE, Nursery

from everself.clock import monotonic
from everself.storage import real_disk as real
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.history.commits import FOLDER as HISTORY
from everself.storage.history.commits import History
from everself.storage.journal import FOLDER as JOURNAL
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Applied, Change
from everself.workspace.assembly import WorkspaceOptions

# these three in CI; the full size takes all
FIRST = ("append", "promote", "undo")
# and these where the file system cannot exchange names or rename without replacing
OLD = {f"{name} on an old file system": name for name in ("create", "promote", "remove")}
NAMES = (*FIRST, *(name for name in OPERATIONS if name not in FIRST), *OLD, *VERBS)
# git looks at every n-th survivor only: it takes longer than all the rest
FSCK_EACH = 10

RECOVER = Act(f"{__name__}:recover", {"old": False})


class Play(Protocol):
    """Something that is killed: what happens, on which prepared folder, what the next start does, and what must hold then."""

    @property
    def prepared(self) -> str: ...

    @property
    def act(self) -> Act: ...

    @property
    def recovery(self) -> Act: ...

    def check(self, stage: Stage, *, acknowledged: bool, deep: bool) -> float:
        """Recover, and see that it happened once and wholly or not at all. How long recovery took."""


@dataclass(slots=True)
class Tally:
    points: int = 0
    again: int = 0
    longest: float = 0.0


def perform(name: str, top: str, seed: int, old: bool = False) -> None:
    """In a child: do the operation, say so, and commit it to the history."""
    settle_in(old)
    said = begin(top)
    with open_bench(top, seed) as bench:
        change = plan(name, bench, seed)
        assert change is not None
        assert isinstance(bench.workspace.apply(change), Applied)
        said.say(ACKNOWLEDGED)


def recover(top: str, old: bool) -> None:
    """In a child: what the next start does."""
    settle_in(old)
    begin(top)
    with open_bench(top, 0) as bench:
        bench.workspace.recover()


def settle_in(old: bool) -> None:
    work_on_one_thread()
    if old:
        vars(real)["renameat2"] = lambda: None


def open_bench(top: str, seed: int | str) -> AbstractContextManager[Bench]:
    random = Random(f"ids {seed}")
    return real_workspace(top, WorkspaceOptions(identify=lambda: random_id(random), background=False))


def plan(name: str, bench: Bench, seed: int) -> Change | None:
    return OPERATIONS[name](bench.workspace, Random(f"{name} {seed}"))


@dataclass(frozen=True, slots=True)
class OperationPlay:
    """An operation on a prepared workspace, and what the documents are before and after it."""

    prepared: str
    act: Act
    before: dict[str, bytes]
    after: dict[str, bytes]
    changes: int
    recovery: Act = RECOVER

    def check(self, stage: Stage, *, acknowledged: bool, deep: bool) -> float:
        started = monotonic()
        with open_bench(stage.top, 0) as bench:
            bench.workspace.recover()
            bench.workspace.close()
            took = monotonic() - started
            now = contents(bench.workspace)
            happened = now == self.after
            assert happened or now == self.before, explain(now, self)
            assert happened or not acknowledged, "an acknowledged change is gone"
            records = bench.workspace.changes(1000)
            assert len(records) == self.changes + happened, f"{len(records)} changes, {self.changes} before"
            report = bench.state.verify_ledger()
            assert report.ok, report
            assert bench.state.changes_without_commit() == []
            check_history(bench, [one.id for one in records])
            if happened:
                _, files = bench.workspace.record(records[0].id)
                assert {one.path: one.after for one in files} == {one.path: now.get(one.path) for one in files}
            assert not bench.storage.state.list(JOURNAL)
        left = [name for _, folders, names in os.walk(stage.top) for name in (*folders, *names)]
        assert not [name for name in left if name.startswith(TEMPORARY_PREFIX)], left
        if deep:
            check_with_git(f"{stage.top}/state/{HISTORY}")
        return took


def prepare_operation(folder: str, name: str, seed: int) -> OperationPlay:
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
    with open_bench(shutil.copytree(top, f"{folder}/after"), attempt) as bench:
        assert isinstance(bench.workspace.apply(change), Applied)
        after = contents(bench.workspace)
    return OperationPlay(top, Act(f"{__name__}:perform", {"name": name, "seed": attempt}), before, after, changes)


def check_history(bench: Bench, identities: Sequence[str]) -> None:
    """One commit for each change, none that nobody made, and the newest one is what stands on the disk."""
    from dulwich.repo import Repo

    now = contents(bench.workspace)
    history = History(bench.storage.state)
    assert {path: history.content(path) for path in history.paths()} == now
    with Repo(bench.storage.packs or "") as repository:
        messages = [walked.commit.message.decode() for walked in repository.get_walker()]
    for identity in identities:
        commits = sum(f"\nChange: {identity}\n" in message for message in messages)
        assert commits == 1, f"{commits} commits for change {identity}"
    assert len(messages) == len(identities), messages


def check_with_git(repository: str) -> None:
    git = shutil.which("git")
    if git is not None:
        command = [git, f"--git-dir={repository}", "fsck", "--strict", "--no-dangling"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr, done.stderr


def explain(now: dict[str, bytes], play: OperationPlay) -> str:
    torn = [
        f"{path}: {play.before.get(path, b'-')[-80:]!r} or {play.after.get(path, b'-')[-80:]!r}, not {data[-80:]!r}"
        for path, data in now.items()
        if data not in (play.before.get(path), play.after.get(path))
    ]
    return "\n".join(torn) or f"half of it: {sorted(now)}"


def kill_at(stage: Stage, play: Play, points: Sequence[Point], at: int, tally: Tally) -> None:
    """Kill at a point and recover; kill the recovery as well, at one of its own points, and recover from that."""
    stage.kill(play.prepared, play.act, points, at)
    acknowledged = was_acknowledged(stage.top)
    crashed = stage.keep("crashed")
    inside = stage.record(crashed, play.recovery)
    if inside:
        second = Random(f"{play.act} {at}").randrange(len(inside))
        try:
            stage.kill(crashed, play.recovery, inside, second)
            play.check(stage, acknowledged=acknowledged, deep=False)
        except AssertionError as error:
            raise AssertionError(f"then recovery before {inside[second]}: {error}") from error
        tally.again += 1
    stage.set(crashed)
    took = play.check(stage, acknowledged=acknowledged, deep=at % FSCK_EACH == 0)
    tally.longest = max(tally.longest, took)
    tally.points += 1


def kill_everywhere(stage: Stage, play: Play, tally: Tally) -> None:
    stage.learn(play.prepared, play.act, play.recovery)
    points = stage.record(play.prepared, play.act)
    assert was_acknowledged(stage.top), "ended without a word"
    play.check(stage, acknowledged=True, deep=True)
    for at, point in enumerate(points):
        try:
            kill_at(stage, play, points, at, tally)
        except AssertionError as error:
            raise AssertionError(f"killed before {point}: {error}") from error


def prepare(stage: Stage, folder: str, name: str, seed: int) -> Play:
    if name in VERBS:
        return prepare_verb(stage, folder, name, seed)
    play = prepare_operation(folder, OLD.get(name, name), seed)
    if name not in OLD:
        return play
    act = Act(play.act.function, {**play.act.arguments, "old": True})
    return replace(play, act=act, recovery=Act(RECOVER.function, {"old": True}))


def run_play(nursery: Nursery, name: str, seed: int, tally: Tally) -> None:
    folder = f"{nursery.folder}/{name}"
    os.mkdir(folder)
    stage = Stage(nursery)
    play = prepare(stage, folder, name, seed)
    try:
        kill_everywhere(stage, play, tally)
    except AssertionError as error:
        raise AssertionError(f"R1 seed {seed}, {name} {error}") from error
    shutil.rmtree(folder)


def run_r1(count: int, seed: int, start: int = 0) -> str:
    """Take `count` operations from number `start` on."""
    tally = Tally()
    names = NAMES[start : start + count]
    with Nursery(__name__, "dulwich.repo", memory=32) as nursery:
        for name in names:
            run_play(nursery, name, seed, tally)
    return (
        f"R1 {len(names)} operations, {tally.points} points, {tally.again} more inside recovery, 0 lost, 0 doubled, 0 torn, "
        f"longest recovery {tally.longest * 1000:.0f} ms, seed {seed}"
    )
