"""What a sentence is about, as far as somebody acts on it: the eight kinds that are promoted, praise and abilities of the agent, a tool
that it forgot, and words that only open a correction. A linear head an answer, over the n-grams of `features.py`. Pure.
"""

import mmap
import os
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from everself.classify.features import BITS as GRAM_BITS
from everself.classify.features import VERSION, features_of
from everself.classify.weights import Weights, unpack
from everself.errors import Damaged

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Ints = NDArray[numpy.int64]

# the eight of the seed, in the order that settles ties
Category = Literal["explicit", "decision", "legal", "financial", "architecture", "milestone", "strategy", "people"]
Topic = Category | Literal["welcome", "ability", "tool", "opener"]
TOPICS: Final[tuple[Topic, ...]] = (*get_args(Category), "welcome", "ability", "tool", "opener")
PATH: Final = os.path.join(os.path.dirname(__file__), "topics.bin")
BITS: Final = 13
_HELD: Final = 4_096


def features(text: str) -> "Ints":
    """The n-grams of `features.py` in fewer buckets."""
    import numpy

    found: Ints = numpy.unique(features_of(text).grams >> (GRAM_BITS - BITS))
    return found


class Topics:
    def __init__(self, weights: Weights) -> None:
        if weights.told["features"] != VERSION:
            raise Damaged("The weights for topics belong to another version of Everself. Install it again.")
        self.enough: dict[Topic, float] = dict(zip(TOPICS, weights.told["thresholds"], strict=True))
        self._table: Any = weights.arrays["table"]
        self._scale: Any = weights.arrays["scale"]
        self._bias: Any = weights.arrays["bias"]

    def likely(self, text: str) -> dict[Topic, float]:
        import numpy

        found = features(text)
        summed = self._table[found].sum(axis=0, dtype=numpy.int64) * self._scale
        odds = summed / numpy.sqrt(max(1, len(found))) + self._bias
        return dict(zip(TOPICS, (1 / (1 + numpy.exp(-odds.astype(numpy.float64)))).tolist(), strict=True))


@lru_cache(maxsize=_HELD)
def likely(text: str) -> dict[Topic, float]:
    return _shipped().likely(text)


def says(text: str, topic: Topic) -> bool:
    return likely(text)[topic] >= _shipped().enough[topic]


@cache
def _shipped() -> Topics:
    with open(PATH, "rb") as file:
        return Topics(unpack(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
