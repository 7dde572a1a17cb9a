"""The learned heads: for each output that the weights name, its probability for a text and whether that is enough.

There are two sets of heads: `deep` also sees the sentence embedding and is used if an encoder was offered (`encoder.py`); `light` sees
n-grams and layout. Probabilities are calibrated; the trainer chose the thresholds on open corpora. Knows no messages: sentences are scored
one by one.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from everself.classify import encoder
from everself.classify.features import LAYOUT, VERSION, Features, buckets, expanded, features_of
from everself.classify.weights import Weights, load

if TYPE_CHECKING:
    from everself.classify.features import Floats

PATH: Final = os.path.join(os.path.dirname(__file__), "weights.bin")
_HELD: Final = 4_096


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one text. `deep`: its embedding was used."""

    likely: "dict[str, float]"
    enough: "dict[str, float]"
    possible: "dict[str, float]"
    deep: bool

    def __getitem__(self, output: str) -> float:
        return self.likely[output]

    def says(self, output: str) -> bool:
        return self.likely[output] >= self.enough[output]

    def may(self, output: str) -> bool:
        """Whether the output is at least as likely right as not. For callers that check again before they act."""
        return self.likely[output] >= self.possible[output]

    def margin(self, output: str) -> float:
        """How far an output is above its threshold; negative if it is below."""
        return self.likely[output] - self.enough[output]


class Heads:
    """One set of heads; `names` are the columns of its weights."""

    def __init__(self, weights: Weights, kind: str) -> None:
        told = weights.told["heads"][kind]
        self.names: tuple[str, ...] = tuple(told["outputs"])
        self.enough: dict[str, float] = dict(zip(self.names, told["thresholds"], strict=True))
        self.possible: dict[str, float] = dict(zip(self.names, told["possible"], strict=True))
        self._grams = weights.arrays[f"{kind}.grams"]
        self._scale = weights.arrays[f"{kind}.scale"]
        self._dense = weights.arrays[f"{kind}.dense"]
        self._bias = weights.arrays[f"{kind}.bias"]
        self._mean, self._axes = weights.arrays["axes.mean"], weights.arrays["axes.basis"]

    def odds(self, features: Features, vector: Any = None) -> "Floats":
        import numpy

        grams = buckets(features.grams, len(self._grams))
        summed = self._grams[grams].sum(axis=0, dtype=numpy.int64) * self._scale
        found = summed / numpy.sqrt(max(1, len(grams))) + self._bias
        found += features.layout @ self._dense[:LAYOUT].astype(numpy.float32)
        if vector is not None:
            seen = expanded(vector[None, :], self._mean, self._axes)[0]
            found += seen @ self._dense[LAYOUT:].astype(numpy.float32)
        return numpy.asarray(found, dtype=numpy.float32)


def shipped() -> Weights:
    return load(PATH, VERSION)


@lru_cache(maxsize=2)
def heads(kind: str) -> Heads:
    return Heads(shipped(), kind)


def score(text: str, *, deep: bool = True) -> Scores:
    """The scores of one text. `deep=False` embeds nothing."""
    return _score(text, deep, encoder.generation())


def prepare(texts: Sequence[str]) -> None:
    """Embed these texts together, which costs less than one by one; later scores find them embedded."""
    encoder.embed(list(texts)[: encoder.MOST])


@lru_cache(maxsize=_HELD)
def _score(text: str, deep: bool, _generation: int) -> Scores:
    import numpy

    features = features_of(text)
    rows = encoder.embed([text]) if deep else None
    light = heads("light")
    odds = dict(zip(light.names, light.odds(features), strict=True))
    enough, possible = light.enough, light.possible
    if rows is not None:
        own = heads("deep")
        odds |= dict(zip(own.names, own.odds(features, rows[0]), strict=True))
        enough, possible = {**enough, **own.enough}, {**possible, **own.possible}
    likely = {name: float(1 / (1 + numpy.exp(-numpy.float64(one)))) for name, one in odds.items()}
    return Scores(likely, enough, possible, rows is not None)
