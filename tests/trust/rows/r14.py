"""R14: whoever holds the lock is killed or stopped. The next writer gets it at once, or is told clearly who stands in its way."""

import os
import signal
from collections.abc import Iterator
from random import Random

from tests.trust.workers import Nursery, Report, await_line, entry_of, reported, title_of

from everself.clock import monotonic, pause
from everself.errors import LockTimeout
from everself.testing.workspaces import real_workspace
from everself.values import Append, Applied, Author, Change
from everself.workspace.assembly import WorkspaceOptions

PATH = "memory/2026-03-19.md"
HOLDING, WAITING = "holding", "waiting"
# the promise is one second; a busy machine may take longer to give a process its turn
# the promise is a second; a busy machine takes longer, and one that waits for ever is found all the same
MOST_WAIT = 120.0
SHORT = 0.3


def append(name: str) -> Change:
    return Change(Author.OWNER, "append", (Append(PATH, entry_of(name), header=title_of(PATH)),))


def hold(top: str, name: str, report: str, release: str) -> None:
    """In a child: stop in the middle of a change, with the lock held, until the file `release` is there."""
    said = Report(report)

    def linger(*_: object) -> Iterator[str]:
        said.say(HOLDING)
        while not os.path.exists(release):
            pause(0.002)
        return iter(())

    with real_workspace(top, WorkspaceOptions(guards=(linger,))) as bench:
        assert isinstance(bench.workspace.apply(append(name)), Applied)


def wait_and_append(top: str, name: str, report: str) -> None:
    """In a child: a writer that has to wait. It reports when it was done."""
    said = Report(report)
    with real_workspace(top) as bench:
        said.say(WAITING)
        assert isinstance(bench.workspace.apply(append(name)), Applied)
        # monotonic seconds are the same in every process of a machine
        said.say(repr(monotonic()))


def kill_holder(nursery: Nursery, top: str, number: int, random: Random) -> float:
    """How long after the holder's death the writer that waited was done."""
    reports = [f"{top}/holder-{number}", f"{top}/waiter-{number}"]
    holder = nursery.start(
        f"{__name__}:hold", top=top, name=f"dead-{number}", report=reports[0], release=f"{top}/never"
    )
    await_line(reports[0], HOLDING)
    waiter = nursery.start(f"{__name__}:wait_and_append", top=top, name=f"next-{number}", report=reports[1])
    await_line(reports[1], WAITING)
    pause(random.uniform(0.0, 0.1))
    assert len(reported(reports[1])) == 1, "a writer did not wait for the lock"
    killed = monotonic()
    assert nursery.kill(holder) == -signal.SIGKILL
    nursery.finish(waiter)
    waited = float(reported(reports[1])[1]) - killed
    assert waited < MOST_WAIT, f"the next writer waited {waited:.1f} s after the holder's death"
    return waited


def stop_holder(nursery: Nursery, top: str, number: int) -> None:
    """A stopped holder keeps the lock: the next writer is told so in time, and goes on once the holder has gone on."""
    report, release = f"{top}/stopped-{number}", f"{top}/release-{number}"
    holder = nursery.start(f"{__name__}:hold", top=top, name=f"stopped-{number}", report=report, release=release)
    await_line(report, HOLDING)
    os.kill(holder, signal.SIGSTOP)
    with real_workspace(top, WorkspaceOptions(timeout=SHORT)) as bench:
        started = monotonic()
        try:
            outcome = bench.workspace.apply(append(f"early-{number}"))
        except LockTimeout as error:
            words, took = str(error), monotonic() - started
        else:
            raise AssertionError(f"a writer got the lock that a stopped process holds: {outcome}")
        assert took < MOST_WAIT, f"gave up after {took:.1f} s instead of {SHORT} s"
        assert f"process {holder} " in words, words
        assert "is suspended" in words, words
        with open(release, "wb"):
            pass
        os.kill(holder, signal.SIGCONT)
        nursery.finish(holder)
        assert isinstance(bench.workspace.apply(append(f"late-{number}")), Applied)


def check(top: str, count: int) -> None:
    """The dead left nothing, the others exactly what they were told was written."""
    with real_workspace(top) as bench:
        data = bench.workspace.read(PATH).data
        wanted = [entry_of(f"{name}-{number}") for number in range(count) for name in ("next", "stopped", "late")]
        assert data == title_of(PATH) + b"".join(wanted), data[-500:]
        assert bench.state.verify_ledger().ok


def run_r14(count: int, seed: int) -> str:
    random = Random(f"R14 {seed}")
    longest = 0.0
    with Nursery(__name__, "dulwich.repo", memory=32) as nursery:
        top = f"{nursery.folder}/top"
        os.mkdir(top)
        for number in range(count):
            try:
                longest = max(longest, kill_holder(nursery, top, number, random))
                stop_holder(nursery, top, number)
            except AssertionError as error:
                raise AssertionError(f"R14 seed {seed}, holder {number}: {error}") from error
        check(top, count)
    return f"R14 {count} holders killed and {count} stopped, longest wait after a death {longest * 1000:.0f} ms, seed {seed}"
