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
    -2.85,
    (2.23, -0.29, 0.07, 2.73, 0.99, 0.61, 1.08, -0.93, -1.06, 0.1, -0.29, -0.27, 1.33, 0.89, -0.7),
    1.5,
)
# To be shown as the nearest, what speaks against a memory is weighed, too: one in ten is worth a look.
NEAR_WITH_MEANING: Final = Model(
    -1.37,
    (
        *(
            1.51,
            -0.85,
            -0.05,
            1.84,
            0.44,
            -0.92,
            0.89,
            -0.55,
            -0.77,
            -0.52,
            -0.61,
            -0.14,
            -0.41,
            0.74,
            -0.41,
            1.33,
            4.75,
        ),
        *(1.93, -2.36, -1.31, -0.69, -0.77, -2.29, -1.13, -1.56, -1.8, -1.11, -1.31),
    ),
    -2.2,
)
NEAR_WORDS_ONLY: Final = Model(
    -2.32,
    (
        *(2.59, -0.6, 0.05, 2.4, 0.86, 0.56, 1.01, -0.74, -0.88, -0.19, -0.69, -0.49, -0.01, 0.85, -0.63),
        *(-2.66, -1.17, -0.93, -0.81, -2.46, -1.61, -1.55, -1.71, -1.25, -1.45),
    ),
    -2.0,
)
