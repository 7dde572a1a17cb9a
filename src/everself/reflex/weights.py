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
    -2.58,
    (1.54, -0.39, -0.35, 2.86, 0.99, -0.15, 1.61, -0.72, -0.8, -0.28, -0.44, 0.09, 1.29, 1.75, -0.58, 1.55, 3.59, 0.69),
    1.2,
)
WORDS_ONLY: Final = Model(
    -2.89,
    (2.19, -0.49, -0.53, 2.98, 1.89, 0.8, 1.51, -0.81, -1.02, -0.5, -0.29, 0.07, 1.37, 2.03, -0.59),
    2.0,
)
