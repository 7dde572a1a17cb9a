"""Three days of conversation leave good notes: few entries, every fact once, no corrected fact open, every question answered from them.

`DAYS=PATH` runs another conversation of the same form; of that one only counts are shown.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.journeys.days import EXAMPLE, OPEN, WIRES, Left, Script, documents, lived
from tests.models.chat.servers import Wire

pytestmark = [pytest.mark.slow, pytest.mark.trust]

CONVERSATION = Path(os.environ.get("DAYS", OPEN))
MOST_ENTRIES = 60


@dataclass(frozen=True)
class Bound:
    """What is still wrong with the open conversation at most. No fact stands twice."""

    missing: int
    stale: int
    unanswered: int


NOTES = Bound(missing=1, stale=2, unanswered=2)
NO_NOTES = Bound(missing=4, stale=1, unanswered=4)


@pytest.fixture(scope="module")
def script() -> Script:
    return Script.of(CONVERSATION)


@pytest.mark.parametrize("wire", WIRES)
def test_a_model_that_takes_notes(tmp_path: Path, script: Script, wire: Wire) -> None:
    with lived(tmp_path, script, wire, writes=True) as (_, left):
        judge(f"{wire}, with notes", left, NOTES)


@pytest.mark.parametrize("wire", WIRES)
def test_a_model_that_never_takes_any(tmp_path: Path, script: Script, wire: Wire) -> None:
    with lived(tmp_path, script, wire, writes=False) as (_, left):
        judge(f"{wire}, without notes", left, NO_NOTES)


def judge(name: str, left: Left, bound: Bound) -> None:
    print(f"{name}: {left.words()}")
    times = list(left.times.values())
    counts = (sum(one > 1 for one in times), sum(one == 0 for one in times), len(left.stale), left.asked - left.found)
    assert len(left.entries) <= MOST_ENTRIES
    assert counts[0] == 0
    assert all(
        one <= most for one, most in zip(counts[1:], (bound.missing, bound.stale, bound.unanswered), strict=True)
    )


@pytest.mark.skipif(CONVERSATION != OPEN, reason="the documentation shows the open conversation")
def test_the_example_in_the_documentation_is_what_it_leaves(tmp_path: Path, script: Script) -> None:
    with lived(tmp_path, script, "openai", writes=True) as (app, _):
        made = documents(app)
    assert {one.name for one in EXAMPLE.glob("*.md")} - {"README.md"} == set(made)
    for name, text in made.items():
        assert (EXAMPLE / name).read_text(encoding="utf-8") == text, "python -m tests.journeys.days --record"
