"""How much two texts say the same, from 0 to 1 and alike for every embedder: what .9, .85 and .8 mean here is measured, not guessed.

By vectors where there are some, by shared words else. Knows no entry and no index. Which embedder has which curve stands in `_CURVES`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from everself.errors import EmbeddingFailed
from everself.text.normalise import fold
from everself.text.search import TermKind, read_query

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder

# Cosines at which pairs of sentences reach a calibrated .5, .8, .85, .9 and 1; see docs/decisions/0035 for how they were measured.
Curve = tuple[float, float, float, float, float]
_POINTS: Final = (0.5, 0.8, 0.85, 0.9, 1.0)
_USUAL: Final[Curve] = (0.55, 0.80, 0.85, 0.90, 1.0)
_CURVES: Final[dict[str, Curve]] = {}


class Likeness:
    def __init__(self, embedder: "Embedder | None" = None) -> None:
        self._embedder = embedder

    def of(self, text: str, others: Sequence[str]) -> list[float]:
        """How much each of the others says the same as the text."""
        if not others:
            return []
        if self._embedder is None or self._embedder.paid:
            return self.by_words(text, others)
        try:
            vectors = self._embedder.embed([text, *others])
        except EmbeddingFailed:
            return self.by_words(text, others)
        curve = curve_of(self._embedder.model)
        return [
            1.0 if fold(text) == fold(other) else calibrated(float(row @ vectors[0]), curve)
            for other, row in zip(others, vectors[1:], strict=True)
        ]

    def by_words(self, text: str, others: Sequence[str]) -> list[float]:
        """By the words that say something, of all words that either holds."""
        own = words_of(text)
        return [overlap(own, words_of(other)) for other in others]


def curve_of(model: str) -> Curve:
    """The curve of an embedder, by how its model's name begins; one that nobody measured is taken at its word."""
    return next((curve for name, curve in _CURVES.items() if model.startswith(name)), _USUAL)


def calibrated(cosine: float, curve: Curve) -> float:
    """Straight lines between the measured points."""
    below, from_ = 0.0, 0.0
    for point, at in zip(_POINTS, curve, strict=True):
        if cosine < at:
            return max(0.0, below + (point - below) * (cosine - from_) / (at - from_))
        below, from_ = point, at
    return 1.0


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    either = one | other
    return len(one & other) / len(either) if either else 0.0


def words_of(text: str) -> frozenset[str]:
    """The words that say something, by their stems."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return frozenset(term.alternatives[0] for term in read_query(text[:2_000]).terms if term.kind not in kinds)
