"""Calibrated similarity: the same numbers mean the same for every embedder, and for shared words where there is none."""

import json
from pathlib import Path

import pytest

from everself.models.embedding.local import open_local
from everself.search.similarity import TextSimilarity, calibrated, curve_of
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

PAIRS = [json.loads(line) for line in Path("tests/corpora/likeness.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_curve_is_what_it_says_at_its_points_and_rises_between_them():
    curve = curve_of("use-multilingual-3/0.2.1")
    assert [round(calibrated(at, curve), 6) for at in curve] == [0.5, 0.8, 0.85, 0.9, 1.0]
    values = [calibrated(number / 100, curve) for number in range(-20, 121)]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0.0, 1.0)


def test_an_embedder_that_nobody_measured_is_taken_at_its_word():
    assert round(calibrated(0.87, curve_of("somebody/else")), 6) == 0.87


def test_without_vectors_shared_words_decide():
    likeness = TextSimilarity()
    same, other = likeness.of("The deploy runs on Friday.", ["On Friday the deploy runs!", "My cat sleeps a lot."])
    assert (same, other) == (1.0, 0.0)


def test_the_same_words_are_the_same_whatever_a_model_makes_of_them():
    fake = FakeEmbedder()
    assert TextSimilarity(fake).of("I live  in Oslo", ["i live in oslo", "quite another thing altogether"])[0] == 1.0


def test_vectors_are_asked_for_once_and_never_where_they_cost_money():
    fake = FakeEmbedder()
    likeness = TextSimilarity(fake)
    likeness.of("a b c", ["d e f"])
    likeness.of("a b c", ["d e f", "g h i"])
    assert [texts for texts, _ in fake.calls] == [("a b c", "d e f"), ("g h i",)]
    paid = FakeEmbedder(paid=True)
    TextSimilarity(paid).of("a", ["b"])
    assert not paid.calls


def test_an_embedder_that_fails_leaves_it_to_the_words():
    fake = FakeEmbedder()
    fake.fail("network")
    assert TextSimilarity(fake).of("The deploy runs on Friday.", ["On Friday the deploy runs!"]) == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["use", "e5"])
def test_restatements_reach_nine_tenths_and_other_matters_stay_below_eight(name, tmp_path):
    likeness = TextSimilarity(open_local(name, "", str(tmp_path)))

    def share(kind: str, at_least: float) -> float:
        scores = [likeness.of(one["one"], [one["other"]])[0] for one in PAIRS if one["kind"] == kind]
        return sum(score >= at_least for score in scores) / len(scores)

    assert share("same", 0.9) >= 0.7
    assert share("same", 0.85) >= 0.85
    assert share("near", 0.8) == 0
    assert share("other", 0.5) < 0.1
