"""Everyday statements as people type them, written without sight of the code: without a model, no pair of them closes anything."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from tests.keepers.minds import BERLIN, Hour, Mind

from everself.classify.difference import find_difference
from everself.clock import Clock
from everself.keepers import conflicts
from everself.keepers.conflicts import Detector
from everself.keepers.keeper import Ask, CloseEntry
from everself.keepers.keeper_context import KeeperContext
from everself.testing.workspaces import real_workspace
from everself.values import Entry

pytestmark = [pytest.mark.trust, pytest.mark.slow]

STATEMENTS = Path(__file__).parent / "everyday" / "statements.jsonl"
LANGUAGES = {"en": 50, "zh": 50, "ko": 50, "ja": 50}
# said on one day; the last of them two months after the first, when a newer statement once won by its age
A_DAY = 4


def statements() -> list[dict[str, str]]:
    return [json.loads(line) for line in STATEMENTS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    hour = Hour()
    with real_workspace(str(tmp_path), clock=Clock(BERLIN, hour)) as bench:
        yield Mind(bench, str(tmp_path), hour)


def live(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> str:
    """Say them all, and let the keeper hold each against every other, however unlike they are and however many it may ask about."""
    told = statements()
    monkeypatch.setattr(KeeperContext, "related", lambda world, *_: world.open_entries())
    monkeypatch.setattr(conflicts, "MOST_ASKED", 10**6)
    compared: set[frozenset[str]] = set()
    is_comparable = conflicts._is_comparable

    def watch(entry: Entry, other: Entry) -> bool:
        compared.add(frozenset((entry.id, other.id)))
        return is_comparable(entry, other)

    monkeypatch.setattr(conflicts, "_is_comparable", watch)
    asked = 0
    for start in range(0, len(told), A_DAY):
        for one in told[start : start + A_DAY]:
            mind.knows(one["text"])
        report = mind.run(Detector())
        done = [one.planned.operation for one in (*report.applied, *report.queued, *report.refused)]
        assert not [one for one in done if isinstance(one, CloseEntry)], "something would be closed"
        asked += sum(isinstance(one, Ask) for one in done)
        mind.hour.pass_(days=31 if start == len(told) // 2 else 1)
    known = mind.memory.catalog.all()
    assert len(known) == len(told)
    assert not [one.text for one in known if one.closed], "something is closed"
    pairs = sum(len(pair) == 2 for pair in compared)
    assert pairs == len(told) * (len(told) - 1) // 2, "not every pair was compared"
    return f"R7-EVERYDAY {len(told)} statements, {pairs} pairs: 0 closed, {asked} asked about ({asked / pairs:.2%})"


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    found = statements()
    assert Counter(one["lang"] for one in found) == LANGUAGES
    assert len({one["id"] for one in found}) == len({one["text"] for one in found}) == len(found)


def test_no_pair_of_everyday_statements_closes_anything(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    print(live(mind, monkeypatch))


def test_few_pairs_of_everyday_statements_are_asked_about() -> None:
    found = [
        (one["id"], other["id"])
        for one, other in combinations(statements(), 2)
        if find_difference(one["text"], other["text"]) is not None
    ]
    assert len(found) <= len(statements()) // 100, found


def test_a_keeper_that_closes_instead_of_asking_is_found(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    def close(older: Entry, newer: Entry) -> CloseEntry:
        return CloseEntry(older.id, newer.id)

    def differ(one: str, other: str) -> object:
        return find_difference("I live in Leeds", "I live in York") if one[:2] == other[:2] else None

    monkeypatch.setattr(conflicts, "which_holds", close)
    monkeypatch.setattr(conflicts, "find_difference", differ)
    with pytest.raises(AssertionError, match="closed"):
        live(mind, monkeypatch)
