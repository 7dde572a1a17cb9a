"""Classifies a message as a whole: whether it contains something to keep, corrects outright, or mainly asks. Pure.

A small hidden layer over the heads' odds for the whole text and for its sentences, because a fact next to a question is its background, and
a text that asks or wants something forgotten does not correct. `statements.py` and `corrections.py` find the sentence.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from everself.classify import encoder
from everself.classify.features import features_of
from everself.classify.model import Scores, prepare, score, shipped

if TYPE_CHECKING:
    from everself.classify.features import Floats

WHOLE: Final = ("keep", "strong", "asks")
SUREST, _MANY, _HELD = 8.0, 8, 512


def read_whole(sentences: Sequence[str], *, deep: bool = True) -> Scores:
    """The scores of a message, from the sentences in it that the person said, in order."""
    return _read(tuple(sentences[: encoder.MOST - 1]), deep, encoder.generation())


@lru_cache(maxsize=_HELD)
def _read(sentences: tuple[str, ...], deep: bool, _generation: int) -> Scores:
    import numpy

    text = " ".join(sentences)
    if deep:
        prepare([text, *sentences])
    whole = score(text, deep=deep)
    each = [score(one, deep=deep) for one in sentences] or [whole]
    told = shipped().told["whole"][kind := "deep" if whole.deep else "light"]
    names = tuple(told["inputs"])
    seen = inputs(odds_of(whole, names), numpy.stack([odds_of(one, names) for one in each]), features_of(text).layout)
    odds = forward(shipped().arrays, f"whole.{kind}", seen[None, :])[0]
    likely = {name: float(1 / (1 + numpy.exp(-one))) for name, one in zip(WHOLE, odds, strict=True)}
    enough, possible = (dict(zip(WHOLE, told[part], strict=True)) for part in ("thresholds", "possible"))
    return Scores(likely, enough, possible, whole.deep)


def odds_of(scores: Scores, names: Sequence[str]) -> "Floats":
    import numpy

    likely = numpy.clip([scores[name] for name in names], 1e-6, 1 - 1e-6)
    found: Floats = numpy.log(likely / (1 - likely)).astype(numpy.float32)
    return found


def inputs(whole: "Floats", each: "Floats", layout: "Floats") -> "Floats":
    """The inputs of the layer: the odds of the whole, the highest of its sentences, those of its first and last, their number, and the
    layout."""
    import numpy

    parts = [whole, each.max(axis=0), each[0], each[-1], [min(1.0, len(each) / _MANY)], layout]
    found: Floats = numpy.clip(numpy.concatenate(parts), -SUREST, SUREST).astype(numpy.float32)
    return found


def forward(arrays: Any, name: str, rows: "Floats") -> "Floats":
    """The log odds of `WHOLE`, one row per message."""
    import numpy

    hidden = numpy.tanh(rows @ arrays[f"{name}.in"] + arrays[f"{name}.in_bias"])
    found: Floats = (hidden @ arrays[f"{name}.out"] + arrays[f"{name}.out_bias"]).astype(numpy.float32)
    return found
