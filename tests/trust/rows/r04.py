"""R4: the n-th call fails, or all from there on, or a write takes only some bytes, or the disk is full.

Old bytes intact, never a false success, never a false failure, nothing left over. A disk that is full still makes files; it does not
fill them, and has room again later. It is simulated at every level, and real: a small tmpfs.
"""

import copy
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from tests.trust.operations import OPERATIONS, contents, random_id, seeded
from tests.trust.rows.r03 import explain, first_disk
from tests.trust.small_disk import NotPermitted, SmallDisk, small_disk, where_permitted

from everself.errors import EverselfError, Unfinished
from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem, Reservation
from everself.storage.journal import FOLDER as JOURNAL
from everself.storage.simulated_disk import SimulatedDisk, SimulatedReservation
from everself.testing.faulty_disk import FAILURES, FailingCall, MeddledFileSystem
from everself.testing.workspaces import Bench, real_workspace, simulated_workspace
from everself.values import Applied, FileChange, Outcome
from everself.workspace.assembly import WorkspaceOptions

CI_OPERATIONS = ("append", "promote", "undo")
CI_LEVELS = 10
# beyond this much room every operation succeeds: what it reserves, twice what it writes, and the database
ENOUGH = 768 * 1024
# and where nothing is reserved
ENOUGH_UNRESERVED = 96 * 1024

