"""Learned weights of the ranking features. Data; docs/decisions/0020 describes how they were fitted.

Two questions, two sets of weights. Which of the candidates is it? There it helps to compare them with one another (`ORDER`). And is it
there at all? That only tells what a chunk has by itself (`LEVEL`), because among unrelated chunks one is always ahead. The weights maximise
the likelihood that the chunks with the answer win among a question's candidates; they were taken from all sets together and checked by
leaving out one conversation at a time. Without vectors, words have to say more.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Weights:
    """One number a feature."""

    around: float
    group: float
    answers: float
    speaker: float
    length: float
    asks: float
    timed: float
    when: float
    run: float
    # no question of the sets names the day of a document; a day that is named should outweigh a word
    date: float = 2.0
    own: float = 0.0
    best: float = 0.0
    meaning: float = 0.0
    part: float = 0.0
    own_lead: float = 0.0
    around_lead: float = 0.0
    best_lead: float = 0.0
    meaning_lead: float = 0.0


@dataclass(frozen=True, slots=True)
class Model:
    """How candidates are ordered, and what the first of them is worth: `middle` and `slope` turn its sum into a score between 0 and 1.

    The weakest twentieth of right answers scores below .35, half of them above .85.
    """

    order: Weights
    level: Weights
    middle: float
    slope: float


WITH_MEANING: Final = Model(
    order=Weights(
        around=0.85,
        group=0.56,
        answers=2.04,
        speaker=2.87,
        length=0.49,
        asks=-0.32,
        timed=0.14,
        when=1.54,
        run=5.2,
        meaning=1.64,
        part=3.11,
        own_lead=1.1,
        around_lead=2.19,
        best_lead=1.12,
        meaning_lead=3.08,
    ),
    level=Weights(
        own=1.79,
        around=3.75,
        group=1.17,
        best=1.83,
        answers=2.04,
        speaker=2.88,
        length=0.64,
        asks=-0.36,
        timed=0.26,
        when=1.55,
        run=5.34,
        meaning=7.6,
        part=4.5,
    ),
    middle=9.35,
    slope=0.336,
)
WORDS_ONLY: Final = Model(
    order=Weights(
        around=0.78,
        group=1.59,
        answers=2.76,
        speaker=2.72,
        length=0.1,
        asks=-0.31,
        timed=0.16,
        when=1.59,
        run=5.38,
        own_lead=1.95,
        around_lead=2.39,
        best_lead=1.84,
    ),
    level=Weights(
        own=2.96,
        around=4.05,
        group=2.07,
        best=3.6,
        answers=2.76,
        speaker=2.78,
        length=0.26,
        asks=-0.38,
        timed=0.3,
        when=1.57,
        run=5.57,
    ),
    middle=5.7,
    slope=0.326,
)
