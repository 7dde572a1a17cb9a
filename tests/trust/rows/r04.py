"""R4: the n-th call fails, or a write takes only some bytes. Old bytes intact, never a false success, nothing left over."""

import copy
from random import Random

from tests.trust.operations import OPERATIONS, contents, random_id
from tests.trust.rows.r03 import explain, first_disk

from everself.disk.filesystem import TEMPORARY_PREFIX
from everself.disk.journal import FOLDER as JOURNAL
from everself.disk.simulated import SimulatedDisk
from everself.errors import EverselfError
from everself.testing.meddling import FAILURES, FailingCall
from everself.testing.workspaces import simulated_workspace
from everself.values import Applied, FileChange, Outcome
from everself.workspace.assembly import Habits

CI_OPERATIONS = ("append", "promote", "undo")


def expected(name: str, seed: int) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The documents before and after the operation when nothing fails."""
    disk, before = first_disk()
    random = Random(seed)
    with simulated_workspace(copy.deepcopy(disk), Habits(background=False)) as bench:
        change = OPERATIONS[name](bench.workspace, random)
        assert change is not None, f"{name} has nothing to do"
        seen = bench.workspace.preview(change)
        assert isinstance(seen, tuple)
        return before, applied(before, seen)


def applied(before: dict[str, bytes], files: tuple[FileChange, ...]) -> dict[str, bytes]:
    after = dict(before)
    for file in files:
        if file.after is None:
            del after[file.path]
        else:
            after[file.path] = file.after
    return after


def attempt(name: str, seed: int, fault: FailingCall, shorten: int = 0) -> tuple[SimulatedDisk, Outcome | None]:
    """Run the operation with the fault armed from the moment it is planned. None: it raised, in words."""
    random = Random(seed)
    disk = copy.deepcopy(first_disk()[0])
    identities = Random(seed + 1)
    habits = Habits(identify=lambda: random_id(identities), background=False)
    armed = False

    def meddle(call: str, path: str) -> None:
        if armed:
            fault(call, path)

    def shorten_to(size: int) -> int:
        return max(1, size // shorten) if armed and shorten else size

    outcome: Outcome | None = None
    with simulated_workspace(disk, habits, meddle, shorten=shorten_to) as bench:
        change = OPERATIONS[name](bench.workspace, random)
        assert change is not None
        armed = True
        try:
            outcome = bench.workspace.apply(change)
            bench.workspace.close()
        except EverselfError as error:
            assert str(error), "an error without words"  # noqa: PT017 — raising is allowed here, being silent is not
        armed = False
    return disk, outcome


def check(
    name: str, disk: SimulatedDisk, outcome: Outcome | None, wanted: tuple[dict[str, bytes], dict[str, bytes]]
) -> None:
    before, after = wanted
    habits = Habits(background=False)
    with simulated_workspace(disk, habits) as bench:
        bench.workspace.recover()
        bench.workspace.close()
        now = contents(bench.workspace)
        right = after if isinstance(outcome, Applied) else before
        assert now == right, f"{name} said {outcome}\n{explain(now, [right])}"
        if isinstance(outcome, Applied):
            assert bench.state.has_change(outcome.id)
            bench.workspace.record(outcome.id)
        assert bench.state.verify_ledger().ok
        for files in (bench.grounds.documents, bench.grounds.state):
            everything = [one.path for one in files.list("")]
            for path in everything:
                found = files.stat(path)
                if found is not None and found.kind == "directory":
                    everything += [one.path for one in files.list(path)]
            assert not [path for path in everything if TEMPORARY_PREFIX in path and "history" not in path], everything
        if bench.grounds.state.stat(JOURNAL):
            assert bench.grounds.state.list(JOURNAL) == []


def run_r4(operations: tuple[str, ...], seed: int) -> str:
    points = failures = 0
    for name in operations:
        wanted = expected(name, seed)
        for code, number in FAILURES.items():
            n = 0
            while True:
                n += 1
                fault = FailingCall(n, number)
                disk, outcome = attempt(name, seed, fault)
                if not fault.failed:
                    break
                points += 1
                failures += outcome is None
                try:
                    check(name, disk, outcome, wanted)
                except AssertionError as error:
                    raise AssertionError(
                        f"R4 {name}, {code} at call {n} ({fault.failed}), seed {seed}: {error}"
                    ) from error
        for divisor in (2, 7, 1000):
            disk, outcome = attempt(name, seed, FailingCall(0, 0), shorten=divisor)
            points += 1
            assert isinstance(outcome, Applied), f"R4 {name}: short writes made it fail: {outcome}"
            check(name, disk, outcome, wanted)
    return f"R4 {len(operations)} operations, {points} points, {failures} failed in words, 0 bytes lost, 0 false successes, seed {seed}"
