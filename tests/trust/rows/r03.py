"""R3: a disk that drops or reorders what was not synced, database included. 0 acknowledged lost, nothing torn, a seed reproduces."""

import copy
from contextlib import suppress
from functools import cache
from random import Random

from tests.trust.operations import OPERATIONS, contents, random_id, seeded

from everself.errors import EverselfError
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.journal import FOLDER as JOURNAL
from everself.storage.simulated_disk import PowerCut, SimulatedDisk
from everself.testing.workspaces import Bench, simulated_workspace
from everself.values import Applied, Nothing
from everself.workspace.assembly import WorkspaceOptions

# the longest series takes about this many calls of the simulated disk
REACH = 420


@cache
def first_disk() -> tuple[SimulatedDisk, dict[str, bytes]]:
    """A disk with a little life on it, all of it durable, and what its documents hold."""
    random = Random(0)
    disk = SimulatedDisk()
    with simulated_workspace(disk, WorkspaceOptions(identify=lambda: random_id(random), background=False)) as bench:
        seeded(bench.workspace, random)
        bench.workspace.close()
        return disk, contents(bench.workspace)


def run_seed(seed: int) -> str:
    """One life: some changes, a power cut at a random call, recovery, perhaps another cut inside it."""
    random = Random(seed)
    disk = copy.deepcopy(first_disk()[0])
    habits = WorkspaceOptions(identify=lambda: random_id(random), background=False)
    states = [first_disk()[1]]
    acknowledged: list[str] = []
    disk.ticks, disk.cut_at = 0, random.randrange(1, REACH)
    # a quarter of the lives on a file system that cannot exchange two names
    exchanges = bool(seed % 4)
    with suppress(PowerCut, EverselfError), simulated_workspace(disk, habits, exchanges=exchanges) as bench:
        for _ in range(random.randrange(1, 5)):
            live_a_step(bench, random, states, acknowledged)
        bench.workspace.close()
    cuts = 1
    disk.cut_power(random)
    while cuts < 4 and random.random() < 0.4:
        disk.ticks, disk.cut_at = 0, random.randrange(1, REACH // 2)
        with suppress(PowerCut, EverselfError), simulated_workspace(disk, habits, exchanges=exchanges) as bench:
            bench.workspace.recover()
            bench.workspace.close()
        disk.cut_power(random)
        cuts += 1
    check_survivor(disk, habits, states, acknowledged)
    return f"{len(acknowledged)}/{cuts}"


def live_a_step(bench: Bench, random: Random, states: list[dict[str, bytes]], acknowledged: list[str]) -> None:
    name = random.choice(list(OPERATIONS))
    change = OPERATIONS[name](bench.workspace, random)
    if change is None:
        return
    seen = bench.workspace.preview(change)
    after = dict(states[-1])
    for file in seen:  # type: ignore[union-attr]
        if file.after is None:
            del after[file.path]
        else:
            after[file.path] = file.after
    # what stands at the end of `states` may or may not have happened when the power goes
    states.append(after)
    outcome = bench.workspace.apply(change)
    assert isinstance(outcome, Applied | Nothing), outcome
    if isinstance(outcome, Applied):
        acknowledged.append(outcome.id)
    states[:-1] = []


def check_survivor(
    disk: SimulatedDisk, habits: WorkspaceOptions, states: list[dict[str, bytes]], acknowledged: list[str]
) -> None:
    with simulated_workspace(disk, habits) as bench:
        bench.workspace.recover()
        bench.workspace.close()
        now = contents(bench.workspace)
        assert now in states, explain(now, states)
        for identity in acknowledged:
            assert bench.state.has_change(identity), f"acknowledged change {identity} is not in the ledger"
            bench.workspace.record(identity)
        report = bench.state.verify_ledger()
        assert report.ok, report
        left = [one.path for one in bench.storage.state.list("")] + [one.path for one in bench.workspace.walk()]
        assert not [path for path in left if TEMPORARY_PREFIX in path], left
        if bench.storage.state.stat(JOURNAL):
            assert not bench.storage.state.list(JOURNAL)
        hidden = [one.path for one in bench.storage.documents.list("") if one.path.startswith(TEMPORARY_PREFIX)]
        assert hidden == []


def explain(now: dict[str, bytes], states: list[dict[str, bytes]]) -> str:
    return "\n".join(
        f"state {number} {path}: {state.get(path, b'-')[-80:]!r} is {now.get(path, b'-')[-80:]!r}"
        for number, state in enumerate(states)
        for path in sorted(now.keys() | state.keys())
        if now.get(path) != state.get(path)
    )


def run_r3(count: int, seed: int) -> str:
    changes = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        try:
            changes += int(run_seed(number).partition("/")[0])
        except (AssertionError, EverselfError) as error:
            raise AssertionError(f"R3 seed {number}: {error}") from error
    return f"R3 {count} seeds, {changes} changes acknowledged, 0 lost, 0 torn, seed {seed}"
