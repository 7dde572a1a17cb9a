"""Similarity of two texts from 0 to 1, calibrated so that a value means the same for every embedder.

Uses vectors if they are free, else shared words. Knows no entry and no index.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.errors import EmbeddingFailed
from everself.text.normalise import fold
from everself.text.search import TermKind, read_query
from everself.values import Hit

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder
    from everself.search.arrays import Floats

# The cosines (or word overlaps) that map to .5, .8, .85, .9 and 1, measured on tests/corpora/likeness.jsonl: half of the pairs from one
# field are below .5 and all of them below .8; a tenth of the restatements is below .85, a quarter below .9.
Curve = tuple[float, float, float, float, float]
_POINTS: Final = (0.5, 0.8, 0.85, 0.9, 1.0)
_CURVES: Final[dict[str, Curve]] = {
    "use-multilingual": (0.29, 0.56, 0.82, 0.88, 1.0),
    "multilingual-e5-small": (0.88, 0.925, 0.966, 0.974, 1.0),
}
# an embedder without a measured curve: its cosine is used as it is
_UNMEASURED: Final[Curve] = _POINTS
_WORDS: Final[Curve] = (0.25, 0.5, 0.6, 0.75, 1.0)
_LONGEST: Final = 2_000
# the name of the score part with the cosine of a hit
COSINE: Final = "cosine"
_HELD: Final = 20_000


class TextSimilarity:
    """Caches vectors for its lifetime: a keeper compares the same entries again and again."""

    def __init__(self, embedder: "Embedder | None" = None) -> None:
        self._embedder = None if embedder is None or embedder.paid else embedder
        self._held: OrderedDict[str, Floats] = OrderedDict()

    def of(self, text: str, others: Sequence[str]) -> list[float]:
        """The similarity of the text to each of the others."""
        if self._embedder is None or not others:
            return self.by_words(text, others)
        try:
            own, *rows = self._vectors([text, *others], self._embedder)
        except EmbeddingFailed:
            return self.by_words(text, others)
        curve = curve_of(self._embedder.model)
        alike = (1.0 if fold(text) == fold(other) else 0.0 for other in others)
        return [max(same, calibrated(float(row @ own), curve)) for same, row in zip(alike, rows, strict=True)]

    def by_words(self, text: str, others: Sequence[str]) -> list[float]:
        """The same by significant words only."""
        own = words_of(text)
        return [calibrated(overlap(own, words_of(other)), _WORDS) for other in others]

    def _vectors(self, texts: Sequence[str], embedder: "Embedder") -> "list[Floats]":
        new = list(dict.fromkeys(text for text in texts if text not in self._held))
        if new:
            self._held.update(zip(new, embedder.embed([text[:_LONGEST] for text in new]), strict=True))
        found = [self._held[text] for text in texts]
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return found


def curve_of(model: str) -> Curve:
    """The curve of an embedder, by the beginning of its model name."""
    return next((curve for name, curve in _CURVES.items() if model.startswith(name)), _UNMEASURED)


def calibrated(measured: float, curve: Curve) -> float:
    """Linear interpolation between the points."""
    below, start = 0.0, 0.0
    for point, end in zip(_POINTS, curve, strict=True):
        if measured < end:
            return max(0.0, below + (point - below) * (measured - start) / (end - start))
        below, start = point, end
    return 1.0


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common words: the words of both texts divided by all words (Jaccard)."""
    either = len(one | other)
    return len(one & other) / either if either else 0.0


@lru_cache(maxsize=_HELD)
def words_of(text: str) -> frozenset[str]:
    """The stems of the significant words."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return frozenset(term.alternatives[0] for term in read_query(text[:_LONGEST]).terms if term.kind not in kinds)


def meaning_of(hit: Hit) -> float | None:
    """The similarity of the query's and the hit's vectors from 0 to 1; None if the search compared none."""
    part = next((one.value for one in hit.parts if one.name == COSINE), None)
    return None if part is None else min(1.0, max(0.0, part))
