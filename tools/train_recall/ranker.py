"""Trains the numbers of the ranker across kinds of text, and measures them on sets that were left out.

Every kind of text has the same weight, every set of a kind too, however many questions it has. The figure to believe is that of a set
that was not trained on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy
from tools.train_recall.collecting import NAMES, Asked
from tools.train_recall.fitting import fit_likelihood, fit_order, join

from everself.search._features import MEANING, WORDS
from everself.search._second_stage import COMPARED, SECOND, second_rows
from everself.search._weights import Model
from everself.search.ranking import RUN, STAGE, levelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]
    Numbers = NDArray[numpy.int64]

# features that compare a candidate with others: they say which one is right, not whether any is
LEADS = (
    *("own_lead", "strict_lead", "around_lead", "best_lead", "first", "first_told", "strict_told", "around_told"),
    *("page_lead", "meaning_lead", "nearest", "nearest_alone", "meaning_apart", "meaning_alone"),
)
# Only the rank features are used for the likelihood: the first of ten hits is right several times as often as the
# tenth. Unanswerable questions are trained on too, and keep their effect small.
PLACES = ("first", "nearest")
# features that may count against a chunk; of all others more is never worse
EITHER = ("assistant", "owner", "note", "longer", "asks", "timed")
# Trained on top of the others, which stay as they are: trained along with them, it takes from talk the trust in words
# that pages gave it, and LoCoMo loses .02 to .03 of its first hits when it is left out.
ON_TOP = "page_lead"
# Too few questions of the sets name a document's day to train this weight; a named day should outweigh a word.
GIVEN = {"date": 2.0}
PULL = 1e-3
STEPS = 60
# number of first hits used to train how likely a hit is right
JUDGED = 10
DEPTH = 10
# The projections of the vectors were trained on these lives, which makes the better model look too good there; its
# weight trained elsewhere is halved: at full strength LoCoMo lost evidence when it was left out.
MAPPED = "train"
TRUSTED = 0.5
# The kind of text of each set. With each set weighing alike, notes and pages outnumber talk.
KINDS = {
    "locomo": "talk",
    "train/people": "talk",
    "longmemeval": "chat",
    "beam": "chat",
    "train/assistant": "chat",
    "memdaily": "note",
    "train/notes": "note",
    "prefeval": "preference",
    "train/preferences": "preference",
    "cjk/zh": "page",
    "cjk/ja": "page",
    "train/pages": "page",
    "train/pages_cjk": "page",
}
# candidates per question against which the evidence must win
HARD = 100
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Figures:
    hit: float
    recall: float


def family(dataset: str) -> str:
    """The source of a set; sets of one source are left out together."""
    return dataset.partition("/")[0]


def learn(asked: Sequence[Asked], *, meaning: bool) -> Model:
    """Train one model, with vectors or with words only. With vectors the features are those `beside_meaning`."""
    answered = [one for one in asked if (one.pieces >= 0).any()]
    order_names = [
        name for name in (*WORDS, *(MEANING if meaning else ()), RUN) if name not in GIVEN and name != ON_TOP
    ]
    level_names = [name for name in order_names if name not in LEADS or name in PLACES]
    weights = _shares(answered)
    hard = [_hard(one) for one in answered]
    table = join(
        [
            (_columns(one, order_names)[rows], one.pieces[rows], weights[at])
            for at, (one, rows) in enumerate(zip(answered, hard, strict=True))
        ]
    )
    order = _named(order_names, fit_order(table, _positive(order_names), PULL, STEPS))
    if meaning:
        # without vectors nothing competes with words
        order[ON_TOP] = _learn_on_top(answered, hard, order, weights)
    level, middle = _learn_level(asked, order, level_names)
    slope, middle = _bend(asked, order, level, middle)
    return Model(_rounded({**order, **GIVEN}), _rounded({**level, **GIVEN}), round(middle, _DECIMALS), round(slope, 4))


def _hard(one: Asked) -> "Numbers":
    """The evidence, and the other candidates that could be mistaken for it: the rest teaches nothing."""
    plain = sum(_columns(one, [name])[:, 0] for name in ("around", "first", "nearest", "best", RUN))
    near = numpy.argsort(-numpy.asarray(plain), kind="stable")[:HARD]
    return numpy.union1d(near, numpy.flatnonzero(one.pieces >= 0))


def _learn_on_top(
    answered: Sequence[Asked], hard: "Sequence[Numbers]", order: Mapping[str, float], weights: Sequence[float]
) -> float:
    """Train the weight of one feature beside the sum of all others."""
    concerned = [
        (numpy.stack([_sums(one, order)[rows], _columns(one, [ON_TOP])[rows, 0]], axis=1), one.pieces[rows], weight)
        for one, rows, weight in zip(answered, hard, weights, strict=True)
        if _columns(one, [ON_TOP]).any()
    ]
    if not concerned:
        return 0.0
    others, added = fit_order(join(concerned), numpy.ones(2, numpy.bool_), PULL, STEPS).tolist()
    return float(added / max(others, 1e-3))


def _learn_level(
    asked: Sequence[Asked], order: Mapping[str, float], names: Sequence[str]
) -> tuple[dict[str, float], float]:
    """Train how likely each of the first hits is right, by its own features."""
    shares = _shares(asked)
    rows, right, weights = [], [], []
    for at, one in enumerate(asked):
        first = ranked(one, order)[:JUDGED]
        rows.append(_columns(_judged(one), names)[first])
        right.append(one.pieces[first] >= 0)
        weights.append(numpy.full(len(first), shares[at]))
    found = fit_likelihood(
        numpy.concatenate(rows),
        numpy.concatenate(right).astype(numpy.float32),
        numpy.concatenate(weights),
        _positive(names),
        PULL,
        STEPS,
    )
    return _named(names, found[:-1]), -float(found[-1])


def _bend(
    asked: Sequence[Asked], order: Mapping[str, float], level: Mapping[str, float], middle: float
) -> tuple[float, float]:
    """Fit slope and middle, so that the first hits' scores match how often they are right."""
    shares = _shares(asked)
    sums, right, weights = [], [], []
    for at, one in enumerate(asked):
        first = ranked(one, order)
        found = scores_of(one, first, order, level)[:JUDGED]
        sums.append(found)
        right.append(one.pieces[first[:JUDGED]] >= 0)
        weights.append(numpy.full(len(found), shares[at]))
    whole = numpy.concatenate(sums)[:, None].astype(numpy.float32)
    fitted = fit_likelihood(
        whole,
        numpy.concatenate(right).astype(numpy.float32),
        numpy.concatenate(weights),
        numpy.array([True]),
        0.0,
        STEPS,
    )
    slope = max(float(fitted[0]), 1e-3)
    return slope, -float(fitted[1]) / slope if fitted[0] > 0 else middle


