"""How much speaks for a correction: weak signs of a sentence, each with its weight, added up. Pure.

The signs are the sections of `signs.txt`, the same in every language, and so are the weights: they were fitted once (logistic
regression over the open examples of tests/corpora/triage, with the rules of `corrections.txt` left out, because these were
written for the same examples). What a rule is worth was set by hand. Knows nothing of messages: whoever weighs them does.
"""

from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final

from everself.patterns.reading import Language
from everself.patterns.sets import load_set

# the log of the odds before anything was seen
NOTHING: Final = -1.83
# from here on it is a correction, and from here on a sure one
ENOUGH: Final = 0.3
PLENTY: Final = 1.5

WEIGHTS: Final = MappingProxyType(
    {
        "doing": 1.6,
        "acting": 0.54,
        "beside": 1.6,
        "contrast": 1.55,
        "value": 0.87,
        "wrong": 0.43,
        "slip": 1.3,
        "told": 0.61,
        "unsaid": 0.71,
        "stale": 1.47,
        "mend": 1.29,
        "denial": 0.81,
        "other": 1.59,
        "opening": 1.01,
        "hedge": 0.81,
        "reproach": 2.1,
        "verdict": 1.08,
        "indignant": 2.19,
        "pair": 1.59,
        "recall": 1.41,
        "retort": 1.28,
        "pointing": 1.28,
        "twice": 1.26,
        "tone": 1.17,
        "certain": 2.0,
        "high": 2.0,
        "medium": 1.2,
        "asking": -1.09,
        "request": -1.37,
        "third": -1.26,
        "mine": -0.49,
        "supposing": -0.45,
        "social": -0.71,
        "feeling": -0.96,
        "telling": -0.7,
        "idiom": -1.7,
        "chatty": -1.61,
        "long": -0.23,
        "veto": -1.2,
    }
)
# only these are said by two sentences together where neither says it alone
ACROSS: Final = frozenset({"pair", "beside", "twice", "contrast", "indignant"})


def signs_of(folded: str, language: Language) -> frozenset[str]:
    return load_set("signs").names(folded, language)


def weigh(signs: AbstractSet[str]) -> float:
    return NOTHING + sum(WEIGHTS.get(sign, 0.0) for sign in sorted(signs))
