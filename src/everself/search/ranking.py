"""Ranks chunks for a query with the learned weights. Knows no documents, people or settings.

Two passes: all candidates by what the index knows of them, then the best by their wording too.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Final

import numpy

from everself.search import _second_stage
from everself.search._features import MEANING, WORDS, QueryFacts, measure
from everself.search._weights import Model, Weights, load_model, load_second
from everself.search.index_file.protocol import IndexView
from everself.search.matching import NEAREST, choose, counts_at, match, newest, norm, saturate
from everself.text.search import SearchQuery, fold_for_phrase, index_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.int32]
    Floats = NDArray[numpy.float32]

_ENDS: Final = " ?？!！。.,、，　"
# a longer query is a pasted text, and comparing all of it is too slow
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class QueryWording:
    """A query as it is compared: by characters where it is written without blanks, else by words."""

    characters: str
    words: tuple[str, ...]


def read_wording(query: str) -> QueryWording:
    folded = fold_for_phrase(query[:_LONGEST]).strip(_ENDS)
    if sum(character > "⺀" for character in folded) * 3 > len(folded):
        return QueryWording(folded, ())
    return QueryWording("", tuple(_words(folded)))


def run_share(wording: QueryWording, text: str) -> float:
    """0 where nothing of the query stands in a row in the text, 1 where all of it does."""
    folded = fold_for_phrase(text)
    if wording.characters:
        return _share_of_characters(wording.characters, folded)
    return _share_of_words(wording.words, _words(folded))


def _share_of_characters(query: str, text: str) -> float:
    size, at, total = len(query), 0, 0
    while at < size:
        end = at + 1
        while end <= size and query[at:end] in text:
            end += 1
        length = end - 1 - at
        total += length * length
        at += max(1, length)
    return sqrt(total) / size if size else 0.0


def _share_of_words(query: tuple[str, ...], words: Sequence[str]) -> float:
    """A word alone is what postings tell already: only the steps from one to the next count."""
    there, text = frozenset(words), ""
    size, at, total = len(query), 0, 0
    while at < size:
        end = at + 1
        while end < size and query[at] in there and query[end] in there:
            text = text or f" {' '.join(words)} "
            if f" {' '.join(query[at : end + 1])} " not in text:
                break
            end += 1
        total += (end - at - 1) ** 2
        at = end
    return sqrt(total) / (size - 1) if size > 1 else 0.0


def _words(text: str) -> list[str]:
    return text.translate(_TABLE).split()


class _Table(dict[int, str]):
    """Characters as they are where words are made of them, else a blank. Filled as they are met: a pattern takes ten times as long."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character == "_" or unicodedata.category(character)[0] in "LNM"
        found = self[code] = character if kept else " "
        return found


_TABLE: Final = _Table()


