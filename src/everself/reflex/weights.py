"""How much each sign says that a memory answers a question, as fitted by tools/fit_reflex.py. Data."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Model:
    """Weights in the order of `Evidence.features`; a memory whose sum is less than `enough` is no answer."""

    bias: float
    weights: tuple[float, ...]
    enough: float


# `enough` is where questions that the weights had not seen had no invented answer. Without vectors that costs more right ones.
WITH_MEANING: Final = Model(
    -2.74,
    (1.55, -0.41, -0.37, 2.67, 0.96, -0.17, 1.63, -0.72, -0.8, -0.31, -0.44, 0.12, 1.24, 1.73, -0.57, 1.45, 3.54, 0.56),
    1.0,
)
WORDS_ONLY: Final = Model(
    -2.9,
    (2.1, -0.53, -0.52, 2.73, 2.15, 0.74, 1.59, -0.83, -1.0, -0.53, -0.31, 0.03, 1.34, 2.04, -0.64),
    2.0,
)
