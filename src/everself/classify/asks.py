"""Recognises questions that ask memory for something other than a fact: who the agent is, who the owner is, everything known, everything
about one thing, what was said on a day, or a reminder. Learned; the weights are in `pairs.bin`."""

from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from everself.classify import encoder
from everself.classify.features import features_of
from everself.classify.pairs import shipped
from everself.text.search import TermKind, read_query

if TYPE_CHECKING:
    from everself.classify.features import Ints

Ask = Literal["agent", "owner", "all", "about", "day", "remind"]
ASKS: Final[tuple[Ask, ...]] = get_args(Ask)
BUCKETS: Final = 1 << 13
# weight of an embedding's numbers relative to n-grams
SCALE: Final = 3.0


def buckets(text: str) -> "Ints":
    """N-gram buckets of a text: fewer than for a message, because there are few examples."""
    import numpy

    found: Ints = numpy.unique(features_of(text).grams % BUCKETS)
    return found


def terms_of(text: str) -> frozenset[str]:
    """The words of a text that are more than grammar."""
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    return frozenset(term.alternatives[0] for term in read_query(text).terms if term.kind not in kinds)


def topic_of(text: str) -> frozenset[str]:
    """The subject of such a question: its words without those of the question's frame."""
    return terms_of(text) - _frame()


@cache
def _frame() -> frozenset[str]:
    return frozenset(shipped().told["asks"]["frame"])


def asks(text: str) -> Ask | None:
    """The clearest of these kinds; None if the text asks for a fact, or for nothing."""
    import numpy

    weights, vectors, found = shipped(), encoder.embed([text]), buckets(text)
    kind = "light" if vectors is None else "deep"
    grams, scale, dense, bias = (weights.arrays[f"asks.{kind}.{name}"] for name in ("grams", "scale", "dense", "bias"))
    odds = grams[found].sum(axis=0, dtype=numpy.int64) * scale / numpy.sqrt(max(1, len(found))) + bias
    if vectors is not None:
        odds = odds + SCALE * (vectors[0] @ dense.astype(numpy.float32))
    likely = 1 / (1 + numpy.exp(-numpy.asarray(odds, dtype=numpy.float64)))
    told = weights.told["asks"][kind]
    enough = [one for one, value in zip(ASKS, likely, strict=True) if value >= told[one]["sure"]]
    return max(enough, key=lambda one: float(likely[ASKS.index(one)])) if enough else None
