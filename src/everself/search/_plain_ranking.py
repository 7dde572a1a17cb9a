"""Two simple rankings, as options: a weighted sum and TF-IDF."""

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import TYPE_CHECKING, Final

import numpy

from everself.search.index_file.protocol import IndexView
from everself.search.matching import NEAREST, choose, counts_at, match, saturate
from everself.search.ranking import Ranked, RankingQuery, Texts
from everself.text.search import index_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]

_LEAST: Final = 0.01


def rank_by_sum(view: IndexView, question: RankingQuery, vector_weight: float, text_weight: float) -> Ranked:
    """Seed 3: the cosine times one weight plus the share of the best BM25 times the other."""
    matched = match(view, question.words)
    nearest = None if question.vector is None else view.nearest(question.vector, NEAREST)
    chunks = choose(view, matched, nearest, question.visible)
    lengths = view.columns["length"]
    average = max(1.0, float(lengths.mean())) if len(lengths) else 1.0
    words = numpy.zeros(len(chunks), numpy.float32)
    for one in matched:
        counts = counts_at(one.chunks, one.counts, chunks)
        words += one.weight * saturate(counts, lengths[chunks].astype(numpy.float32), average)
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
