"""A generated language: pronounceable words with the frequencies of real text. Seeded, so that every run produces the same.

Texts and questions are ranks of words; independent of files and vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy
from numpy.typing import NDArray

Ranks = NDArray[numpy.int32]

WORDS = 200_000
NAMES = 40
# Zipf's law with Mandelbrot's shift: the most frequent word that is not a stop word occurs in about a tenth of the
# entries, as in chats
SHIFT = 8.0
SHORTEST, LONGEST = 5, 18
_STOPS = (
    *("the", "and", "of", "to", "a", "in", "that", "it", "is", "was", "for", "on", "with", "he", "she", "they"),
    *("this", "have", "from", "or", "had", "by", "not", "but", "what", "were", "we", "when", "your", "can", "there"),
)
_BEGINNINGS = ("What did we say of", "When was it that", "Who was it with", "Which", "Where is", "How was the")
_HEADS = (*"bdfgklmnprstvz", "br", "ch", "dr", "fl", "gr", "kl", "pl", "sh", "st", "tr")
_HEARTS = (*"aeiou", "ai", "ea", "oo")
_TAILS = ("", "", "n", "r", "l", "m", "k", "st", "nd")
_SHORT = 1_500
_AT_ONCE = 500
# rank ranges from which a question's words are drawn (rare, middle, everyday), each with the minimum and maximum number
# of words
STRATA = (((2_000, 30_000), (1, 2)), ((200, 2_000), (2, 3)), ((0, 200), (2, 3)))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ranks of its significant words."""

    text: str
    ranks: tuple[int, ...]


class Language:
    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.words = _make_words(WORDS + NAMES, Random(seed))
        self.names = tuple(word.capitalize() for word in self.words[WORDS:])
        weights = 1.0 / (numpy.arange(WORDS) + 1 + SHIFT)
        self._bounds = numpy.cumsum(weights / weights.sum())

    def draw(self, chance: numpy.random.Generator, shape: tuple[int, ...]) -> Ranks:
        """Draw ranks of words, 0 the most frequent, with the frequencies of the language."""
        drawn = self._bounds.searchsorted(chance.random(shape))
        return numpy.minimum(drawn, WORDS - 1).astype(numpy.int32)

    def sentence(self, ranks: Sequence[int], chance: Random) -> str:
        """The words in order, with a stop word before most of them."""
        parts: list[str] = []
        for rank in ranks:
            if chance.random() < 0.8:
                parts.append(chance.choice(_STOPS))
            parts.append(self.words[rank])
        return " ".join(parts).capitalize() + ("?" if chance.random() < 0.1 else ".")

    def question(self, known: Sequence[int], chance: Random) -> Asked:
        """A question for a text with these ranks: some of its words and some others; a third of the questions contain a name."""
        ranks: list[int] = []
        for (low, high), (least, most) in STRATA:
            wanted = chance.randint(least, most)
            own = sorted({rank for rank in known if low <= rank < high})
            own = chance.sample(own, min(len(own), wanted))
            # replace one word in four, because nobody asks in exactly the words of the text
            ranks += [rank if chance.random() < 0.75 else chance.randrange(low, high) for rank in own]
            ranks += [chance.randrange(low, high) for _ in range(wanted - len(own))]
        ranks = list(dict.fromkeys(ranks))
        chance.shuffle(ranks)
        spoken = [word for rank in ranks for word in (chance.choice(_STOPS), self.words[rank])]
        if chance.random() < 1 / 3:
            spoken.insert(0, f"{chance.choice(self.names)} and")
        return Asked(f"{chance.choice(_BEGINNINGS)} {' '.join(spoken)}?", tuple(ranks))


def _make_words(count: int, chance: Random) -> list[str]:
    """Distinct words, the short ones first, because common words are short in real languages."""
    syllables = [head + heart for head in _HEADS for heart in _HEARTS]
    found: dict[str, None] = dict.fromkeys(_STOPS)
    while len(found) < count + len(_STOPS):
        many = 2 if len(found) < _SHORT else 3
        drawn = chance.choices(syllables, k=many * _AT_ONCE)
        tails = chance.choices(_TAILS, k=_AT_ONCE)
        found |= dict.fromkeys("".join(drawn[at * many : (at + 1) * many]) + tails[at] for at in range(_AT_ONCE))
    return list(found)[len(_STOPS) : count + len(_STOPS)]
