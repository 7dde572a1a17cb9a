"""Two values of one thing, in any language; pooled figures on open corpora."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from everself.classify.contradiction import contradicts

CORPORA = Path(__file__).resolve().parents[1] / "corpora"
# of what is called a contradiction in all pairs that were written for it; most are not found, and are left to a model
PRECISION, RECALL = 0.90, 0.01


def rows(pattern: str) -> list[dict[str, str]]:
    return [json.loads(line) for path in sorted(CORPORA.glob(pattern)) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_few_of_what_is_called_a_contradiction_is_none() -> None:
    pairs = [(row["a"], row["b"], row["label"] == "contradicts") for row in rows("pairs/*/same-*.jsonl")]
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
        ("房租每个月3200元", "房租每个月3500元", "number"),
        ("My sister lives in Leeds now", "My sister lives in York now", "name"),
    ],
)
def test_two_values_of_one_thing_contradict(older: str, newer: str, kind: str) -> None:
    assert contradicts(older, newer).kind == kind


def test_what_is_said_again_contradicts_nothing() -> None:
    assert not contradicts("I live in Leeds.", "i live in leeds!")
    assert not contradicts("The soup needs salt. " * 50 + "I eat meat.", "I don't eat meat.")


def test_a_value_in_other_words_around_it_contradicts() -> None:
    assert contradicts("The rent is 850", "The rent is 910 a month now").kind == "number"
    assert contradicts("The rent is 910 a month now", "The rent is 850").kind == "number"
    found = contradicts("the demo is on 12 May", "I already told you the demo is on 14 May!")
    assert (found.kind, found.older, found.newer) == ("date", "12 May", "14 May")
    assert not contradicts("The rent is 850", "The heating is 85")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 850", "The monthly rent is 850 now"),
        ("Locker 1 is in hall 20", "My own locker 2 is in hall 40"),
        ("The rent is 850", "The rent is due in March"),
        ("The roof was done in 2018", "The garage roof was done in 2021"),
        ("My cholesterol is 4.6", "My wife's cholesterol is 6.1"),
        ("The wedding is in June 2027", "The wedding is on June 21st 2027"),
        ("gym on tuesday", "gym on thursday"),
        ("周医生周三出诊", "李医生周三出诊"),
        ("A案の単価は520円", "B案の単価は480円"),
    ],
)
def test_the_same_value_two_values_and_another_kind_of_value_do_not(one: str, other: str) -> None:
    assert not contradicts(one, other)


def test_whatever_is_no_statement_is_no_trouble() -> None:
    for text in ("", " ", "?", "\ud800", "12:00", "一" * 400):
        assert not contradicts(text, text)
        assert not contradicts(text, "9")
