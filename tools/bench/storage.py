"""The cost of a durable write: a bare fsynced append, an append as a change set, a change set over two documents."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from everself.testing.workspaces import real_workspace
from everself.values import Append, Applied, Author, Change, Replace, digest
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.protocol import Workspace

COUNT = 300
LINE = b"\n## [09:30:00] note\n\nLikes green tea in the morning.\n"


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        bare = _times(_bare(Path(folder) / "bare.md"), COUNT)
        base = statistics.median(bare)
        yield f"bare fsynced append: {1 / statistics.mean(bare):.0f}/s, {_spread(bare)}"
        with real_workspace(folder, WorkspaceOptions(background=False)) as bench:
            for name, act in (("append", _append), ("append and replace in two documents", _promote)):
                taken = _times(act(bench.workspace), COUNT)
                rate = 1 / statistics.mean(taken)
                yield f"change set, {name}: {rate:.0f}/s, {_spread(taken)} = {statistics.median(taken) / base:.1f} × bare"
            begin = time.perf_counter()
            bench.workspace.close()
            each = (time.perf_counter() - begin) / (2 * COUNT)
            yield f"history, afterwards in the background: {each * 1000:.2f} ms a change = {each / base:.1f} × bare"


def _bare(path: Path) -> Callable[[int], None]:
    def act(_: int) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, LINE)
        os.fsync(descriptor)
        os.close(descriptor)

    return act


def _append(workspace: Workspace) -> Callable[[int], None]:
    def act(number: int) -> None:
        path = f"memory/2026-03-{number % 28 + 1:02d}.md"
        outcome = workspace.apply(Change(Author.OWNER, "bench", (Append(path, LINE, header=b"# Memory Log\n"),)))
        if not isinstance(outcome, Applied):
            raise SystemExit(f"the append was not applied: {outcome}")

    return act


def _promote(workspace: Workspace) -> Callable[[int], None]:
    def act(number: int) -> None:
        path = f"memory/2026-03-{number % 28 + 1:02d}.md"
        data = workspace.read(path).data
        edits = (Append("MEMORY.md", LINE), Replace(path, digest(data), len(data) - len(LINE), len(data), b""))
        outcome = workspace.apply(Change(Author.OWNER, "bench", edits))
        if not isinstance(outcome, Applied):
            raise SystemExit(f"the promotion was not applied: {outcome}")

    return act


def _times(act: Callable[[int], None], count: int) -> list[float]:
    taken = []
    for number in range(count):
        begin = time.perf_counter()
        act(number)
        taken.append(time.perf_counter() - begin)
    return taken


def _spread(taken: list[float]) -> str:
    ordered = sorted(taken)
    return f"p50 {statistics.median(ordered) * 1000:.2f} ms, p99 {ordered[int(len(ordered) * 0.99)] * 1000:.2f} ms"
