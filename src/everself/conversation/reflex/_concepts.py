"""The concepts of `concepts.txt`: which of them a question asks about, and which a memory speaks of. Knows no question words."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from everself.classify.sentence_kinds import Language
from everself.classify.wording import folded

if TYPE_CHECKING:
    import re2

_ORDER: Final[tuple[Language, ...]] = ("en", "zh", "ko", "ja")
_MOST_WORDS: Final = 16
# how a pattern begins to say what may not stand before or behind its word
_BESIDE: Final = ("(?:^|", "(?:$|", "(?:[^")


@dataclass(frozen=True, slots=True)
class Concept:
    """`strict`: a question about it is answered by nothing that does not speak of it. `own`: somebody in the person's life."""

    name: str
    strict: bool
    own: bool
    asked: "re2._Regexp | None"
    told: "re2._Regexp | None"
    words: tuple[str, ...]


def asked_in(question: str, language: Language) -> list[tuple[Concept, list[tuple[int, int]]]]:
    """Concepts of a question, with the places of their words in it."""
    plain = folded(question)
    found = (
        (one, [match.span(match.lastindex or 0) for match in one.asked.finditer(plain)])
        for one in _concepts(language)
        if one.asked
    )
    return [(one, spans) for one, spans in found if spans]


def is_told(concept: Concept, text: str) -> bool:
    return concept.told is not None and concept.told.search(folded(text)) is not None


def owners(text: str, language: Language) -> frozenset[str]:
    """Whom of the people in somebody's life a text speaks of."""
    return frozenset(one.name for one in _concepts(language) if one.own and is_told(one, text))


def other_words(concepts: list[Concept]) -> tuple[str, ...]:
    """Words by which memories may speak of these concepts, for a second search: in turn, so that none crowds the others out."""
    turns = zip_longest(*(one.words for one in concepts))
    return tuple(word for turn in turns for word in turn if word is not None)[:_MOST_WORDS]


@cache
def _concepts(language: Language) -> tuple[Concept, ...]:
    text = files(__package__).joinpath("concepts.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return tuple(_read(line, language) for line in lines)


def _read(line: str, language: Language) -> Concept:
    name, _, columns = line.partition(": ")
    words = [word.strip() for word in columns.split(" | ")[_ORDER.index(language)].split(", ")]
    asked = [word.removeprefix("?") for word in words if not word.startswith("+")]
    told = [word.removeprefix("+") for word in words if not word.startswith("?")]
    return Concept(
        name.rstrip("!*"),
        name.endswith("!"),
        name.endswith("*"),
        _compiled([_begun(word) for word in asked] if language == "ko" else asked, language),
        _compiled(told, language),
        tuple(word for word in told if word.replace(" ", "").replace("-", "").isalnum()),
    )


def _compiled(words: list[str], language: Language) -> "re2._Regexp | None":
    import re2

    if not words:
        return None
    edged = [_edged(word) if language == "en" else _cored(word) for word in words]
    return re2.compile("|".join(f"(?:{word})" for word in edged))


def _cored(pattern: str) -> str:
    """With the word itself as a group, where what may not stand beside it is part of the pattern: neighbours are no part of a concept."""
    begin = _close(pattern, 0) if pattern.startswith(_BESIDE) else 0
    end = next(
        (
            at
            for at in range(begin, len(pattern))
            if pattern.startswith(_BESIDE, at) and _close(pattern, at) == len(pattern)
        ),
        len(pattern),
    )
    if end <= begin or (not begin and end == len(pattern)):
        return pattern
    return f"{pattern[:begin]}({pattern[begin:end]}){pattern[end:]}"


def _close(pattern: str, at: int) -> int:
    """Behind the group that begins there."""
    depth, bracket = 0, False
    for place in range(at, len(pattern)):
        sign = pattern[place]
        if pattern[place - 1 : place] == "\\":
            continue
        if bracket:
            bracket = sign != "]"
        elif sign == "[":
            bracket = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if not depth:
                return place + 1
    return len(pattern)


def _edged(word: str) -> str:
    """English words stand alone, or with the endings that nouns and verbs take."""
    if word[0].isalpha() and word[-1].isalpha():
        return rf"\b{word}(?:s|es|'s|s'|ed|d|ing)?\b"
    return word


def _begun(word: str) -> str:
    """A Korean word of one syllable is itself only where a word begins; within one it is part of another."""
    return rf"(?:^|[^\p{{Hangul}}]){word}" if len(word) == 1 else word
