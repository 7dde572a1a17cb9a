"""How much speaks for a correction: weak signs of a sentence, each with its weight, added up. Pure.

The signs are the sections of `signs.txt`, the same in every language, and so are the weights: they were fitted once, by logistic
regression over the open examples of tests/corpora/triage, made-up sentences and talk between people, with the rules of
`corrections.txt` left out, because these were written for the same examples. What a rule is worth (`certain`, `high`, `medium`,
`veto`) was set by hand. Knows nothing of messages: whoever weighs them does.
"""

from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final

from everself.classify.pattern_sets import load_set
from everself.classify.sentence_kinds import Language

# the log of the odds before anything was seen
NOTHING: Final = -1.69
# from here on it is a correction, and from here on a sure one
ENOUGH: Final = 0.6
PLENTY: Final = 1.5

WEIGHTS: Final = MappingProxyType(
    {
        "doing": 1.45,
        "acting": 0.5,
        "beside": 1.48,
        "contrast": 1.41,
        "value": 0.87,
        "wrong": 0.36,
        "slip": 1.29,
        "told": 0.45,
        "unsaid": 0.8,
        "stale": 1.36,
        "mend": 1.2,
        "denial": 0.7,
        "other": 1.52,
        "opening": 1.02,
        "hedge": 0.78,
        "reproach": 2.22,
        "verdict": 1.09,
        "indignant": 1.99,
        "pair": 1.39,
        "recall": 1.19,
        "retort": 1.2,
        "pointing": 1.15,
        "twice": 1.48,
        "tone": 1.14,
        "certain": 2.0,
        "high": 2.0,
        "medium": 1.2,
        "asking": -1.16,
        "request": -1.51,
        "third": -1.47,
        "mine": -0.66,
        "supposing": -0.64,
        "social": -0.62,
        "feeling": -1.07,
        "telling": -0.58,
        "idiom": -1.72,
        "chatty": -1.56,
        "long": -0.24,
        "veto": -1.2,
    }
)
# only these are said by two sentences together where neither says it alone
ACROSS: Final = frozenset({"pair", "beside", "twice", "contrast", "indignant"})


def signs_of(folded: str, language: Language) -> frozenset[str]:
    return load_set("signs").names(folded, language)


def weigh(signs: AbstractSet[str]) -> float:
    return NOTHING + sum(WEIGHTS.get(sign, 0.0) for sign in sorted(signs))
