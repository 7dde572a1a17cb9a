"""Which unit of a set a chunk stands for."""

from types import SimpleNamespace
from typing import Any

import pytest
from tools.train_recall.collecting import _units

LINES = {("notes.md", 1): 10, ("notes.md", 2): 11, ("notes.md", 3): 12}


class _Served:
    """Chunks by number: lines 1 to 2, line 3, and a line that is no unit."""

    def chunks(self, numbers: list[int]) -> list[SimpleNamespace]:
        spans = [(1, 2), (3, 3), (9, 9)]
        return [SimpleNamespace(document=0, first_line=spans[at][0], last_line=spans[at][1]) for at in numbers]

    def path(self, document: int) -> str:
        return ("notes.md",)[document]


@pytest.mark.parametrize(
    ("wanted", "units"),
    [
        (frozenset({11}), [11, 12, -1]),
        (frozenset({12}), [10, 12, -1]),
        (frozenset(), [10, 12, -1]),
    ],
)
def test_of_several_units_a_chunk_stands_for_one_that_is_wanted(wanted: frozenset[int], units: list[int]) -> None:
    served: Any = _Served()
    assert _units(served, LINES, [0, 1, 2], wanted).tolist() == units
