"""How two statements overlap: what of the one is in the other, and whether they speak of the same subject. Knows no meaning of words."""

from dataclasses import dataclass
from typing import Final, Literal

from everself.classify.contradiction._alignment import missing_from
from everself.classify.contradiction._statement import IS, Clause, Statement
from everself.classify.sentence_kinds import Language

_STEM: Final = 4
_CLAUSES: Final = 4
_PRONOUNS: Final = ("i ", "i'", "we ", "we'", "he ", "she ", "they ", "it ", "you ")


@dataclass(frozen=True, slots=True)
class Topics:
    """How two clauses overlap: shares of their letters, and whether the subject of each is in the other."""

    shared: int
    of_older: float
    of_newer: float
    subject_kept: bool
    subject_known: bool
    # some clauses of both name the very same subject before a relation; or share it, each with a word of its own
    subject_same: bool
    subject_kindred: bool
    rest_older: int
    rest_newer: int

    @property
    def known(self) -> bool:
        return self.shared > 0

    @property
    def apart(self) -> bool:
        return not self.subject_kept and not self.subject_known

    @property
    def valued(self) -> bool:
        """Whether each says something that the other does not."""
        return bool(self.rest_older and self.rest_newer)


def overlap(before: Statement, after: Statement) -> Topics:
    language = before.language
    ours, theirs = before.clauses[0].content(), after.clauses[0].content()
    left, right = missing(theirs, ours, language), missing(ours, theirs, language)
    mine, other = _subjects(before), _subjects(after)
    meetings = [_meet(one, two, language) for one in mine for two in other]
    return Topics(
        shared=sum(rest != word for rest, word in zip(left, ours, strict=True)),
        of_older=_covered(left, ours),
        of_newer=_covered(right, theirs),
        subject_kept=_kept(_subject(before.clauses[0]), theirs, language),
        subject_known=any(_kept(one, ours, language) for one in other),
        subject_same="same" in meetings,
        subject_kindred="kindred" in meetings and "same" not in meetings,
        rest_older=sum(map(bool, left)),
        rest_newer=sum(map(bool, right)),
    )


def missing(others: tuple[str, ...], words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    rests = missing_from(others, words, language)
    return _by_stem(rests, others) if language == "en" else rests


def _subjects(statement: Statement) -> list[tuple[str, ...]]:
    clauses = statement.clauses[1:] or statement.clauses
    return [_subject(clause) for clause in clauses[:_CLAUSES] if clause.content()]


def _meet(ours: tuple[str, ...], theirs: tuple[str, ...], language: Language) -> Literal["same", "kindred", "apart"]:
    if not ours or not theirs:
        return "apart"
    left, right = missing(theirs, ours, language), missing(ours, theirs, language)
    if not any(left) and not any(right):
        return "same"
    if left == ours or right == theirs:
        return "apart"
    return "kindred" if any(left) and any(right) else "same"


def _by_stem(rests: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """English words meet where they begin alike: allergies and allergic, marry and married."""
    starts = frozenset(word[:_STEM] for word in others if len(word) >= _STEM)
    return tuple("" if len(rest) >= _STEM and rest[:_STEM] in starts else rest for rest in rests)


def _covered(rests: tuple[str, ...], words: tuple[str, ...]) -> float:
    whole = sum(map(len, words))
    return 1 - sum(map(len, rests)) / whole if whole else 0.0


def _subject(clause: Clause) -> tuple[str, ...]:
    """What stands before the first relation, or the first word; nothing where it is a pronoun's verb."""
    if IS in clause.words:
        before = clause.words[: clause.words.index(IS)]
        if before:
            return before
    return () if clause.text.startswith(_PRONOUNS) else clause.content()[:1]


def _kept(subject: tuple[str, ...], others: tuple[str, ...], language: Language) -> bool:
    if not subject:
        return True
    rests = missing(others, subject, language)
    return any(rest != word for rest, word in zip(rests, subject, strict=True))
