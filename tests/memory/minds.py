"""A memory over a folder, for the tests of this room and for the trust rows: open, use, drop, open again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from everself.clock import Clock
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.suspicion import Releases
from everself.testing.workspaces import Bench, Wrap, real_workspace
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import standard_guards


@dataclass(frozen=True, slots=True)
class Mind:
    """A memory with what it stands on."""

    memory: Memory
    bench: Bench

    @property
    def catalog(self) -> Catalog:
        return self.memory.catalog


def mind_over(bench: Bench, clock: Clock | None = None) -> Mind:
    time = clock or bench.clock
    catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, time)
    releases = Releases(bench.state.reviews, bench.state.entries)
    return Mind(Memory(bench.workspace, catalog, time, releases=releases), bench)


@contextmanager
def open_mind(top: str, clock: Clock | None = None, wrap: Wrap | None = None) -> Iterator[Mind]:
    """The mind whose workspace and state lie beneath `top`, made where there is none."""
    habits = WorkspaceOptions(guards=standard_guards(), background=False)
    with real_workspace(top, habits, clock=clock, wrap=wrap) as bench:
        yield mind_over(bench)