Wanted = tuple[dict[str, bytes], dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an operation said. Neither outcome nor words that it was not finished: it said that nothing was changed."""

    outcome: Outcome | None = None
    unsure: bool = False


def expected(name: str, seed: int) -> Wanted:
    """The documents before and after the operation when nothing fails."""
    disk, before = first_disk()
    random = Random(seed)
    with simulated_workspace(copy.deepcopy(disk), WorkspaceOptions(background=False)) as bench:
        return before, preview(name, bench, random, before)


def preview(name: str, bench: Bench, random: Random, before: dict[str, bytes]) -> dict[str, bytes]:
    change = OPERATIONS[name](bench.workspace, random)
    assert change is not None, f"{name} has nothing to do"
    seen = bench.workspace.preview(change)
    assert isinstance(seen, tuple)
    return applied(before, seen)


def applied(before: dict[str, bytes], files: tuple[FileChange, ...]) -> dict[str, bytes]:
    after = dict(before)
    for file in files:
        if file.after is None:
            del after[file.path]
        else:
            after[file.path] = file.after
    return after


def habits_of(seed: int) -> WorkspaceOptions:
    identities = Random(seed + 1)
    return WorkspaceOptions(identify=lambda: random_id(identities), background=False)


def attempt(name: str, seed: int, fault: FailingCall, shorten: int = 0) -> tuple[SimulatedDisk, Attempt]:
    """Run the operation with the fault armed from the moment it is planned."""
    disk = copy.deepcopy(first_disk()[0])
    armed = False

    def meddle(call: str, path: str) -> None:
        if armed:
            fault(call, path)

    def shorten_to(size: int) -> int:
        return max(1, size // shorten) if armed and shorten else size

    with simulated_workspace(disk, habits_of(seed), meddle, shorten=shorten_to) as bench:
        change = OPERATIONS[name](bench.workspace, Random(seed))
        assert change is not None
        armed = True
        said = apply_and_close(bench, change)
        armed = False
    return disk, said


def apply_and_close(bench: Bench, change: object) -> Attempt:
    """What `apply` said counts; what comes after the acknowledgement may fail in words."""
    outcome: Outcome | None = None
    unsure = False
    try:
        outcome = bench.workspace.apply(change)  # type: ignore[arg-type] # a change, or None, which was asked before
        bench.workspace.close()
    except EverselfError as error:
        assert str(error), "an error without words"  # noqa: PT017 — raising is allowed here, being silent is not
        unsure = isinstance(error, Unfinished)
    return Attempt(outcome, unsure)


def check(name: str, disk: SimulatedDisk, said: Attempt, wanted: Wanted) -> None:
    with simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
        check_bench(name, bench, said, wanted)


def check_bench(name: str, bench: Bench, said: Attempt, wanted: Wanted) -> None:
    before, after = wanted
    bench.workspace.recover()
    bench.workspace.close()
    now = contents(bench.workspace)
    done = isinstance(said.outcome, Applied)
    right = (before, after) if said.unsure else (after,) if done else (before,)
    assert now in right, f"{name} said {said}\n{explain(now, list(right))}"
    if isinstance(said.outcome, Applied):
        assert bench.state.has_change(said.outcome.id)
        bench.workspace.record(said.outcome.id)
    assert bench.state.verify_ledger().ok
    assert bench.state.changes_without_commit() == []
    for files in (bench.storage.documents, bench.storage.state):
        everything = [one.path for one in files.list("")]
        for path in everything:
            found = files.stat(path)
            if found is not None and found.kind == "directory":
                everything += [one.path for one in files.list(path)]
        assert not [path for path in everything if TEMPORARY_PREFIX in path and "history" not in path], everything
    if bench.storage.state.stat(JOURNAL):
        assert not bench.storage.state.list(JOURNAL)


def fill_simulated(name: str, seed: int, level: int, *, reserved: bool) -> tuple[SimulatedDisk, Attempt]:
    """The operation where only so many bytes fit; a start while it is still full; then there is room again."""
    disk = copy.deepcopy(first_disk()[0])
    disk.keeps_reserved = reserved
    with simulated_workspace(disk, habits_of(seed)) as bench:
        change = OPERATIONS[name](bench.workspace, Random(seed))
        disk.capacity = disk.used() + level
        said = apply_and_close(bench, change)
    with suppress(EverselfError), simulated_workspace(disk, WorkspaceOptions(background=False)) as bench:
        bench.workspace.recover()
        bench.workspace.close()
    disk.capacity = None
    assert disk.reserved == 0, "room was reserved and not released"
    return disk, said


def levels_of(count: int, most: int, seed: int) -> Iterator[int]:
    """Levels all the way from nothing to enough, each by chance within its part, so that writes are cut anywhere."""
    random = Random(seed)
    yield 0
    yield from (most * number // count + random.randrange(most // count) for number in range(count - 1))


class Unreserved(MeddledFileSystem):
    """A real disk on which a reservation holds nothing, as where another program fills it at the same moment."""

    def __init__(self, inner: FileSystem) -> None:
        super().__init__(inner, lambda _call, _path: None)

    def reserve(self, size: int) -> Reservation:
        del size
        return SimulatedReservation(SimulatedDisk(), 0)


def fill_real(name: str, seed: int, level: int, disk: SmallDisk, *, reserved: bool) -> Attempt:
    """The same on a real disk; judged there."""
    top = disk.top / "life"
    shutil.copytree(disk.top / "first", top)
    wrap = None if reserved else Unreserved
    try:
        with suppress(EverselfError), real_workspace(str(top), habits_of(seed), wrap=wrap) as bench:
            before = contents(bench.workspace)
            change = OPERATIONS[name](bench.workspace, Random(seed))
            wanted = before, preview(name, bench, Random(seed), before)
            disk.fill(level)
            said = apply_and_close(bench, change)
        with suppress(EverselfError), real_workspace(str(top), WorkspaceOptions(background=False), wrap=wrap) as bench:
            bench.workspace.recover()
        disk.free()
        with real_workspace(str(top), WorkspaceOptions(background=False)) as bench:
            check_bench(name, bench, said, wanted)
    finally:
        disk.free()
        shutil.rmtree(top)
    return said


def run_r4(
    operations: tuple[str, ...],
    seed: int,
    *,
    levels: int = CI_LEVELS,
    calls: bool = True,
    every: bool = False,
    real: bool = False,
) -> str:
    """`calls`: single calls fail, and all from one on; `every`: these with each error, not with one. `real`: a real disk as well."""
    points = failures = 0
    for name in operations:
        wanted = expected(name, seed)
        kinds = [(code, False) for code in FAILURES] + [(code, True) for code in (FAILURES if every else ("ENOSPC",))]
        for code, forever in kinds if calls else ():
            n = 0
            while True:
                n += 1
                fault = FailingCall(n, FAILURES[code], forever=forever)
                disk, said = attempt(name, seed, fault)
                if not fault.failed:
                    break
                points += 1
                failures += said.outcome is None
                with _told(f"{name}, {code} at call {n}{' and after' if forever else ''} ({fault.failed})", seed):
                    check(name, disk, said, wanted)
        for divisor in (2, 7, 1000):
            disk, said = attempt(name, seed, FailingCall(0, 0), shorten=divisor)
            points += 1
            assert isinstance(said.outcome, Applied), f"R4 {name}: short writes made it fail: {said}"
            check(name, disk, said, wanted)
        for reserved, most in ((True, ENOUGH), (False, ENOUGH_UNRESERVED)):
            for level in (*levels_of(levels, most, seed), most):
                with _told(f"{name}, {level} bytes free{'' if reserved else ', unreserved'}", seed):
                    disk, said = fill_simulated(name, seed, level, reserved=reserved)
                    check(name, disk, said, wanted)
                    assert level < most or isinstance(said.outcome, Applied), f"fails with {most} bytes free"
                points += 1
                failures += said.outcome is None
    figure = (
        f"R4 {len(operations)} operations, {points} points, {failures} failed in words, 0 bytes lost, 0 false successes"
    )
    if real:
        try:
            figure += f"; {run_r4_disk(operations, seed, levels)}"
        except NotPermitted as reason:
            figure += f"; NO REAL DISK ({reason})"
    return f"{figure}, seed {seed}"


def run_r4_disk(operations: tuple[str, ...], seed: int, levels: int = CI_LEVELS) -> str:
    """Every operation on a real disk, at every level. `NotPermitted` where none can be mounted."""
    elsewhere = where_permitted(f"{__name__}:run_r4_disk({operations!r}, {seed}, {levels})")
    if elsewhere is not None:
        return elsewhere
    points = failures = 0
    with small_disk() as disk:
        with real_workspace(str(disk.top / "first"), WorkspaceOptions(background=False)) as bench:
            seeded(bench.workspace, Random(0))
        for name in operations:
            for reserved, most in ((True, ENOUGH), (False, ENOUGH_UNRESERVED)):
                for level in (*levels_of(levels, most, seed), most):
                    with _told(f"{name}, {level} bytes free on a real disk{'' if reserved else ', unreserved'}", seed):
                        said = fill_real(name, seed, level, disk, reserved=reserved)
                        assert level < most or isinstance(said.outcome, Applied), f"fails with {most} bytes free"
                    points += 1
                    failures += said.outcome is None
    return f"on a real disk {points} levels, {failures} failed in words, 0 bytes lost, 0 false successes"


class _told:  # noqa: N801 — used like a function
    """A failing assertion is told with the row, the case and the seed."""

    def __init__(self, case: str, seed: int) -> None:
        self._words = f"R4 {case}, seed {seed}"

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AssertionError):
            raise AssertionError(f"{self._words}: {error}") from error
