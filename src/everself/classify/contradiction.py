"""Whether two short statements give the same attribute of the same subject two values. Pure: knows no memory, model or clock.

Two statements contradict if they are alike except for one number, date or capitalised name (`difference.py`). They also do if each has one
number or one date, and the longer contains all other words of the shorter without narrowing any of them down. Aims at precision: nearly all
contradictions are left to a model. Languages are not distinguished.
"""

import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from everself.classify.difference import Difference, find_difference
from everself.classify.pattern_sets import regex
from everself.text.dates import read_dates
from everself.text.normalise import fold, without_surrogates
from everself.text.search import TermKind, read_query

Kind = Literal["number", "date", "name"]

# longer texts are not statements, and words they share say little
LONGEST: Final = 300
# shared tokens required if the statements differ in a date
_DATED: Final = 3
# share of the longer statement's words that the shorter must contain
_SHARED: Final = 0.3
# read_dates skips dates after the given day; no date is after this one
_LATE: Final = date(2999, 12, 31)
_INTERJECTION: Final = r"^\s*[\p{L}']{1,8}[,，、]\s*"
_NUMBER: Final = r"[0-9](?:[0-9.,:/]*[0-9])?"
# a single capital letter, as in "plan B"; the English "I" and "A" are not names
_LETTER: Final = r"(?:^|[^A-Za-z0-9'])([B-HJ-Z]|A\b[^ a-z])(?:[^A-Za-z0-9']|$)"
# certainty if the statements are alike except for one place, and if only their words were compared
_ALIGNED, _FRAMED = 0.9, 0.75


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is what the two values are, None if there is no contradiction; `sure` is between 0 and 1. `older` and `newer` are the two
    values as written."""

    kind: Kind | None
    sure: float = 0.0
    why: str = ""
    older: str = ""
    newer: str = ""

    def __bool__(self) -> bool:
        return self.kind is not None


@dataclass(frozen=True, slots=True)
class _Frame:
    dates: frozenset[tuple[date, date]]
    numbers: frozenset[str]
    words: frozenset[str]
    written: tuple[str, ...]
    # single letters, and pairs of adjacent words
    letters: frozenset[str]
    beside: frozenset[tuple[str, str]]


AGREE: Final = Verdict(None)


def contradicts(older: str, newer: str) -> Verdict:
    """Compare two statements, in either order. Does not judge which of the two holds."""
    if max(len(older), len(newer)) > LONGEST or fold(older) == fold(newer):
        return AGREE
    older, newer = _stated(older), _stated(newer)
    found = find_difference(older, newer)
    if found is not None:
        values = found.one, found.other
        return Verdict(found.kind, _ALIGNED, " / ".join(values), *values) if _is_value(found) else AGREE
    return _compare(_frame(older), _frame(newer))


def _is_value(found: Difference) -> bool:
    """Whether the difference is in a value. Two short sentences that differ only in a day may be two habits; a difference without digits
    and capitals may be something other than a name."""
    if found.kind == "date":
        return found.shared >= _DATED
    return found.kind == "number" or any(char.isupper() for char in found.one + found.other)


def _stated(text: str) -> str:
    """The text without an initial word and comma that belong to the conversation, as in "No, the standup is at nine"."""
    return regex(_INTERJECTION).sub("", without_surrogates(text), count=1) or text


def _compare(ours: _Frame, theirs: _Frame) -> Verdict:
    kind: Kind = "date" if ours.dates else "number"
    mine, yours = (one.dates or one.numbers for one in (ours, theirs))
    single = all(len(one.dates) + len(one.numbers) == 1 for one in (ours, theirs))
    if not single or bool(ours.dates) != bool(theirs.dates) or mine & yours:
        return AGREE
    shorter, longer = sorted((ours.words, theirs.words), key=len)
    if not shorter or not shorter <= longer or len(shorter) < _SHARED * len(longer):
        return AGREE
    # "the garage roof" is another roof, plan B another plan
    narrower = ours.beside if len(ours.words) > len(theirs.words) else theirs.beside
    if ours.letters != theirs.letters or any((one in shorter) != (other in shorter) for one, other in narrower):
        return AGREE
    if any(one[0] <= other[1] and other[0] <= one[1] for one in ours.dates for other in theirs.dates):
        return AGREE
    values = [next(iter(one.written)) for one in (ours, theirs)]
    return Verdict(kind, _FRAMED, " / ".join(sorted(shorter)), *values)


@lru_cache(maxsize=4_096)
def _frame(text: str) -> _Frame:
    text = unicodedata.normalize("NFKC", without_surrogates(text))
    dates = list(read_dates(text, _LATE))
    written = []
    for one in dates:
        text, words = _taken(text, one.words)
        written.append(words)
    written += regex(_NUMBER).findall(text)
    numbers = frozenset(one.replace(",", "") for one in regex(_NUMBER).findall(text))
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    terms = read_query(regex(_NUMBER).sub(" ", text)).terms
    pairs = pairwise(one for one in terms if one.kind is not TermKind.CHARACTER)
    plain = (TermKind.WORD, TermKind.WORD)
    return _Frame(
        frozenset((one.first, one.last) for one in dates),
        numbers,
        frozenset(one.alternatives[0] for one in terms if one.kind not in kinds),
        tuple(written),
        frozenset(one.casefold() for one in regex(_LETTER).findall(text)),
        frozenset(
            (one.alternatives[0], other.alternatives[0]) for one, other in pairs if (one.kind, other.kind) == plain
        ),
    )


def _taken(text: str, words: str) -> tuple[str, str]:
    """The text without these words, and the words as written in it: `words` is in lower case."""
    at = text.casefold().find(words)
    if at < 0 or len(text) != len(text.casefold()):
        return text.replace(words, " "), words
    return f"{text[:at]} {text[at + len(words) :]}", text[at : at + len(words)]
