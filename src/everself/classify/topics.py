"""The topics of a sentence that something acts on: the eight kinds that are promoted, praise and abilities of the agent, a tool that it
forgot, and words that only open a correction. One linear head per topic, over the n-grams of `features.py`. Pure."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from everself.classify.features import BITS as GRAM_BITS
from everself.classify.features import VERSION, features_of
from everself.classify.weights import Weights, load

if TYPE_CHECKING:
    from everself.classify.features import Ints

# the eight kinds that are promoted, in the order that settles ties
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


@lru_cache(maxsize=_HELD)
def likely(text: str) -> dict[Topic, float]:
    import numpy

    arrays, found = _shipped().arrays, features(text)
    summed = arrays["table"][found].sum(axis=0, dtype=numpy.int64) * arrays["scale"]
    odds = summed / numpy.sqrt(max(1, len(found))) + arrays["bias"]
    return dict(zip(TOPICS, (1 / (1 + numpy.exp(-odds.astype(numpy.float64)))).tolist(), strict=True))


def says(text: str, topic: Topic) -> bool:
    return likely(text)[topic] >= float(_shipped().told["thresholds"][TOPICS.index(topic)])


def _shipped() -> Weights:
    return load(PATH, VERSION)
