"""How much each feature says, as learnt from questions whose answers are known. Data; see docs/decisions for how it was chosen.

The weights maximise the likelihood that the units with the answer win among a question's candidates; they were taken from all sets
together and checked by leaving out one conversation at a time. Without vectors, words have to say more.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Weights:
    """One number a feature. `level` and `slope` turn the sum into a score between 0 and 1."""

    own: float
    around: float
    group: float
    best: float
    answers: float
    speaker: float
    length: float
    asks: float
    timed: float
    when: float
    date: float
    run: float
    level: float
    slope: float
    meaning: float = 0.0
    part: float = 0.0


WITH_MEANING: Final = Weights(
    own=1.99,
    around=3.72,
    group=1.17,
    best=2.39,
    answers=2.23,
    speaker=2.9,
    length=0.62,
    asks=-0.38,
    timed=0.19,
    when=1.58,
    date=2.0,
    run=5.41,
    meaning=7.6,
    part=5.05,
    level=9.0,
    slope=0.5,
)
WORDS_ONLY: Final = Weights(
    own=3.15,
    around=3.56,
    group=2.04,
    best=4.7,
    answers=2.83,
    speaker=2.82,
    length=0.24,
    asks=-0.4,
    timed=0.26,
    when=1.6,
    date=2.0,
    run=5.24,
    level=7.0,
    slope=0.5,
)
