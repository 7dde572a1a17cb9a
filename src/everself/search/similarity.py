"""Similarity of two texts from 0 to 1, calibrated so that a value means the same for every embedder.

By vectors where there are some that cost nothing, by shared words else. Knows no entry and no index.
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

# Where cosines, or shares of common words, reach a calibrated .5, .8, .85, .9 and 1, over the pairs of tests/corpora/likeness.jsonl:
# half of the pairs of one field lie below .5 and all of them below .8; a tenth of the restatements lies below .85, a quarter below .9.
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
# the part of a hit that holds what the vectors say, for those who show it
COSINE: Final = "cosine"
_HELD: Final = 20_000


class TextSimilarity:
    """Vectors are held for as long as this is: a keeper compares the same entries again and again."""

    def __init__(self, embedder: "Embedder | None" = None) -> None:
        self._embedder = None if embedder is None or embedder.paid else embedder
        self._held: OrderedDict[str, Floats] = OrderedDict()

    def of(self, text: str, others: Sequence[str]) -> list[float]:
        """How much each of the others says the same as the text."""
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
        """By the words that say something, of all words that either holds."""
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
    """The curve of an embedder, by how the name of its model begins."""
    return next((curve for name, curve in _CURVES.items() if model.startswith(name)), _UNMEASURED)


def calibrated(measured: float, curve: Curve) -> float:
    """Straight lines between the points."""
    below, start = 0.0, 0.0
    for point, end in zip(_POINTS, curve, strict=True):
        if measured < end:
            return max(0.0, below + (point - below) * (measured - start) / (end - start))
        below, start = point, end
    return 1.0


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common words of all words."""
    either = len(one | other)
    return len(one & other) / either if either else 0.0


@lru_cache(maxsize=_HELD)
def words_of(text: str) -> frozenset[str]:
    """The words that say something, by their stems."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return frozenset(term.alternatives[0] for term in read_query(text[:_LONGEST]).terms if term.kind not in kinds)


def meaning_of(hit: Hit) -> float | None:
    """From 0 to 1, how near the vectors of the query and the hit are; nothing where the search compared none."""
    part = next((one.value for one in hit.parts if one.name == COSINE), None)
    return None if part is None else min(1.0, max(0.0, part))
