"""The learned weights of the ranker, read from `ranker.json`, which `python -m tools.train_recall` writes.

There are two sets of weights. `order` ranks the candidates and compares them with each other. `level` tells whether the answer is there
at all, and uses only features of the chunk itself, because one of many unrelated chunks is always ahead. Without vectors, words must tell
more, so there is a model with and one without them. A third model reorders the best candidates by the better embedder, on top of the
first sums. See docs/decisions/0065 and 0077.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from everself.frozen import Frozen
from everself.search._packaged import read_packaged

Weights = Mapping[str, float]

_FILE: Final = "ranker.json"


class Model(Frozen):
    """The weights for ranking. `middle` and `slope` turn a sum into a score between 0 and 1.

    A feature without a weight does not count.
    """

    order: Weights
    level: Weights
    middle: float
    slope: float


@cache
def load_model(*, meaning: bool) -> Model:
    """The model with vectors, or the one for keywords only."""
    return read_model(read_packaged(_FILE), meaning=meaning)


@cache
def load_second() -> Model:
    """The model of the second stage, added to the sums of the model with vectors."""
    return read_second(read_packaged(_FILE))


def read_second(text: str) -> Model:
    return _model(json.loads(text)["second"])


def read_model(text: str, *, meaning: bool) -> Model:
    return _model(json.loads(text)["meaning" if meaning else "words"])


def _model(held: Mapping[str, Any]) -> Model:
    return Model(held["order"], held["level"], held["middle"], held["slope"])
