"""The learnt numbers of the ranker, read from `ranker.json`, which `python -m tools.train_recall` makes.

Two questions, two sets of weights. Which of the candidates is it? There it helps to compare them with one another (`order`). And is it
there at all? That only tells what a chunk has by itself (`level`), because among unrelated chunks one is always ahead. Without vectors,
words have to say more, so there is a model with and one without them. docs/decisions/0065 describes how they are learnt.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Model:
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


def read_model(text: str, *, meaning: bool) -> Model:
    held = json.loads(text)["meaning" if meaning else "words"]
    return Model(held["order"], held["level"], held["middle"], held["slope"])
