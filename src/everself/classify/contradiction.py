"""Whether two short statements give one thing two values: same subject, same attribute, other value. Pure: knows no memory, model or clock.

Found where the two are alike save for one number, date or capitalised name (`difference.py`), or where each has one number or one date, all
other words of the shorter stand in the longer, and none of these is narrowed down there. Aims at precision: nearly all contradictions are
left to a model. No language is told apart.
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

# longer ones are no statements, and what they have in common says little
LONGEST: Final = 300
# tokens around a date
_DATED: Final = 3
# what of the longer the shorter has to say as well
_SHARED: Final = 0.3
# the reader of dates passes over what lies ahead; here nothing does
_LATE: Final = date(2999, 12, 31)
_INTERJECTION: Final = r"^\s*[\p{L}']{1,8}[,，、]\s*"
_NUMBER: Final = r"[0-9](?:[0-9.,:/]*[0-9])?"
# a capital by itself, as in "plan B"; the English "I" and "A" are no names of anything
_LETTER: Final = r"(?:^|[^A-Za-z0-9'])([B-HJ-Z]|A\b[^ a-z])(?:[^A-Za-z0-9']|$)"
# what differs in words alone is said less surely than what is alike but for one place
_ALIGNED, _FRAMED = 0.9, 0.75


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` says in what they contradict, and is None where they do not; `sure` is between 0 and 1. `older` and `newer` are the two values
    as they are written."""

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
    # single letters, and words that stand side by side
    letters: frozenset[str]
    beside: frozenset[tuple[str, str]]


AGREE: Final = Verdict(None)


def contradicts(older: str, newer: str) -> Verdict:
    """Whichever comes first: which of the two holds is not judged."""
    if max(len(older), len(newer)) > LONGEST or fold(older) == fold(newer):
        return AGREE
    older, newer = _stated(older), _stated(newer)
    found = find_difference(older, newer)
    if found is not None:
        values = found.one, found.other
        return Verdict(found.kind, _ALIGNED, " / ".join(values), *values) if _is_value(found) else AGREE
    return _compare(_frame(older), _frame(newer))


def _is_value(found: Difference) -> bool:
    """What is short and alike but for a day may be two habits; what is no number and has no capitals may be anything but a name."""
    if found.kind == "date":
        return found.shared >= _DATED
    return found.kind == "number" or any(char.isupper() for char in found.one + found.other)


def _stated(text: str) -> str:
    """Without the one word and comma before it that belong to the conversation, as in "No, the standup is at nine"."""
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
    """A text without these words, and the words as they stand in it: dates are read in small letters."""
    at = text.casefold().find(words)
    if at < 0 or len(text) != len(text.casefold()):
        return text.replace(words, " "), words
    return f"{text[:at]} {text[at + len(words) :]}", text[at : at + len(words)]
