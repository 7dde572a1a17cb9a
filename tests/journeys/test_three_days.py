"""Three days of conversation leave good notes: few entries, every fact once, no corrected fact open, every question answered from them.

Any other conversation of the same form: `python -m tests.journeys.days FOLDER`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
from tests.journeys.days import EXAMPLE, OPEN, WIRES, DaysWire, Left, Mode, Script, documents, lived

pytestmark = [pytest.mark.slow, pytest.mark.trust]

SEEN = OPEN.parent / "three_days"
CHANGES = OPEN.parent / "days_changes"
MOST_ENTRIES = 60
LEAST_CACHEABLE = 0.9


@dataclass(frozen=True)
class Bound:
    """What is still wrong with a conversation at most. Wanted is 0 everywhere, and nine tenths of the input cacheable."""

    lost: int
    twice: int
    stale: int
    unanswered: int
    cacheable: float = LEAST_CACHEABLE


BOUNDS: dict[tuple[Path, Mode], Bound] = {
    # "quiz: what was my job before the hawks" is not found: "i was a geography teacher till 2011" has no word of it
    (OPEN, "writes"): Bound(lost=0, twice=0, stale=0, unanswered=1),
    # "shes not coming the 19th after all … she lands 22 december now" is asked about, and nobody answers here
    # its delta holds a little more since more hits fit into a budget: .8984 over OpenAI's wire
    (OPEN, "silent"): Bound(lost=0, twice=0, stale=1, unanswered=1, cacheable=0.898),
    (OPEN, "none"): Bound(lost=0, twice=0, stale=1, unanswered=1),
    (OPEN, "plain"): Bound(lost=0, twice=0, stale=1, unanswered=1),
    (SEEN, "writes"): Bound(lost=0, twice=0, stale=0, unanswered=1),
    (SEEN, "silent"): Bound(lost=0, twice=0, stale=0, unanswered=0),
    (SEEN, "none"): Bound(lost=0, twice=0, stale=0, unanswered=0),
    (SEEN, "plain"): Bound(lost=0, twice=0, stale=0, unanswered=0),
    # "anjali works in york now" is asked about
    (CHANGES, "plain"): Bound(lost=0, twice=1, stale=0, unanswered=0),
}
_BOTH = ((OPEN, "writes"), (SEEN, "writes"), (SEEN, "silent"))
RUNS = [(*key, wire) for key in BOUNDS for wire in WIRES if key in _BOTH or wire == WIRES[0]]


@pytest.mark.parametrize(("folder", "mode", "wire"), RUNS, ids=lambda one: getattr(one, "name", one))
def test_what_three_days_leave(tmp_path: Path, folder: Path, mode: Mode, wire: DaysWire) -> None:
    with lived(tmp_path, Script.of(folder), wire, mode) as (_, left):
        judge(f"{folder.name}, {wire}, {mode}", left, BOUNDS[folder, mode])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_correction_leaves_exactly_one_open_entry(tmp_path: Path, wire: DaysWire, mode: Mode) -> None:
    old, new = "My standup is every day at 9:30.", "No, the standup is at 9:45, not 9:30."
    turns = [
        {"day": 1, "turn": 1, "text": old, "kind": "fact", "facts": [fact("f1", "Daily standup at 9:30.", old)]},
        {
            "day": 1,
            "turn": 2,
            "text": new,
            "kind": "correction",
            "corrects": "f1",
            "facts": [fact("f2", "Daily standup at 9:45.", "the standup is at 9:45")],
        },
    ]
    with lived(tmp_path, Script(turns, {}), wire, mode) as (_, left):
        (now,) = left.open
        assert "9:45" in now.text
        assert left.stale == []


def fact(name: str, statement: str, say: str) -> dict[str, str]:
    return {"id": name, "statement": statement, "say": say}


def judge(name: str, left: Left, bound: Bound) -> None:
    print(f"{name}: {left.words()}")
    assert len(left.entries) <= MOST_ENTRIES
    assert left.lost <= bound.lost
    assert left.twice <= bound.twice
    assert len(left.stale) <= bound.stale
    assert left.asked - left.found <= bound.unanswered
    assert left.cacheable is None or left.cacheable >= bound.cacheable


def test_the_example_in_the_documentation_is_what_it_leaves(tmp_path: Path) -> None:
    with lived(tmp_path, Script.of(OPEN), "openai", "writes") as (app, _):
        made = documents(app)
    assert {one.name for one in EXAMPLE.glob("*.md")} - {"README.md"} == set(made)
    for name, text in made.items():
        assert (EXAMPLE / name).read_text(encoding="utf-8") == text, "python -m tests.journeys.days --record"
