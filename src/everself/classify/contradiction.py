"""Whether two short statements give one thing two values: same subject, same attribute, other value. Pure: knows no memory, model or clock.

Found where the two are alike save for one number, date or name (`difference.py`), or where each has one number or one date and all other
words of the shorter stand in the longer. Aims at precision: most contradictions are left to a model. No language is told apart.
"""

import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from everself.classify.difference import find_difference
from everself.text.dates import read_dates
from everself.text.normalise import fold, without_surrogates
from everself.text.search import TermKind, read_query

if TYPE_CHECKING:
    import re2

Kind = Literal["number", "date", "name"]

# longer ones are no statements, and what they have in common says little
LONGEST: Final = 300
# what of the longer the shorter has to say as well
_SHARED: Final = 0.3
# the reader of dates passes over what lies ahead; here nothing does
_LATE: Final = date(2999, 12, 31)
# what differs in words alone is said less surely than what is alike but for one place
_ALIGNED, _FRAMED = 0.9, 0.75


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` says in what they contradict, and is None where they do not; `sure` is between 0 and 1."""

    kind: Kind | None
    sure: float = 0.0
    why: str = ""

    def __bool__(self) -> bool:
        return self.kind is not None


@dataclass(frozen=True, slots=True)
class _Frame:
    """A statement as its values and the words around them."""

    dates: frozenset[tuple[date, date]]
    numbers: frozenset[str]
    words: frozenset[str]


AGREE: Final = Verdict(None)


def contradicts(older: str, newer: str) -> Verdict:
    """Whichever comes first: which of the two holds is not judged."""
    if max(len(older), len(newer)) > LONGEST or fold(older) == fold(newer):
        return AGREE
    older, newer = _stated(older), _stated(newer)
    found = find_difference(older, newer)
    aligned = Verdict(found.kind, _ALIGNED, f"{found.one} / {found.other}") if found is not None else AGREE
    return aligned or _compare(_frame(older), _frame(newer))


def _stated(text: str) -> str:
    """Without the one word and comma before it that belong to the conversation, as in "No, the standup is at nine"."""
    return _interjection().sub("", without_surrogates(text), count=1) or text


@lru_cache(maxsize=1)
def _interjection() -> "re2._Regexp":
    import re2

    return re2.compile(r"^\s*[\p{L}']{1,8}[,，、]\s*")


def _compare(ours: _Frame, theirs: _Frame) -> Verdict:
    kind: Kind = "date" if ours.dates else "number"
    mine, yours = (one.dates or one.numbers for one in (ours, theirs))
    single = all(len(one.dates) + len(one.numbers) == 1 for one in (ours, theirs))
    if not single or bool(ours.dates) != bool(theirs.dates) or mine & yours:
        return AGREE
    shorter, longer = sorted((ours.words, theirs.words), key=len)
    if not shorter or not shorter <= longer or len(shorter) < _SHARED * len(longer):
        return AGREE
    return Verdict(kind, _FRAMED, " / ".join(sorted(shorter)))


@lru_cache(maxsize=4_096)
def _frame(text: str) -> _Frame:
    text = unicodedata.normalize("NFKC", without_surrogates(text))
    dates = list(read_dates(text, _LATE))
    for one in dates:
        text = text.replace(one.words, " ")
    numbers = frozenset(one.replace(",", "") for one in _number().findall(text))
    kinds = (TermKind.STOP, TermKind.CHARACTER)
    words = read_query(_number().sub(" ", text)).terms
    return _Frame(
        frozenset((one.first, one.last) for one in dates),
        numbers,
        frozenset(one.alternatives[0] for one in words if one.kind not in kinds),
    )


@lru_cache(maxsize=1)
def _number() -> "re2._Regexp":
    import re2

    return re2.compile(r"[0-9](?:[0-9.,:/]*[0-9])?")
