"""What the learned heads make of the open messages. They were learned from these, so that this only says that nothing got worse;
what they make of messages they never saw, the folds of `python -m tools.train_classify` and the sealed third say.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everself.classify.corrections import find_correction
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.statements import read_each

# a corpus is judged as a whole, which takes a while
pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
Row = dict[str, Any]


def rows(pattern: str) -> list[Row]:
    found = [json.loads(line) for path in sorted(HERE.glob(pattern)) for line in path.read_text("utf-8").splitlines()]
    assert found
    return found


def measure(
    name: str, found: list[Row], wanted: Callable[[Row], bool], said: Callable[[Row], bool]
) -> tuple[float, float]:
    judged = [(wanted(row), said(row)) for row in found]
    right = sum(one and other for one, other in judged)
    precision, recall = right / max(1, sum(other for _, other in judged)), right / sum(one for one, _ in judged)
    print(f"{name}: precision {precision:.3f}, recall {recall:.3f} of {len(judged)}")
    return precision, recall


def kept(row: Row) -> bool:
    return bool(read_each(row["text"]).of(SentenceKind.STATEMENT, SentenceKind.REMEMBER))


def asked(row: Row) -> bool:
    return bool(read_each(row["text"]).of(SentenceKind.QUESTION))


def corrected(row: Row) -> bool:
    return find_correction(row["text"]) is not None


def test_what_is_worth_keeping_is_kept() -> None:
    precision, recall = measure("keep", rows("messages/open/*.jsonl"), lambda row: row["keep"], kept)
    assert precision >= 0.9
    assert recall >= 0.85


def test_corrections_are_found_and_little_else_is_taken_for_one() -> None:
    told = [row for row in rows("messages/open/*.jsonl") if row["correction"] != "implicit"]
    precision, recall = measure("corrections", told, lambda row: row["correction"] == "explicit", corrected)
    assert precision >= 0.9
    assert recall >= 0.85
    triage = rows("triage/*.jsonl") + rows("triage/more/*.jsonl")
    precision, recall = measure("triage", triage, lambda row: row["label"] == "correction", corrected)
    assert precision >= 0.95
    # what only may be one is compared with memory, and is not counted here
    assert recall >= 0.85


def test_questions_and_statements_are_told_apart() -> None:
    found = rows("reflex/*.jsonl") + rows("reflex/*/*.jsonl")
    precision, recall = measure("questions", found, lambda row: row["kind"] != "statement", asked)
    assert min(precision, recall) >= 0.97
