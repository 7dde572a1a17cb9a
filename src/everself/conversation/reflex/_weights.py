"""How much each sign says that a memory answers a question, as fitted by tools/fit_reflex.py. Data."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Model:
    """Weights in the order of `Evidence.features`; a memory whose sum is less than `enough` is no answer."""

    bias: float
    weights: tuple[float, ...]
    enough: float


# Of what is more than `enough` about one in twenty is no answer where the question was of none of the corpora.
WITH_MEANING: Final = Model(
    -2.33,
    (1.6, -0.94, 0.06, 2.81, 0.89, -0.69, 1.58, -1.0, -0.99, -0.01, -0.51, 0.05, 0.97, 0.89, -0.65, 1.75, 3.48, 0.32),
    2.0,
)
WORDS_ONLY: Final = Model(
    -2.7,
    (2.55, -0.61, 0.12, 3.1, 1.02, 0.33, 1.48, -1.15, -1.08, 0.24, -0.54, -0.15, 1.11, 1.0, -0.64),
    1.5,
)
# To be shown as the nearest, what speaks against a memory is weighed, too: one in ten is worth a look.
NEAR_WITH_MEANING: Final = Model(
    -1.96,
    (
        *(2.42, -0.96, 0.06, 2.19, 0.44, -0.7, 1.23, -0.78, -0.87, -0.26, -0.81, -0.27, -0.24, 0.66, -0.74, 1.35, 3.33),
        *(0.35, -4.02, -0.72, -0.98, -0.78, -3.9, -1.84, -1.38, -1.39, -1.24, -2.25),
    ),
    -3.0,
)
NEAR_WORDS_ONLY: Final = Model(
    -2.62,
    (
        *(3.27, -0.67, 0.1, 2.42, 0.86, 0.36, 1.24, -0.91, -1.01, -0.03, -0.87, -0.43, 0.03, 0.77, -0.79),
        *(-3.92, -0.92, -1.2, -0.79, -3.83, -2.0, -1.58, -1.36, -1.3, -2.13),
    ),
    -2.0,
)
