"""The layer that judges a whole message, trained on the heads' results for messages that they were not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy
from numpy.typing import NDArray
from tools.train_classify.examples import Example
from tools.train_classify.figures import calibrate, choose, measure
from tools.train_classify.fit import Floats, Ints, descend

from everself.classify.encoder import MOST
from everself.classify.features import features_of
from everself.classify.messages import WHOLE, forward, inputs
from everself.text.sentences import split

HIDDEN: Final = 16
_RIDGE: Final = 10.0
_STEPS: Final = 300
_SEED: Final = 16
# the weight of a message of another corpus
_OTHER: Final = 0.7
_PRECISE: Final = {"strong": 0.9}


@dataclass(frozen=True, slots=True)
class Message:
    """`labels`: for each of `WHOLE` whether it applies, or -1 if unknown."""

    text: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...]
    written: bool
    # the fold group that the message shares with its parts
    group: str


def messages(examples: Sequence[Example]) -> list[Message]:
    found: dict[str, Message] = {}
    for one in examples:
        labels = tuple(one.whole.get(name, -1) for name in WHOLE)
        sentences = tuple(one.text[start:end] for start, end in split(one.text))[: MOST - 1]
        if sentences and any(label >= 0 for label in labels):
            written = one.corpus == "messages"
            made = Message(" ".join(sentences), sentences, labels, written, one.group or one.text)
            found.setdefault(one.text, made)
    return list(found.values())


def pieces(one: Message) -> tuple[str, ...]:
    return tuple(dict.fromkeys((one.text, *one.sentences)))


@dataclass(frozen=True, slots=True)
class Layer:
    arrays: Mapping[str, NDArray[Any]]
    thresholds: tuple[float, ...]
    possible: tuple[float, ...]
    figures: tuple[Mapping[str, float], ...]


def learn_whole(found: Sequence[Message], odds: Mapping[str, Floats], folds: Ints, name: str) -> Layer:
    """Train the layer. `odds`: of every piece, by heads that were not trained on it."""
    rows = numpy.stack(
        [
            inputs(odds[one.text], numpy.stack([odds[part] for part in one.sentences]), features_of(one.text).layout)
            for one in found
        ]
    ).astype(numpy.float64)
    labels = numpy.array([one.labels for one in found], dtype=numpy.float64)
    written = numpy.array([one.written for one in found])
    weight = (labels >= 0) * numpy.where(written, 1.0, _OTHER)[:, None]
    held = numpy.zeros_like(labels)
    for fold in sorted(set(folds.tolist())):
        inside, outside = folds != fold, folds == fold
        held[outside] = forward(_fit(rows[inside], labels[inside], weight[inside], name), name, rows[outside])
    arrays = _fit(rows, labels, weight, name)
    thresholds, possible, figures = [], [], []
    scale = numpy.ones(len(WHOLE))
    for at, output in enumerate(WHOLE):
        judged = written & (labels[:, at] >= 0)
        own, wanted, even = held[judged, at], labels[judged, at], numpy.ones(int(judged.sum()))
        scale[at] = calibrate(own, wanted, even)
        own = own / scale[at]
        thresholds.append(choose(own, wanted, even, _PRECISE.get(output, 0.0)))
        possible.append(choose(own, wanted, even, 0.0))
        figures.append(measure(own, wanted, thresholds[-1]))
    arrays[f"{name}.out"] = (arrays[f"{name}.out"] / scale).astype("<f4")
    arrays[f"{name}.out_bias"] = (arrays[f"{name}.out_bias"] / scale).astype("<f4")
    return Layer(arrays, tuple(thresholds), tuple(possible), tuple(figures))


class _Loss:
    """The loss as a function of the weights of both layers in one vector."""

    def __init__(self, rows: Floats, labels: Floats, weight: Floats) -> None:
        self._rows, self._wanted, self._weight = rows, numpy.maximum(0.0, labels), weight

    def of(self, point: Floats) -> tuple[float, Floats]:
        first, first_bias, last, last_bias = _parts(point, self._rows.shape[1])
        hidden = numpy.tanh(self._rows @ first + first_bias)
        odds = hidden @ last + last_bias
        margin = numpy.where(self._wanted > 0, odds, -odds)
        value = float((self._weight * numpy.logaddexp(0.0, -margin)).sum()) + _RIDGE / 2 * float(point @ point)
        error = (1 / (1 + numpy.exp(-numpy.clip(odds, -60, 60))) - self._wanted) * self._weight
        back = (error @ last.T) * (1 - hidden**2)
        slope = [self._rows.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
        return value, numpy.concatenate([one.ravel() for one in slope]) + _RIDGE * point


def _parts(point: Floats, width: int) -> tuple[Floats, Floats, Floats, Floats]:
    ends = numpy.cumsum([width * HIDDEN, HIDDEN, HIDDEN * len(WHOLE)])
    first, first_bias, last, last_bias = numpy.split(point, ends)
    return first.reshape(width, HIDDEN), first_bias, last.reshape(HIDDEN, len(WHOLE)), last_bias


def _fit(rows: Floats, labels: Floats, weight: Floats, name: str) -> dict[str, NDArray[Any]]:
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-2
    width = rows.shape[1]
    count = width * HIDDEN + HIDDEN + HIDDEN * len(WHOLE) + len(WHOLE)
    point = numpy.random.default_rng(_SEED).normal(size=count) / numpy.sqrt(width)
    point = descend(_Loss((rows - mean) / spread, labels, weight), point, _STEPS)
    first, first_bias, last, last_bias = _parts(point, width)
    return {
        f"{name}.in": (first / spread[:, None]).astype("<f4"),
        f"{name}.in_bias": (first_bias - (mean / spread) @ first).astype("<f4"),
        f"{name}.out": last.astype("<f4"),
        f"{name}.out_bias": last_bias.astype("<f4"),
    }
