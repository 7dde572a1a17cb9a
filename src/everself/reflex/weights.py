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
    -2.3,
    (1.62, -0.95, 0.04, 2.83, 0.82, -0.65, 1.54, -0.99, -0.99, 0.02, -0.5, 0.06, 0.95, 0.9, -0.63, 1.78, 3.54, 0.32),
    2.0,
)
WORDS_ONLY: Final = Model(
    -2.85,
    (2.23, -0.29, 0.07, 2.73, 0.99, 0.61, 1.08, -0.93, -1.06, 0.1, -0.29, -0.27, 1.33, 0.89, -0.7),
    1.5,
)
# To be shown as the nearest, what speaks against a memory is weighed, too: one in ten is worth a look.
NEAR_WITH_MEANING: Final = Model(
    -2.09,
    (
        *(2.24, -0.91, 0.07, 2.25, 0.38, -0.65, 1.25, -0.77, -0.86, -0.25, -0.74, -0.2, 0.03, 0.73, -0.73, 1.34, 3.34),
        *(0.41, -4.01, -0.72, -0.98, -0.78, -3.88, -1.88, -1.4, -1.38, -1.23, -2.15),
    ),
    -3.0,
)
NEAR_WORDS_ONLY: Final = Model(
    -2.32,
    (
        *(2.59, -0.6, 0.05, 2.4, 0.86, 0.56, 1.01, -0.74, -0.88, -0.19, -0.69, -0.49, -0.01, 0.85, -0.63),
        *(-2.66, -1.17, -0.93, -0.81, -2.46, -1.61, -1.55, -1.71, -1.25, -1.45),
    ),
    -2.0,
)