@dataclass(frozen=True, slots=True)
class Again:
    """The first candidates of a question again: their second-stage features, and the first stage's result for each."""

    one: Asked
    first: "Numbers"
    rows: "Floats"
    compared: "Floats"
    alone: "Floats"

    @property
    def pieces(self) -> "Numbers":
        return self.one.pieces[self.first]


def look_again(one: Asked, model: Model) -> Again | None:
    """Compute the second stage's input; None if the better model has no vectors."""
    first = ranked(one, model.order)[:COMPARED]
    if one.second is None:
        return None
    spoken = _columns(one, ["note"])[first, 0] == 0
    rows = second_rows(one.second[first], one.groups[first].astype(numpy.int32), spoken, one.told)
    if rows is None:
        return None
    compared, alone = _sums(one, model.order)[first], _sums(_judged(one), model.level)[first]
    return Again(one, first, rows, compared, alone)


def learn_second(asked: Sequence[Asked], model: Model) -> Model | None:
    """Train the weight of the better model's cosines, added to the sums of the model with vectors; None if there are none to train on."""
    other = (one for one in asked if family(one.dataset) != MAPPED)
    again = [found for found in (look_again(one, model) for one in other) if found is not None]
    answered = [found for found in again if (found.pieces >= 0).any()]
    if not answered:
        return None
    shares = _shares([found.one for found in answered])
    table = join(
        [
            (numpy.hstack([found.compared[:, None], found.rows]), found.pieces, shares[at])
            for at, found in enumerate(answered)
        ]
    )
    stage, *added = fit_order(table, numpy.ones(1 + len(SECOND), numpy.bool_), PULL, STEPS).tolist()
    order = dict(zip(SECOND, (TRUSTED * value / max(stage, 1e-3) for value in added), strict=True))
    level, middle, slope = _second_level(again, order)
    return Model(_rounded(order), _rounded(level), round(middle, _DECIMALS), round(slope, 4))


