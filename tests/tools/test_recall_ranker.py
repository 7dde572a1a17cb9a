"""Fitting of the ranker's numbers, and the file that they are kept in."""

import json
from dataclasses import replace
from importlib import resources

import numpy
import pytest
from tools.bench_recall.sets import Question
from tools.train_recall.__main__ import render
from tools.train_recall.collecting import NAMES, Asked, beside_meaning
from tools.train_recall.fitting import fit_likelihood, fit_order, join
from tools.train_recall.ranker import ON_TOP, _shares, learn, ranked, scores_of

from everself.search._features import MEANING, WORDS
from everself.search._second_stage import SECOND
from everself.search._weights import Model, load_model
from everself.search.ranking import RUN, STAGE

QUESTIONS = 40


def test_the_feature_that_tells_evidence_apart_gets_the_weight() -> None:
    chance = numpy.random.default_rng(1)
    parts = []
    for _ in range(QUESTIONS):
        rows = chance.normal(size=(20, 2)).astype(numpy.float32)
        pieces = numpy.full(20, -1)
        pieces[3] = 7
        rows[3, 0] += 3
        parts.append((rows, pieces, 1.0))
    telling, noise = fit_order(join(parts), numpy.array([True, False]), 1e-4, 50)
    assert telling > 1
    assert abs(noise) < telling / 2


def test_a_weight_that_must_not_be_negative_is_none() -> None:
    chance = numpy.random.default_rng(2)
    parts = []
    for _ in range(QUESTIONS):
        rows = chance.normal(size=(20, 2)).astype(numpy.float32)
        pieces = numpy.full(20, -1)
        pieces[3] = 0
        rows[3] += (3, -2)
        parts.append((rows, pieces, 1.0))
    free = fit_order(join(parts), numpy.array([True, False]), 1e-4, 50)
    bound = fit_order(join(parts), numpy.array([True, True]), 1e-4, 50)
    assert free[1] < 0
    assert bound[1] == 0
    assert bound[0] > 0


def test_every_piece_of_evidence_has_to_win_and_a_question_counts_once() -> None:
    rows = numpy.eye(4, dtype=numpy.float32)
    two = join([(rows, numpy.array([5, 9, 9, -1]), 1.0), (rows, numpy.array([-1, 2, -1, -1]), 1.0)])
    assert two.weights.tolist() == [0.25, 0.25, 0.5]
    assert two.owners.tolist() == [0, 0, 1]
    assert two.pieces.tolist() == [0, 1, 1, -1, -1, 2, -1, -1]


def test_a_likelihood_is_as_often_right_as_it_says() -> None:
    chance = numpy.random.default_rng(3)
    rows = chance.normal(size=(4000, 1)).astype(numpy.float32)
    right = (chance.random(4000) < 1 / (1 + numpy.exp(-(2 * rows[:, 0] - 1)))).astype(numpy.float32)
    slope, constant = fit_likelihood(rows, right, numpy.ones(4000), numpy.array([True]), 0.0, 50)
    assert slope == pytest.approx(2, abs=0.2)
    assert constant == pytest.approx(-1, abs=0.2)


def test_more_numbers_than_a_setting_has_are_refused() -> None:
    many = {str(number): 1.0 for number in range(120)}
    with pytest.raises(ValueError, match="200"):
        render({"meaning": Model(many, many, 0.0, 1.0)})


def test_the_numbers_that_are_shipped_are_few_and_of_known_features() -> None:
    told = json.loads(resources.files("everself.search").joinpath("ranker.json").read_text(encoding="utf-8"))
    known = {*WORDS, *MEANING, RUN, *SECOND, STAGE}
    assert {name for model in told.values() for part in ("order", "level") for name in model[part]} <= known
    assert sum(len(model[part]) + 1 for model in told.values() for part in ("order", "level")) <= 200
    assert set(told["second"]["order"]) <= set(SECOND)
    assert not set(MEANING) & {*load_model(meaning=False).order, *load_model(meaning=False).level}


def asked(dataset: str, at: int, told: dict[str, list[float]]) -> Asked:
    """A question whose second candidate is its evidence."""
    rows = numpy.zeros((3, len(NAMES)), numpy.float32)
    for name, column in told.items():
        rows[:, NAMES.index(name)] = column
    question = Question(f"{dataset}:{at}", "single", "who", (1,))
    return Asked(
        dataset,
        "store",
        question,
        rows,
        numpy.arange(3),
        frozenset({1}),
        numpy.zeros(3, numpy.int64),
        1.0,
        numpy.ones(3, numpy.float32),
    )


def test_what_is_learnt_on_top_leaves_the_others_as_they_are() -> None:
    chance = numpy.random.default_rng(4)
    talk = [asked("locomo", at, {"meaning": [0, 1 + chance.random(), 1]}) for at in range(QUESTIONS)]
    pages = [asked("train/pages", at, {"meaning": [0, 0.5, 1], ON_TOP: [0, 1, 0.2]}) for at in range(QUESTIONS)]
    found = learn([*talk, *pages], meaning=True).order
    without = [asked("train/pages", at, {"meaning": [0, 0.5, 1]}) for at in range(QUESTIONS)]
    bare = learn([*talk, *without], meaning=True).order
    assert found[ON_TOP] > 0
    assert ON_TOP not in bare
    assert {name: value for name, value in found.items() if name != ON_TOP} == bare


def test_kinds_of_text_weigh_alike_and_so_do_the_sets_of_a_kind() -> None:
    every = [
        asked(name, at, {}) for name, count in (("locomo", 3), ("beam", 2), ("longmemeval", 5)) for at in range(count)
    ]
    weights: dict[str, float] = {}
    for one, share in zip(every, _shares(every), strict=True):
        weights[one.dataset] = weights.get(one.dataset, 0.0) + share
    assert weights == pytest.approx({"locomo": 1.0, "beam": 0.5, "longmemeval": 0.5})


def test_words_that_are_not_trusted_order_nothing_and_still_tell_whether_a_hit_is_right() -> None:
    one = replace(asked("train/notes", 0, {"around": [0, 1, 0], RUN: [0, 1, 0]}), trust=numpy.zeros(3, numpy.float32))
    beside = beside_meaning(one)
    assert ranked(beside, {"around": 1.0, RUN: 1.0}).tolist() == [2, 1, 0]
    assert scores_of(beside, numpy.array([0, 1, 2]), {"around": 1.0}, {"around": 1.0}).tolist() == [1, 1, 0]