# the feature that wording gives
RUN: Final = "run"
# what the first stage says of a chunk alone, in the second
STAGE: Final = "stage"
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
    # by the better model; asked for only where its vectors can count, because it is slow
    second: "Callable[[], Floats | None] | None" = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks, best first, each with its score between 0 and 1 and with what made it: names and shares of the sum before it was bent."""

    chunks: "Numbers"
    scores: "Floats"
    names: tuple[str, ...]
    parts: "Floats"
    # nothing where no vectors were compared
    cosines: "Floats | None" = None

    def between(self, first: int, last: int) -> "Ranked":
        """Those from one rank on, before another."""
        part = slice(first, last)
        cosines = None if self.cosines is None else self.cosines[part]
        return Ranked(self.chunks[part], self.scores[part], self.names, self.parts[part], cosines)


def rank(view: IndexView, question: RankingQuery, texts: Texts) -> Ranked:
    matched = match(view, question.words)
    chunks = choose(view, matched, _nearest(view, question), question.visible)
    if not len(chunks):
        chunks = newest(view, question.visible)
    model = load_model(meaning=question.vector is not None)
    measured = measure(view, matched, chunks, question.asked, question.vector)
    names = WORDS if measured.meaning is None else WORDS + MEANING
    features = measured.words if measured.meaning is None else numpy.hstack([measured.words, measured.meaning])
    parts = features * _row(model.order, names)
    doubted = measured.meaning is not None and measured.trust.min(initial=1.0) < 1
    if doubted:
        parts[:, : len(WORDS)] *= measured.trusted
    order = numpy.lexsort((-chunks, -parts.sum(axis=1)))
    chunks, parts, features = chunks[order], parts[order], features[order]
    runs = numpy.zeros((len(chunks), 1), numpy.float32)
    wording = read_wording(question.text)
    for at, text in enumerate(texts(chunks[:COMPARED].tolist())):
        runs[at] = run_share(wording, text)
    trusted_runs = runs * measured.trust[order, None] if doubted else runs
    parts = numpy.hstack([parts, model.order.get(RUN, 0.0) * trusted_runs])
    # by itself a hit is judged by all of its words: trust only compares it with others
    alone = features @ _row(model.level, names) + model.level.get(RUN, 0.0) * runs[:, 0]
    order = numpy.lexsort((-chunks, -parts.sum(axis=1)))
    cosines = None if measured.meaning is None else features[order, names.index("meaning")]
    first = _Stage(chunks[order], (*names, RUN), parts[order], alone[order], model, cosines)
    if question.second is None:
        return first.ranked()
    return _again(view, first, question.second, measured.told).ranked()


@dataclass(frozen=True, slots=True)
class _Stage:
    """Chunks, best first, with what made their order (`parts`) and what each has by itself (`alone`)."""

    chunks: "Numbers"
    names: tuple[str, ...]
    parts: "Floats"
    alone: "Floats"
    model: Model
    cosines: "Floats | None"

    def ranked(self) -> Ranked:
        compared = self.parts.sum(axis=1)
        sums = levelled(self.alone, compared)
        parts = numpy.hstack([self.parts, (sums - compared)[:, None]])
        return Ranked(self.chunks, bend(sums, self.model), (*self.names, "level"), parts, self.cosines)


def _again(view: IndexView, first: _Stage, second: "Callable[[], Floats | None]", told: float) -> _Stage:
    """The best once more in order, by the better model too. What is behind them stays behind the place that it has by words."""
    best = first.chunks[: _second_stage.COMPARED]
    vector = second() if _second_stage.can_measure(view, best) else None
    rows = None if vector is None else _second_stage.measure_second(view, vector, best, told)
    if rows is None:
        return first
    model = load_second()
    added = numpy.zeros((len(first.chunks), len(_second_stage.SECOND)), numpy.float32)
    added[: len(best)] = rows
    # unknown, and not better than the least of those that were compared
    added[len(best) :] = rows.min(axis=0)
    parts = numpy.hstack([first.parts, added * _row(model.order, _second_stage.SECOND)])
    alone = first.alone * model.level.get(STAGE, 1.0) + added @ _row(model.level, _second_stage.SECOND)
    order = numpy.lexsort((-first.chunks, -parts.sum(axis=1)))
    cosines = None if first.cosines is None else first.cosines[order]
    return _Stage(
        first.chunks[order], (*first.names, *_second_stage.SECOND), parts[order], alone[order], model, cosines
    )


def levelled(alone: "Floats", compared: "Floats") -> "Floats":
    """What each chunk has by itself, raised to a little above those that stand behind it: for chunks in their order."""
    left = compared * _APART
    behind: Floats = numpy.maximum.accumulate((alone - left)[::-1])[::-1]
    return left + behind


def _row(weights: Weights, names: Sequence[str]) -> "Floats":
    return numpy.array([weights.get(name, 0.0) for name in names], numpy.float32)


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


_LEAST: Final = 0.01


def rank_by_sum(view: IndexView, question: RankingQuery, vector_weight: float, text_weight: float) -> Ranked:
    """Seed 3: the cosine times one weight plus the share of the best BM25 times the other."""
    matched = match(view, question.words)
    nearest = None if question.vector is None else view.nearest(question.vector, NEAREST)
    chunks = choose(view, matched, nearest, question.visible)
    lengths = view.columns["length"]
    norms = norm(lengths[chunks].astype(numpy.float32), max(1.0, float(lengths.mean())) if len(lengths) else 1.0)
    words = numpy.zeros(len(chunks), numpy.float32)
    for one in matched:
        counts = counts_at(one.chunks, one.counts, chunks)
        words += one.weight * saturate(counts, norms)
    text = words / max(float(words.max()), 1e-6) if len(words) else words
    if question.vector is None:
        return _ordered(chunks, text, ("text",), text[:, None])
    cosines = numpy.nan_to_num(view.cosines(question.vector, chunks))
    parts = numpy.stack([vector_weight * cosines, text_weight * text], axis=1).astype(numpy.float32)
    return _ordered(chunks, numpy.clip(parts.sum(axis=1), 0, 1), ("vector", "text"), parts)


def rank_by_tfidf(view: IndexView, question: RankingQuery, texts: Texts) -> Ranked:
    """Seed 0: the cosine between bags of words, a word weighing its frequency times log(chunks / chunks with it)."""
    matched = match(view, question.words)
    chunks = choose(view, matched, None, question.visible)
    living = max(1, view.living)
    rarity: dict[str, float] = {}

    def weigh(term: str) -> float:
        if term not in rarity:
            count = len(view.postings(term)[0])
            rarity[term] = log(living / count) if count else 0.0
        return rarity[term]

    # the spelling under which the word was indexed
    usual = [max(one.term.alternatives, key=lambda term: len(view.postings(term)[0])) for one in matched]
    asked = {term: weigh(term) for term in usual}
    scores = numpy.array([_cosine(asked, text, weigh) for text in texts(chunks.tolist())], numpy.float32)
    strong = scores > _LEAST if len(scores) else numpy.zeros(0, numpy.bool_)
    return _ordered(chunks[strong], scores[strong], ("tf-idf",), scores[strong][:, None])


def _cosine(asked: dict[str, float], text: str, weigh: Callable[[str], float]) -> float:
    counts = index_terms(text).counts
    size = max(1, sum(counts.values()))
    own = {term: count / size * weigh(term) for term, count in counts.items()}
    length = sqrt(sum(value * value for value in own.values())) * sqrt(sum(value * value for value in asked.values()))
    return sum(value * own.get(term, 0.0) for term, value in asked.items()) / length if length else 0.0


def _ordered(chunks: "NDArray[numpy.int32]", scores: "Floats", names: Sequence[str], parts: "Floats") -> Ranked:
    order = numpy.lexsort((-chunks, -scores))
    return Ranked(chunks[order], scores[order].astype(numpy.float32), tuple(names), parts[order])
