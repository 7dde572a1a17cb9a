"""Scores how well an entry fits the curated core: its category, a confidence and the words that decided. Pure.

Judges words. Knows neither whom to believe nor where an entry goes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from everself.classify.folding import fold, language_of, one_script
from everself.classify.pattern_sets import load_set
from everself.classify.sentence_kinds import Language
from everself.values import Entry, Tag

# the eight of the seed, in the order that settles ties
Category = Literal["explicit", "decision", "legal", "financial", "architecture", "milestone", "strategy", "people"]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

# One clear sign is enough, one hint is not, two hints are; "remember this" is always enough.
_EXPLICIT: Final = 0.9
_SIGN: Final = 0.6
_HINT: Final = 0.3
# a repeated mention turns a hint into a candidate, but never a sentence without content
_MENTION: Final = 0.1
_MENTIONS: Final = 3
_MOST: Final = 0.99
# characters of an entry that are read; the decisive words are near its beginning
_READ: Final = 20_000
_SHOWN: Final = 40
_WEAK: Final = "-weak"
_VETO: Final = "veto"
# what these patterns need beside the characters of triage
_SIMPLIFIED: Final = str.maketrans(
    "決達協構術庫數據塊設計務預資稅費報價營潤虧標權識產隱簽續約違訟規監許證談負責團隊發線階絲銷額戰願圖優級場闆億萬歐幣註",
    "决达协构术库数据块设计务预资税费报价营润亏标权识产隐签续约违讼规监许证谈负责团队发线阶丝销额战愿图优级场板亿万欧币注",
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`reasons` are for a person: which words stand for it."""

    category: Category
    confidence: float
    reasons: tuple[str, ...]


def judge(entry: Entry) -> tuple[Judgement, ...]:
    """Every category that something speaks for, the surest first."""
    doubts: dict[Category, float] = {}
    reasons: dict[Category, dict[str, None]] = {}

    def speak(category: Category, weight: float, reason: str) -> None:
        # independent signs: each reduces the remaining doubt by its share
        if reason not in reasons.setdefault(category, {}):
            doubts[category] = doubts.get(category, 1.0) * (1 - weight)
            reasons[category][reason] = None

    if entry.tag is Tag.DECISION:
        speak("decision", _SIGN, "it is tagged as a decision")
    for category, weight, words, where in _signs(entry):
        speak(category, weight, f"{where} “{words}”")
    again = min(entry.mentions - 1, _MENTIONS)
    if again > 0:
        for category in tuple(doubts):
            doubts[category] *= (1 - _MENTION) ** again
            reasons[category][f"it was said {entry.mentions} times"] = None
    found = [
        Judgement(category, round(min(_MOST, 1 - doubt), 2), tuple(reasons[category]))
        for category, doubt in doubts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.confidence, CATEGORIES.index(one.category))))


def _signs(entry: Entry) -> Iterator[tuple[Category, float, str, str]]:
    title = entry.category or (entry.heading[-1] if entry.heading else "")
    # the category in a log heading, as an agent writes it
    named = title.strip().lower().removesuffix("s")
    for category in CATEGORIES:
        if named == category:
            yield category, _SIGN, title.strip(), "its heading says"
    for where, text in (("its heading says", title), ("it says", entry.text[:_READ])):
        for sentence in _sentences(text):
            for category, weight, words in _matches(sentence):
                yield category, weight, words, where


def _matches(sentence: str) -> list[tuple[Category, float, str]]:
    """Signs of a sentence; none where it asks, or says that it is not so."""
    found: list[tuple[Category, float, str]] = []
    asks = sentence.rstrip(" )*_").endswith("?")
    for language in _languages(sentence):
        text = one_script(sentence).translate(_SIMPLIFIED) if language == "zh" else sentence
        matches = load_set("promotion").matches(text, language)
        denied = asks or any(match.name == _VETO for match in matches)
        for match in matches:
            name = match.name.removesuffix(_WEAK)
            category = next((one for one in CATEGORIES if one == name), None)
            if category is None or denied:
                continue
            weight = _EXPLICIT if category == "explicit" else _HINT if match.name.endswith(_WEAK) else _SIGN
            found.append((category, weight, _words(match.pattern, text)))
    # each sentence counts once, even if several patterns match
    signs: dict[Category, tuple[Category, float, str]] = {}
    for one in found:
        if one[1] > _HINT:
            signs.setdefault(one[0], one)
    return [*signs.values(), *(one for one in found if one[0] not in signs)]


def _sentences(text: str) -> list[str]:
    folded = fold(text)
    for end in (". ", "! ", "? "):
        folded = folded.replace(end, f"{end[0]}\n")
    return [sentence for sentence in folded.split("\n") if sentence.strip()]


def _languages(sentence: str) -> tuple[Language, ...]:
    if sentence.isascii():
        return ("en",)
    language = language_of(sentence)
    # Han alone may be either
    return ("en", "zh", "ja") if language == "zh" else ("en",) if language == "en" else ("en", language)


def _words(pattern: str, text: str) -> str:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    found = re2.compile(pattern, options).search(text)
    return " ".join(found.group(0).split())[:_SHOWN] if found is not None else ""
