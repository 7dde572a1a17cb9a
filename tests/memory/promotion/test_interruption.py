"""The power goes at any call while an entry is promoted: afterwards it stands in exactly one place, whole."""

import copy
from contextlib import suppress
from random import Random

import pytest
from tests.memory.minds import mind_over

from everself.errors import EverselfError
from everself.memory.promotion.moves import Pick, apply_moves
from everself.storage.simulated_disk import PowerCut, SimulatedDisk
from everself.testing.workspaces import simulated_workspace
from everself.values import Author, Change, Create
from everself.workspace.assembly import WorkspaceOptions

pytestmark = pytest.mark.slow

HABITS = WorkspaceOptions(background=False)
LOG, PAGE = "memory/2026-03-12.md", "memory/decisions.md"
BODY = "# Log\n\n## [09:30:00] decision\n\nWe decided on oak.\n\n### Why\n\nIt lasts.\n\n## [10:00:00] note\n\nStays.\n"


@pytest.fixture(scope="module")
def disk() -> SimulatedDisk:
    made = SimulatedDisk()
    with simulated_workspace(made, HABITS) as bench:
        page = Create(PAGE, b"# Decisions\n\n## 2026-03-12\n\n- Blue door\n")
        bench.workspace.apply(Change(Author.OWNER, "life", (Create(LOG, BODY.encode()), page)))
        bench.workspace.close()
    return made


def promote(disk: SimulatedDisk, said: list[str]) -> None:
    with simulated_workspace(disk, HABITS) as bench:
        mind = mind_over(bench)
        entry = next(one for one in mind.catalog.all() if "oak" in one.text)
        done = apply_moves(mind.memory, [Pick(entry.id, PAGE)], Author.OWNER)
        said += [one.entry for one in done.moved]
        bench.workspace.close()


# all calls at full size; the rows of trust walk through them as well
@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_a_power_cut_at_any_call_leaves_it_in_exactly_one_place(disk: SimulatedDisk, step: int, seed: int) -> None:
    whole = copy.deepcopy(disk)
    whole.ticks = 0
    promote(whole, [])
    places = set()
    for cut in range(1 + seed % step, whole.ticks + 1, step):
        torn, said = copy.deepcopy(disk), list[str]()
        torn.ticks, torn.cut_at = 0, cut
        with suppress(PowerCut, EverselfError):
            promote(torn, said)
        torn.cut_power(Random(cut))
        with simulated_workspace(torn, HABITS) as bench:
            bench.workspace.recover()
            found = [one for one in mind_over(bench).catalog.all() if "oak" in one.text]
            assert len(found) == 1, f"cut before call {cut}: {[one.path for one in found]}"
            assert found[0].text.removesuffix("\n").endswith("### Why\n\nIt lasts.")
            assert found[0].path == PAGE or not said, f"cut before call {cut}: it was said to be moved"
            places.add(found[0].path)
            together = b"".join(bench.workspace.read(path).data for path in (LOG, PAGE))
            assert [together.count(words) for words in (b"oak", b"Blue door", b"Stays.")] == [1, 1, 1]
    assert places == {LOG, PAGE}
