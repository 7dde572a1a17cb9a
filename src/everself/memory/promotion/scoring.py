"""Scores an entry for the curated core: its category, and the reasons to keep it. Pure.

The category is learned (`classify/topics.py`). An explicit wish, a tag, a correction, mentions weeks apart, length and structure count
too; `candidates.py` adds how often it is found. Knows nothing of trust or targets.
"""

from collections.abc import Iterator
from typing import Final, get_args

from everself.classify.model import score
from everself.classify.topics import Category, likely, says
from everself.frozen import Frozen
from everself.memory.provenance import AGENT, is_correction
from everself.values import Entry, Tag

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

# The share of the remaining doubt that each sign removes. One clear sign is enough; length or age alone is not.
_WISH: Final = 0.9
_TAG: Final = 0.6
_KIND: Final = (0.42, 0.7)
# below this probability an entry has no category, because people read these pages
_LEAST: Final = 0.3
_CORRECTED: Final = 0.2
_WEEK: Final = 0.15
_WEEKS: Final = 3
_MENTION: Final = 0.05
_MENTIONS: Final = 3
_BODY: Final = 0.08
_MOST: Final = 0.99
# a statement with a subject and a predicate, but not a page
_SHORT: Final = 25
_LONG: Final = 600
# limits of characters and sentences read; the decisive ones are near the beginning
_READ: Final = 4_000
_SENTENCES: Final = 24
_LONGEST: Final = 300
_SHOWN: Final = 40
_DENSE: Final = "\u2e7f"


class Judgement(Frozen):
    """`reasons` are sentences for the user."""

    category: Category
    confidence: float
    reasons: tuple[str, ...]


def judge(entry: Entry) -> tuple[Judgement, ...]:
    """Every category with a sign in its favour, highest confidence first."""
    doubts: dict[Category, float] = {}
    reasons: dict[Category, list[str]] = {}

    def speak(category: Category, weight: float, reason: str) -> None:
        # signs are independent: each reduces the remaining doubt by its share
        doubts[category] = doubts.get(category, 1.0) * (1 - weight)
        reasons.setdefault(category, []).append(reason)

    if entry.tag is Tag.DECISION:
        speak("decision", _TAG, "it is tagged as a decision")
    title = entry.category or (entry.heading[-1] if entry.heading else "")
    named = next((one for one in CATEGORIES if one == title.strip().lower().removesuffix("s")), None)
    if named is not None:
        speak(named, _TAG, f"its heading says “{title.strip()}”")
    for category, (weight, words) in _kinds(entry).items():
        speak(category, weight, f"it reads like {_called(category)}: “{words}”")
    for weight, reason in _besides(entry):
        for category in tuple(doubts):
            speak(category, weight, reason)
    found = [
        Judgement(category, round(min(_MOST, 1 - doubt), 2), tuple(reasons[category]))
        for category, doubt in doubts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.confidence, CATEGORIES.index(one.category))))


def _called(category: Category) -> str:
    return "a wish to remember it" if category == "explicit" else f"something of the kind {category}"


def _kinds(entry: Entry) -> dict[Category, tuple[float, str]]:
    """The best sentence for each category. Questions do not count."""
    found: dict[Category, tuple[float, str]] = {}
    for sentence in _sentences(entry.text[:_READ]):
        shown = " ".join(sentence.split())[:_SHOWN]
        acts = score(sentence, deep=False)
        if acts.says("question"):
            continue
        # only the owner can wish to remember something; an order in the agent's own note does not count
        if entry.source != AGENT and (acts.says("remember") or says(sentence, "explicit")):
            found["explicit"] = (_WISH, shown)
        sure = likely(sentence)
        for category in CATEGORIES[1:]:
            if sure[category] < _LEAST or not says(sentence, category):
                continue
            low, high = _KIND
            weight = low + (high - low) * sure[category]
            if category not in found or weight > found[category][0]:
                found[category] = (weight, shown)
    return found


def _besides(entry: Entry) -> Iterator[tuple[float, str]]:
    """Signs that support any category."""
    if is_correction(entry):
        yield _CORRECTED, "it corrects something"
    if entry.mentions > 1:
        weeks = (entry.seen - entry.day).days // 7 if entry.seen is not None and entry.day is not None else 0
        weight = 1 - (1 - _MENTION) ** min(entry.mentions - 1, _MENTIONS) * (1 - _WEEK) ** min(max(0, weeks), _WEEKS)
        yield weight, f"it was said {entry.mentions} times" + (f", {weeks} weeks apart" if weeks > 0 else "")
    size = len(entry.text) + sum(char > _DENSE for char in entry.text[:_LONG])
    if _SHORT <= size <= _LONG and not entry.text.rstrip().endswith(("?", "？")):
        yield _BODY, "it is a whole statement"


def _sentences(text: str) -> list[str]:
    for end in (". ", "! ", "? ", "。", "！", "？"):
        text = text.replace(end, f"{end.strip()}\n")
    found = [sentence.strip(" \t-*") for sentence in text.split("\n")]
    return [sentence[:_LONGEST] for sentence in found if sentence][:_SENTENCES]
