"""Whether a statement can concern a known text: it may name the old value, or a different subject. Pure.

"At 4, not 3" cannot concern a text with neither number, and "the meeting with Li" may not be the one with Sandra. Checked before an entry
is closed; independent of language.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

from everself.classify.coverage import denies, is_filler, words_shared
from everself.text.dates import NamedDay
from everself.text.quantities import Quantity, read_quantities
from everself.text.search import TermKind, read_query

# a word, a negation and another word
_CONTRAST: Final = 3
_NOON: Final = 12
_MINUTES: Final = 60
_DAYS: Final = 31
# maximum words, or characters in scripts without spaces, between two contrasted values
_BETWEEN: Final = 4
_BETWEEN_DENSE: Final = 8
_DENSE: Final = "\u2e7f"
_EDGES: Final = " .,;:!?…\"'“”‘’()"


def names_other_value(said: str, known: str) -> bool:
    """Whether a statement contrasts two values and a known text contains neither."""
    pairs = list(_contrasted(said))
    held = read_quantities(known)
    return bool(pairs) and not any(_is_same(one, other) for pair in pairs for one in pair for other in held)


def sets_values_apart(said: str) -> bool:
    """Whether it contrasts two values of which only one can be meant."""
    return any(True for _ in _contrasted(said))


def _contrasted(said: str) -> Iterator[tuple[Quantity, Quantity]]:
    """Adjacent values that exclude each other: of one kind, or a date and a bare number in a negated statement."""
    for one, other in pairwise(read_quantities(said)):
        between = said[one.end : other.start]
        dense = any(char > _DENSE for char in between)
        near = len(between) <= _BETWEEN_DENSE if dense else len(between.split()) <= _BETWEEN
        if near and (_same_kind(one, other) or (_may_be_same_kind(one, other) and denies(said))):
            yield one, other


def _same_kind(one: Quantity, other: Quantity) -> bool:
    """A weekday and a date are compatible, and so are counts of different things."""
    if one.kind != other.kind or one.agrees(other) is not False:
        return False
    units = [each.unit for each in (one, other) if _counts(each)]
    return len(units) < 2 or units[0] == units[1]


def _may_be_same_kind(one: Quantity, other: Quantity) -> bool:
    """ "14 March instead of 13", "at 4 not 3"."""
    bare = [each for each in (one, other) if each.kind == "number" and not _counts(each)]
    # 15.50 is neither an hour nor a day
    plain = [str(each.value) for each in bare if str(each.value).isdecimal() and int(str(each.value)) <= _DAYS]
    return len(bare) == len(plain) == 1 and not _is_same(one, other)


def _counts(value: Quantity) -> bool:
    """Whether the word after the number names what is counted, such as days."""
    return any(term.kind is not TermKind.STOP for term in read_query(value.unit).terms)


def _is_same(one: Quantity, other: Quantity) -> bool:
    if one.kind == other.kind:
        return bool(one.agrees(other))
    plain, valued = (one, other) if one.kind == "number" else (other, one)
    number = int(plain.value) if isinstance(plain.value, str) and plain.value.isdecimal() else -1
    if plain.kind != "number" or number < 0:
        return False
    if isinstance(valued.value, NamedDay):
        return number == valued.value.first
    return isinstance(valued.value, int) and (number * _MINUTES - valued.value) % (_NOON * _MINUTES) == 0


def denied_word(said: str) -> tuple[str, str]:
    """The wrong and the right word of a sentence like "RAVIC not pavic"; otherwise two empty texts."""
    words = [word.strip(_EDGES) for word in said.split()]
    if len(words) != _CONTRAST or read_quantities(said):
        return "", ""
    new, denial, old = words
    plain = not any(term.kind is TermKind.STOP for one in (new, old) for term in read_query(one).terms)
    return (old, new) if plain and new.casefold() != old.casefold() and denies(denial) else ("", "")


def names_another(said: str, known: str, apart_from: Collection[str] = ()) -> bool:
    """Whether the statement differs from the known text after the same word: "with Li", "with Sandra". `apart_from` are the words of the
    value."""
    ours, theirs = (_places(one, other, apart_from) for one, other in ((said, known), (known, said)))
    return not ours.isdisjoint(theirs)


def _places(text: str, other: str, apart_from: Collection[str]) -> set[str]:
    """The function words after which this text has a word that the other text lacks."""
    for one in reversed(read_quantities(text)):
        text = text[: one.start] + "\x00" + text[one.end :]
    small = {term.surface for term in read_query(text).terms if term.kind is TermKind.STOP}
    shared = words_shared(text, other)
    words = [word.strip(_EDGES).casefold() for word in text.split()]
    left_out = {word.casefold() for one in apart_from for word in one.split()}
    return {
        before
        for before, word in pairwise(words)
        if before in small and word.isalpha() and word not in small and word not in left_out
        if not words_shared(word, " ".join(shared)) and not words_shared(word, other) and not is_filler(word)
    }