def _second_level(again: "Sequence[Again]", order: Mapping[str, float]) -> tuple[dict[str, float], float, float]:
    shares = numpy.repeat(_shares([found.one for found in again]), [min(JUDGED, len(found.first)) for found in again])
    held = [second_order(found, order) for found in again]
    right = numpy.concatenate(
        [found.pieces[rows[:JUDGED]] >= 0 for found, rows in zip(again, held, strict=True)]
    ).astype(numpy.float32)
    columns = numpy.concatenate(
        [
            numpy.hstack([found.alone[:, None], found.rows])[rows[:JUDGED]]
            for found, rows in zip(again, held, strict=True)
        ]
    )
    names = (STAGE, *SECOND)
    fitted = fit_likelihood(columns, right, shares, numpy.ones(len(names), numpy.bool_), PULL, STEPS)
    level = _named(names, fitted[:-1])
    sums = [second_scores(found, rows, order, level)[:JUDGED] for found, rows in zip(again, held, strict=True)]
    whole = numpy.concatenate(sums)[:, None].astype(numpy.float32)
    slope, constant = fit_likelihood(whole, right, shares, numpy.array([True]), 0.0, STEPS).tolist()
    slope = max(slope, 1e-3)
    return level, -constant / slope, slope


def second_order(found: "Again", order: Mapping[str, float]) -> "Numbers":
    """The indexes of the first candidates, best first."""
    return numpy.argsort(-(found.compared + _added(found, order)), kind="stable")


def second_scores(found: "Again", rows: "Numbers", order: Mapping[str, float], level: Mapping[str, float]) -> "Floats":
    compared = found.compared + _added(found, order)
    alone = found.alone * level.get(STAGE, 1.0) + _added(found, level)
    return levelled(alone[rows], compared[rows])


def _added(found: "Again", weights: Mapping[str, float]) -> "Floats":
    return found.rows @ numpy.array([weights.get(name, 0.0) for name in SECOND], numpy.float32)


def ranked(one: Asked, order: Mapping[str, float]) -> "Numbers":
    sums = _sums(one, order)
    found: Numbers = numpy.lexsort((-numpy.arange(len(sums)), -sums))
    return found


def _judged(one: Asked) -> Asked:
    """With the features by which a hit is judged by itself."""
    return one if one.alone is None else replace(one, rows=one.alone)


def _sums(one: Asked, weights: Mapping[str, float]) -> "Floats":
    sums: Floats = _columns(one, list(weights)) @ numpy.array(list(weights.values()), numpy.float32)
    return sums


def scores_of(one: Asked, first: "Numbers", order: Mapping[str, float], level: Mapping[str, float]) -> "Floats":
    return levelled(_sums(_judged(one), level)[first], _sums(one, order)[first])


def figures(asked: Iterable[Asked], model: Model, second: Model | None = None) -> dict[str, Figures]:
    """For every set: how often the first hit is evidence, and the share of evidence among the first ten."""
    found: dict[str, list[tuple[float, float]]] = {}
    for one in asked:
        if not one.wanted:
            continue
        order = ranked(one, model.order)
        again = None if second is None else look_again(one, model)
        if again is not None and second is not None:
            order = numpy.concatenate([again.first[second_order(again, second.order)], order[COMPARED:]])
        units = list(dict.fromkeys(one.units[order].tolist()))
        seen = [unit for unit in units if unit >= 0]
        got = len(one.wanted & set(seen[:DEPTH])) / len(one.wanted)
        found.setdefault(one.dataset, []).append((float(bool(seen) and seen[0] in one.wanted), got))
    return {name: Figures(*numpy.mean(values, axis=0).tolist()) for name, values in found.items()}


def _shares(asked: Sequence[Asked]) -> list[float]:
    counts = Counter(one.dataset for one in asked)
    kinds = Counter(KINDS.get(name, name) for name in counts)
    return [1 / counts[one.dataset] / kinds[KINDS.get(one.dataset, one.dataset)] for one in asked]


def _columns(one: Asked, names: Sequence[str]) -> "Floats":
    return one.rows[:, [NAMES.index(name) for name in names]]


def _positive(names: Sequence[str]) -> "NDArray[numpy.bool_]":
    return numpy.array([name not in EITHER for name in names])


def _named(names: Sequence[str], values: "NDArray[numpy.float64]") -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, _DECIMALS) for name, value in weights.items() if round(value, _DECIMALS)}
