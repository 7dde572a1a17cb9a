"""What two clauses have in common and what only one of them says, word by word or, where words have no blanks, sign by sign."""

from dataclasses import dataclass

from everself.classify.contradiction._statement import IS, Clause
from everself.classify.sentence_kinds import Language


@dataclass(frozen=True, slots=True)
class Alignment:
    """`subject` tells whether both name the same thing before their relation."""

    shared: int
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    subject: bool
    values: tuple[tuple[str, ...], tuple[str, ...]]


def align(older: Clause, newer: Clause, language: Language) -> Alignment:
    ours, theirs = older.content(), newer.content()
    in_theirs, in_ours = _Others(theirs, language), _Others(ours, language)
    left, right = [in_theirs(word) for word in ours], [in_ours(word) for word in theirs]
    if language == "zh":
        # signs that stand in other words here and there say no more for it
        common = frozenset("".join(left)) & frozenset("".join(right))
        left, right = ([_without(rest, common) for rest in rests] for rests in (left, right))
    shared = sum(not rest for rest in left)
    partly = sum(rest != word and bool(rest) for word, rest in zip(ours, left, strict=True))
    subject, values = _parted(older, newer, language)
    return Alignment(
        shared=shared + partly,
        ours=tuple(rest for rest in left if rest),
        theirs=tuple(rest for rest in right if rest),
        subject=subject,
        values=values,
    )


def _without(word: str, signs: frozenset[str]) -> str:
    return word if word.isascii() else "".join(sign for sign in word if sign not in signs)


def missing_from(others: tuple[str, ...], words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """What of each word the others do not have."""
    rest_of = _Others(others, language)
    return tuple(rest_of(word) for word in words)


class _Others:
    """Called with a word, gives what of it the others do not have: nothing where they have it all."""

    def __init__(self, words: tuple[str, ...], language: Language) -> None:
        self._language = language
        self._words = frozenset(words)
        self._pairs = frozenset(word[at : at + 2] for word in words for at in range(len(word) - 1))
        self._signs = frozenset("".join(words))
        self._firsts = frozenset(word[0] for word in words)
        self._starts = frozenset(word[:2] for word in words if len(word) > 1)

    def __call__(self, word: str) -> str:
        if word in self._words:
            return ""
        if self._language == "en":
            return word
        if self._language == "ko":
            return "" if not word.isascii() and self._has_stem(word) else word
        if word.isascii():
            return word
        if len(word) == 1:
            return "" if word in self._signs else word
        # a sign that is a word of its own among the others
        covered = [sign in self._words for sign in word]
        for at in range(len(word) - 1):
            if word[at : at + 2] in self._pairs:
                covered[at] = covered[at + 1] = True
        return "".join(sign for sign, known in zip(word, covered, strict=True) if not known)

    def _has_stem(self, word: str) -> bool:
        """Korean words meet where their first two syllables do, or where the one is all the stem there is."""
        if len(word) == 1:
            return word in self._firsts
        return word[:2] in self._starts or word[0] in self._words


def _parted(older: Clause, newer: Clause, language: Language) -> tuple[bool, tuple[tuple[str, ...], tuple[str, ...]]]:
    if IS not in older.words or IS not in newer.words:
        return False, ((), ())
    ours, mine = _split(older)
    theirs, other = _split(newer)
    if not ours or not theirs:
        return False, (mine, other)
    in_theirs, in_ours = _Others(theirs, language), _Others(ours, language)
    same = not any(map(in_theirs, ours)) and not any(map(in_ours, theirs))
    return same, (mine, other)


def _split(clause: Clause) -> tuple[tuple[str, ...], tuple[str, ...]]:
    at = clause.words.index(IS)
    return clause.words[:at], tuple(word for word in clause.words[at + 1 :] if word != IS)
