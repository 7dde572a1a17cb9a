"""Ranks chunks for a query with the learned weights. Knows no documents, people or settings.

Two passes: all candidates by what the index knows of them, then the best by their wording too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy

from everself.search._features import MEANING, WORDS, QueryFacts, measure
from everself.search._weights import WITH_MEANING, WORDS_ONLY, Model, Weights
from everself.search._word_runs import read_wording, run_share
from everself.search.index_file.protocol import IndexView
from everself.search.matching import NEAREST, choose, match
from everself.text.search import SearchQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.int32]
    Floats = NDArray[numpy.float32]

# how many of the best are compared word for word
COMPARED: Final = 80
# share of its lead that keeps a chunk above a lower one with a better own score
_APART: Final = 0.1
# a scope that sees only some chunks needs more of the nearest to find visible ones
_NEAREST_OF_PART: Final = 4_000

Texts = Callable[[Sequence[int]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """A query with all that was read from it. `visible` marks the chunks that may be found; none means all."""

    text: str
    words: SearchQuery
    asked: QueryFacts
    vector: "Floats | None" = None
    visible: "NDArray[numpy.bool_] | None" = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks, best first, each with its score between 0 and 1 and with what made it: names and shares of the sum before it was bent."""

    chunks: "Numbers"
    scores: "Floats"
    names: tuple[str, ...]
    parts: "Floats"


def rank(view: IndexView, question: RankingQuery, texts: Texts) -> Ranked:
    matched = match(view, question.words)
    chunks = choose(view, matched, _nearest(view, question), question.visible)
    model = WORDS_ONLY if question.vector is None else WITH_MEANING
    measured = measure(view, matched, chunks, question.asked, question.vector)
    names = WORDS if measured.meaning is None else WORDS + MEANING
    features = measured.words if measured.meaning is None else numpy.hstack([measured.words, measured.meaning])
    parts = features * _row(model.order, names)
    order = numpy.lexsort((-chunks, -parts.sum(axis=1)))
    chunks, parts, features = chunks[order], parts[order], features[order]
    runs = numpy.zeros((len(chunks), 1), numpy.float32)
    wording = read_wording(question.text)
    for at, text in enumerate(texts(chunks[:COMPARED].tolist())):
        runs[at] = run_share(wording, text)
    parts = numpy.hstack([parts, model.order.run * runs])
    compared = parts.sum(axis=1)
    order = numpy.lexsort((-chunks, -compared))
    alone = features @ _row(model.level, names) + model.level.run * runs[:, 0]
    sums = _levelled(alone[order], compared[order])
    parts = numpy.hstack([parts[order], (sums - compared[order])[:, None]])
    return Ranked(chunks[order], bend(sums, model), (*names, "run", "level"), parts)


def _levelled(alone: "Floats", compared: "Floats") -> "Floats":
    """What each chunk has by itself, raised to a little above those that stand behind it: for chunks in their order."""
    left = compared * _APART
    behind: Floats = numpy.maximum.accumulate((alone - left)[::-1])[::-1]
    return left + behind


def _row(weights: Weights, names: Sequence[str]) -> "Floats":
    return numpy.array([getattr(weights, name) for name in names], numpy.float32)


def bend(sums: "Floats", model: Model) -> "Floats":
    """From a sum without bounds to a score between 0 and 1."""
    bent: Floats = (1 / (1 + numpy.exp(-model.slope * (sums - model.middle)))).astype(numpy.float32)
    return bent


def _nearest(view: IndexView, question: RankingQuery) -> "Numbers | None":
    if question.vector is None:
        return None
    if question.visible is None:
        return view.nearest(question.vector, NEAREST)
    found = view.nearest(question.vector, _NEAREST_OF_PART)
    return found[question.visible[found]][:NEAREST]
