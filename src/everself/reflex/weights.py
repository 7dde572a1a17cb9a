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
    -2.12,
    (1.16, -0.52, -0.08, 1.99, 0.85, -0.86, 0.98, -0.71, -1.07, -0.45, -0.14, -0.07, 0.9, 0.63, -0.4, 2.02, 4.65, 1.31),
    1.6,
)
WORDS_ONLY: Final = Model(
    -2.89,
    (2.19, -0.49, -0.53, 2.98, 1.89, 0.8, 1.51, -0.81, -1.02, -0.5, -0.29, 0.07, 1.37, 2.03, -0.59),
    2.0,
)
# To be shown as the nearest, what speaks against a memory is weighed, too: one in ten is worth a look.
NEAR_WITH_MEANING: Final = Model(
    -1.37,
    (
        *(1.51, -0.85, -0.05, 1.84, 0.44, -0.92, 0.89, -0.55, -0.77, -0.52, -0.61, -0.14, -0.41, 0.74, -0.41, 1.33, 4.75),
        *(1.93, -2.36, -1.31, -0.69, -0.77, -2.29, -1.13, -1.56, -1.8, -1.11, -1.31),
    ),
    -2.2,
)
NEAR_WORDS_ONLY: Final = Model(
    -2.0,
    (
        *(2.0, -0.85, -0.05, 2.2, 1.0, -0.5, 1.2, -0.55, -0.77, -0.52, -0.61, -0.14, 0.4, 0.74, -0.41),
        *(-2.36, -1.31, -0.69, -0.77, -2.29, -1.13, -1.56, -1.8, -1.11, -1.31),
    ),
    -1.5,
)
