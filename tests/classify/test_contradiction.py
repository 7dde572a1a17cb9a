"""Two values of one thing, in any language; pooled figures on open corpora."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from everself.classify.contradiction import contradicts

CORPORA = Path(__file__).resolve().parents[1] / "corpora"
# of what is called a contradiction in all pairs that were written for it; most are not found, and are left to a model
PRECISION, RECALL = 0.70, 0.01


def rows(pattern: str) -> list[dict[str, str]]:
    return [json.loads(line) for path in sorted(CORPORA.glob(pattern)) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_few_of_what_is_called_a_contradiction_is_none() -> None:
    pairs = [(row["a"], row["b"], row["label"] == "contradicts") for row in rows("pairs/open/same-*.jsonl")]
    pairs += [(row["older"], row["newer"], row["label"] == "contradiction") for row in rows("conflicts/**/*.jsonl")]
    said = [wanted for one, other, wanted in pairs if contradicts(one, other)]
    precision, recall = sum(said) / len(said), sum(said) / sum(wanted for *_, wanted in pairs)
    print(f"contradicts: precision {precision:.3f} of {len(said)}, recall {recall:.3f} of {len(pairs)} pairs")
    assert precision >= PRECISION
    assert recall >= RECALL


@pytest.mark.slow
def test_no_two_everyday_statements_contradict() -> None:
    texts = [row["text"] for row in rows("everyday/statements.jsonl")]
    assert [pair for pair in combinations(texts, 2) if contradicts(*pair)] == []


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("The rent is 900 euros a month", "The rent is 950 euros a month", "number"),
        ("My sister's wedding is on 3 March", "My sister's wedding is on 9 May", "date"),
        ("我住在柏林的老城区", "我住在慕尼黑的老城区", "name"),
    ],
)
def test_two_values_of_one_thing_contradict(older: str, newer: str, kind: str) -> None:
    assert contradicts(older, newer).kind == kind


def test_what_is_said_again_contradicts_nothing() -> None:
    assert not contradicts("I live in Leeds.", "i live in leeds!")
    assert not contradicts("The soup needs salt. " * 50 + "I eat meat.", "I don't eat meat.")


def test_a_value_in_other_words_around_it_contradicts() -> None:
    assert contradicts("The rent is 850", "The monthly rent is 910 now").kind == "number"
    assert contradicts("The monthly rent is 910 now", "The rent is 850").kind == "number"
    assert not contradicts("The rent is 850", "The heating is 85")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 850", "The monthly rent is 850 now"),
        ("Locker 1 is in hall 20", "My own locker 2 is in hall 40"),
        ("The rent is 850", "The rent is due in March"),
    ],
)
def test_the_same_value_two_values_and_another_kind_of_value_do_not(one: str, other: str) -> None:
    assert not contradicts(one, other)


def test_whatever_is_no_statement_is_no_trouble() -> None:
    for text in ("", " ", "?", "\ud800", "12:00", "一" * 400):
        assert not contradicts(text, text)
        assert not contradicts(text, "9")
