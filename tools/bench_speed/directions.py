"""Generated vectors: texts that share words point in similar directions. No model; the same on every machine.

A stub returns a query's vector at once, so that a search is timed without its embedder.
"""

from collections.abc import Mapping, Sequence

import numpy
from numpy.typing import NDArray
from tools.bench_speed.language import Language, Ranks

from everself.models.embedding.protocol import Purpose

Floats = NDArray[numpy.float32]

DIMENSIONS = 512
TOPICS = 4_096
# the distance of a text from the mean of its words; at this value the nearest texts are close but not identical
NOISE = 0.6


class Directions:
    def __init__(self, language: Language) -> None:
        chance = numpy.random.default_rng(language.seed)
        self._topics = chance.standard_normal((TOPICS, DIMENSIONS)).astype(numpy.float32)
        self._topic_of = chance.integers(0, TOPICS, len(language.words)).astype(numpy.int32)
        # a rare word tells more about the subject of a text
        self._weights = numpy.log(numpy.arange(len(language.words)) + 3).astype(numpy.float32)

    def of(self, ranks: Sequence[Ranks], chance: numpy.random.Generator) -> Floats:
        """One unit vector per text, given as the ranks of its words."""
        lengths = [len(one) for one in ranks]
        every = numpy.concatenate(ranks)
        rows = self._topics[self._topic_of[every]] * self._weights[every][:, None]
        starts = numpy.cumsum([0, *lengths[:-1]])
        summed = numpy.add.reduceat(rows, starts, axis=0)
        summed /= numpy.linalg.norm(summed, axis=1, keepdims=True)
        noise = chance.standard_normal(summed.shape).astype(numpy.float32)
        summed += noise * numpy.float32(NOISE / DIMENSIONS**0.5)
        found: Floats = summed / numpy.linalg.norm(summed, axis=1, keepdims=True)
        return found


class Stub:
    """An embedder with the precomputed vectors of a few questions."""

    provider = "made-up"
    model = "directions/1"
    paid = False

    def __init__(self, known: Mapping[str, Floats]) -> None:
        self.dimensions: int | None = DIMENSIONS
        self._known = known

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> Floats:
        if purpose != "query":
            raise AssertionError("made-up texts come with their vectors")
        # a reply that is searched for is not among the questions; any vector costs the same search
        other = next(iter(self._known.values()))
        return numpy.stack([self._known.get(text, other) for text in texts])
