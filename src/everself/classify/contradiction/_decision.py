"""Whether two statements contradict: what the exact rules say, and all other signals, weighed together.

Rules that name words find what they name and nothing else. Here many weak signals are added up, which hold for words nobody listed: what
the two share, what differs and of what type it is, and how the newer speaks of a change. Knows no words.
"""

from math import exp
from types import MappingProxyType
from typing import Final

from everself.classify.contradiction._features import read_signals
from everself.classify.contradiction._rules import compare
from everself.classify.contradiction._statement import Statement, read_statement
from everself.classify.contradiction._verdict import AGREE, Kind, Verdict
from everself.classify.sentence_kinds import Language
from everself.classify.sentences import language_of
from everself.text.normalise import fold

# A logistic regression, one for all languages, printed by tools/fit_contradiction.py; never changed by hand. The weight of the rules was
# fitted on pairs they were not made from: on those they were, they look better than they are.
WEIGHTS: Final = MappingProxyType(
    {
        "antonym": 2.44,
        "antonym-other-subject": 0.71,
        "antonym-same-topic": 1.41,
        "aside": -1.95,
        "change": 2.32,
        "change-more": -0.33,
        "change-other-subject": 0.84,
        "change-same-subject": 0.18,
        "change-share": 0.47,
        "change-twice": 1.64,
        "contained": 0.75,
        "contrast": -2.02,
        "date": 1.30,
        "date-equal": 0.77,
        "date-only-newer": -1.80,
        "date-other-subject": -0.50,
        "date-same-subject": 0.07,
        "date-same-topic": -0.12,
        "differences-none": -0.49,
        "differences-two": -1.58,
        "event": 1.49,
        "event-both": 0.26,
        "event-older": -1.94,
        "frame": -0.46,
        "many": -0.90,
        "more": -0.54,
        "negation": -0.30,
        "negation-elsewhere": 0.39,
        "negation-same-topic": -0.28,
        "negation-share": 2.57,
        "number": 0.50,
        "number-equal": -0.85,
        "number-measure": 0.75,
        "number-only-newer": -0.85,
        "number-other-subject": 0.16,
        "number-same-subject": -0.00,
        "number-same-topic": 0.67,
        "part": -1.44,
        "past-newer": 0.22,
        "past-older": -2.26,
        "people": -3.19,
        "reason": 1.43,
        "repeats": -2.24,
        "restated": -1.25,
        "says-begin": -1.11,
        "says-end": -0.25,
        "says-mistake": 1.06,
        "says-now": 1.98,
        "says-switch": 2.40,
        "single": 1.00,
        "single-change": 1.11,
        "single-value": 1.82,
        "subject-kept": 1.23,
        "subject-kindred": -3.25,
        "subject-kindred-unchanged": 1.47,
        "subject-known": 0.64,
        "subject-same": -0.97,
        "subjects-differ": -1.93,
        "topic-many": 1.29,
        "topic-share-newer": 1.80,
        "topic-share-older": -0.12,
        "unsure": -1.88,
        "value": -0.46,
        "value-named": 1.13,
    }
)
BIAS: Final = -3.97
RULED: Final = 0.94
RULED_LOOSELY: Final = -0.52
# A pair longer than what the weights were fitted on is left to the rules alone: there two texts share words by chance.
_LONGEST: Final[dict[Language, int]] = {"en": 120, "ko": 50, "zh": 50, "ja": 50}
# Past against present, a wish, two differences at once, two numbered things, the same said again: no sum outweighs these,
# and the rules know them. Nor is there anything to weigh where nothing differs but words.
ASIDE: Final = frozenset({"past-older", "past-newer", "unsure", "differences-two", "numbered", "restated"})
_NAMED: Final = 0.9
_KINDS: Final[tuple[Kind, ...]] = ("date", "number", "negation", "antonym")


def contradicts(older: str, newer: str) -> Verdict:
    """Whether the newer statement takes back the older. Statements in two languages are not compared."""
    if fold(older) == fold(newer):
        return AGREE
    language = language_of(f"{older} {newer}")
    before, after = read_statement(older, language), read_statement(newer, language)
    if not before.clauses or not after.clauses:
        return AGREE
    ruled = compare(before, after)
    if stands(ruled) or len(older) + len(newer) > _LONGEST[language]:
        return ruled
    return _weigh(before, after, ruled)


def stands(ruled: Verdict) -> bool:
    """Whether the rules know the attribute by its name, or the newer says itself what it takes back: nothing is weighed against that."""
    return ruled.kind == "attribute" and ruled.sure >= _NAMED


def _weigh(before: Statement, after: Statement, ruled: Verdict) -> Verdict:
    signals = read_signals(before, after)
    if not ASIDE.isdisjoint(signals):
        return ruled
    if "differences-none" in signals and "single" not in signals:
        return AGREE
    shares = {name: WEIGHTS.get(name, 0.0) * value for name, value in signals.items()}
    by_rule = 0.0 if not ruled else RULED_LOOSELY if ruled.kind == "attribute" else RULED
    score = BIAS + sum(shares.values()) + by_rule
    if score <= 0:
        return AGREE
    sure = 1 / (1 + exp(-score))
    if ruled:
        return Verdict(ruled.kind, sure, ruled.why)
    kind: Kind = next((one for one in _KINDS if one in signals), "attribute")
    strongest = max(shares, key=lambda name: shares[name])
    return Verdict(kind, sure, f"{strongest}: {before.clauses[0].text} / {after.clauses[0].text}")
