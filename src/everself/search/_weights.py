"""The learnt numbers of the ranker, read from `ranker.json`, which `python -m tools.train_recall` makes.

Two questions, two sets of weights. Which of the candidates is it? There it helps to compare them with one another (`order`). And is it
there at all? That only tells what a chunk has by itself (`level`), because among unrelated chunks one is always ahead. Without vectors,
words have to say more, so there is a model with and one without them. The third puts the best of them in order once more by the better
model's vectors, on top of the first one's sums. docs/decisions/0065 and 0077 describe how they are learnt.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from everself.frozen import Frozen

Weights = Mapping[str, float]


class Model(Frozen):
    """How candidates are ordered, and how likely one is right: `middle` and `slope` turn its sum into a score between 0 and 1.

    A feature without a weight counts nothing.
    """

    order: Weights
    level: Weights
    middle: float
    slope: float


@cache
def load_model(*, meaning: bool) -> Model:
    """The model with vectors, or the one by words alone."""
    text = resources.files("everself.search").joinpath("ranker.json").read_text(encoding="utf-8")
    return read_model(text, meaning=meaning)


@cache
def load_second() -> Model:
    """The model of the second stage: what is added to the sums of the model with vectors."""
    text = resources.files("everself.search").joinpath("ranker.json").read_text(encoding="utf-8")
    return read_second(text)


def read_second(text: str) -> Model:
    return _model(json.loads(text)["second"])


def read_model(text: str, *, meaning: bool) -> Model:
    return _model(json.loads(text)["meaning" if meaning else "words"])


def _model(held: Mapping[str, Any]) -> Model:
    return Model(held["order"], held["level"], held["middle"], held["slope"])
