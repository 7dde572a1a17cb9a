"""Whether notes that were made of a message tell what a statement in it tells, clause by clause. Pure; knows no memory and no speaker.

A note is worded anew: dates are written out, "mum" becomes "mother". So a clause counts as told where its numbers and dates stand in the
notes, what it is about stands there, and most of its words do, or others that mean nearly the same. Where that is not clear it is untold,
and who asks keeps the words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.model import score
from everself.text.dates import DateSpan, read_dates
from everself.text.normalise import fold, without_surrogates
from everself.text.search import TermKind, index_terms, read_query
from everself.text.sentences import split

if TYPE_CHECKING:
    import re2

# the least share of a clause's words that stand in the notes
_SHARE: Final = 0.5
# the same without an encoder, which would know words that mean the same
_PLAIN: Final = 0.75
# how near two words are that may stand for each other, and how far one is from all others that nobody told of
_NEAR: Final = 0.45
_FAR: Final = 0.3
# shorter words are interjections and units
_WEIGHTY: Final = 4
_STEM: Final = 4
# how much nearer to a "not" a clause is than all notes that tell the opposite of it
_DENIED: Final = 0.2
_NOT: Final = ("not", "does not", "never")
# how likely a clause that somebody left out is worth keeping: beside one of the acts, and without
_CLEARLY: Final = 0.75
_PLAINLY: Final = 0.9
_ACTS: Final = ("fact", "wish", "decision", "plan", "correction")
_DENSE: Final = "\u2e7f"
# dates without a year are read as of the same year on both sides
_LATE: Final = date(2999, 12, 31)
_NOON: Final = 12
_TIMES: Final = ("next", "week", "tomorrow")
_AROUND: Final = " .,;:!?…\"'“”‘’()"
# longer ones name something, and are words
_LONGEST_NUMBER: Final = 12


_Day = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Told:
    """The words, numbers and dates of a text. A word is all its forms; a date goes with the words that name it."""

    words: tuple[tuple[str, ...], ...]
    forms: frozenset[str]
    numbers: frozenset[int]
    days: tuple[tuple[_Day, str], ...]


def untold(statement: str, notes: Sequence[str]) -> tuple[str, ...]:
    """What of a statement the notes do not tell: its sentences, each up to the last clause that is worth keeping and not told."""
    known, whole = _read("\n".join(notes)), _read(statement)
    found: list[str] = []
    for start, end in split(statement):
        sentence = statement[start:end]
        last = 0
        for first, until in _clauses(sentence):
            clause = sentence[first:until]
            told = _is_told(clause, known, whole, named=_is_named(clause, statement, known))
            told = told and not _is_denied(clause, notes, known)
            if not told and _is_worth_alone(clause):
                last = until
        found += [sentence[:last].strip()] if last else []
    return tuple(found)


def tells(note: str, statement: str) -> bool:
    """Whether a note tells every clause of a statement, whether or not each is worth keeping, and not another value of it."""
    if contradicts(note, statement):
        return False
    known, whole = _read(note), _read(statement)
    told = all(_is_told(statement[first:until], known, whole) for first, until in _clauses(statement))
    return told and not _is_denied(statement, (note,), known)


def touches(note: str, sentence: str) -> bool:
    """Whether a note tells a clause of a sentence that is worth keeping: it was made of this sentence, whatever it leaves out or adds."""
    known, whole = _read(note), _read(sentence)
    clauses = [sentence[first:until] for first, until in _clauses(sentence)]
    return any(len(_read(one).words) > 1 and _is_told(one, known, whole) for one in clauses)


def adds_nothing(note: str, texts: Sequence[str]) -> bool:
    """Whether no name, number or date in a note is new: each stands in one of the texts, an hour after noon or the rest of a date aside."""
    known, own = _read("\n".join(texts)), _read(note)
    dated = fold(note)
    for day, words in own.days:
        if not _counted(day[1], known) and day not in {one for one, _ in known.days}:
            return False
        dated = dated.replace(words, " ", 1)
    numbers = _read(dated).numbers
    return all(_counted(one, known) or _is_forenoon(one, known) for one in numbers) and all(
        _stands((name,), known) for name in _names(note)
    )


def shares_words(text: str, others: Sequence[str]) -> bool:
    """Whether both are about the same: a word of substance stands in both."""
    known = _read("\n".join(others))
    return any(_stands(word, known) for word in _read(text).words)


def is_worth(text: str) -> bool:
    """Whether triage calls it a fact, a wish, a decision, a plan or a correction, or worth keeping; what is rather small talk is not."""
    scores = score(text)
    kept = scores.says("keep") or any(scores.says(act) for act in _ACTS)
    return kept and scores["smalltalk"] <= max(scores["keep"], *(scores[act] for act in _ACTS))


def _is_worth_alone(clause: str) -> bool:
    """A clause beside others that somebody made notes of: who did left it out."""
    scores = score(clause)
    worth = scores["keep"] >= _PLAINLY or (scores["keep"] >= _CLEARLY and any(scores.says(act) for act in _ACTS))
    return worth and len(_read(clause).words) > 1


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in _marks().finditer(without_surrogates(sentence)):
        yield start, mark.start()
        start = mark.end()
    yield start, len(sentence)


@lru_cache(maxsize=1)
def _marks() -> "re2._Regexp":
    import re2

    # a comma between digits belongs to the number
    return re2.compile(r"[;；、，：—–]\s*|[,:](?:\s+|$)")


def _is_named(clause: str, statement: str, known: _Told) -> bool:
    """Whether a number says which clause of a message a note was made of: it stands in the note, and nowhere else in the message."""
    numbers = _read(clause).numbers & known.numbers
    return any(_numbers(statement).count(one) == 1 for one in numbers)


def _is_told(clause: str, known: _Told, whole: _Told, *, named: bool = False) -> bool:
    """`whole` is the statement: a word of the notes that stands elsewhere in it stands for nothing in this clause. `named`: it need not say
    what it is about."""
    if not all(_stands((name,), known) for name in _names(clause)):
        return False
    clause = _undated(clause, known)
    own = _read(clause)
    if not all(_counted(one, known) for one in own.numbers):
        return False
    left = [word for word in own.words if not _stands(word, known)]
    if not left:
        return True
    spare = [word[0] for word in known.words if not _stands(word, whole)]
    # "next week" may have become a date
    spare += _TIMES if known.days or known.numbers - whole.numbers else ()
    near = None if any(char > _DENSE for char in clause) else _nearness([word[0] for word in left], spare)
    if near is None:
        return len(left) <= (1 - _PLAIN) * len(own.words)
    strange = {word for word, nearest in zip(left, near, strict=True) if nearest < _NEAR}
    lost = {word for word, nearest in zip(left, near, strict=True) if nearest < _FAR}
    if any(len(word[0]) >= _WEIGHTY for word in lost) or len(strange) > (1 - _SHARE) * len(own.words):
        return False
    if named:
        return True
    # what a clause is about comes first in most languages
    about = next((word for word in own.words if len(word[0]) >= _WEIGHTY or word not in strange), own.words[0])
    return about not in strange


def _is_denied(clause: str, notes: Sequence[str], known: _Told) -> bool:
    """Whether a clause says "not" where none of the notes does. Words of negation are few, and each language has its own."""
    if known.forms.issuperset(index_terms(clause).counts):
        return False
    vectors = encoder.embed([*_NOT, clause, *notes][: encoder.MOST])
    if vectors is None:
        return False
    marks, own, theirs = vectors[: len(_NOT)], vectors[len(_NOT)], vectors[len(_NOT) + 1 :]
    gaps = [float(own @ mark) - max(float(one @ mark) for one in theirs) for mark in marks]
    return sum(gaps) / len(gaps) >= _DENIED


def _names(clause: str) -> list[str]:
    """Words with a capital letter within a clause, folded as terms are."""
    # without the ending of "Ruud's"
    found = (word.strip(_AROUND).replace("’", "'").partition("'")[0] for word in clause.split()[1:])
    return [fold(word).casefold() for word in found if len(word) > 1 and word[0].isupper()]


def _undated(clause: str, known: _Told) -> str:
    """Without the dates that the notes name as well, in whatever form."""
    days = {day for day, _ in known.days}
    bare = fold(clause)
    for day, words in _read(clause).days:
        if day in days:
            bare = bare.replace(words, " ", 1)
    return bare


def _counted(number: int, known: _Told) -> bool:
    """Whether a number stands in the notes; an hour may stand there as one after noon."""
    return number in known.numbers or (number <= _NOON and number + _NOON in known.numbers)


def _is_forenoon(number: int, known: _Told) -> bool:
    return number == 0 or (number > _NOON and number - _NOON in known.numbers)


def _stands(word: tuple[str, ...], known: _Told) -> bool:
    return any(form in known.forms or _is_kin(form, known.forms) for form in word)


def _is_kin(form: str, forms: frozenset[str]) -> bool:
    """Whether one is the beginning of the other, as in "tobins"."""
    if len(form) < _STEM or not form.isalpha():
        return False
    return any(len(one) >= _STEM - 1 and (form.startswith(one) or one.startswith(form)) for one in forms)


def _nearness(words: Sequence[str], others: Sequence[str]) -> list[float] | None:
    """How near each word is to the nearest of the others; None where nobody can tell."""
    looked = [*words, *others][: encoder.MOST]
    vectors = encoder.embed(looked) if len(words) < encoder.MOST else None
    if vectors is None:
        return None
    ours, theirs = vectors[: len(words)], vectors[len(words) :]
    return [max((float(one @ other) for other in theirs), default=0.0) for one in ours]


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Told:
    text = without_surrogates(text)
    kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
    words = tuple(term.alternatives for term in read_query(text).terms if term.kind not in kinds)
    words = tuple(word for word in words if not word[0][:1].isdecimal())
    numbers = frozenset(_numbers(text))
    forms = frozenset(index_terms(text).counts) | {form for word in words for form in word}
    days = tuple((_day(one), one.words) for one in read_dates(text, _LATE))
    return _Told(words, forms, numbers, days)


def _numbers(text: str) -> list[int]:
    digits = "".join(char if char.isdecimal() else " " for char in text)
    return [int(one) for one in digits.split() if len(one) <= _LONGEST_NUMBER]


def _day(span: DateSpan) -> _Day:
    """Without the year, which one of the two may leave out; another year is another number."""
    return span.first.month, span.first.day, span.last.month, span.last.day
