"""Whether a statement replaces a known day, time or number. Pure: knows no memory, model or clock.

The two statements are compared. Their common words have to name the same subject, and each has its own value of the same kind. If the
statement also names the old value, hardly anything else can be meant. Otherwise a different subject ("the bathroom budget" for "the budget
of the kitchen") means that both may hold. Use it only where a correction is likely: two such statements may both be true.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from everself.classify import encoder
from everself.classify.coverage import denies, is_filler, names_in, words_of_substance, words_shared
from everself.memory.contrasts import names_another, names_other_value
from everself.text.clauses import clauses_of
from everself.text.dates import NamedDay, read_dates
from everself.text.normalise import fold
from everself.text.quantities import Kind, Quantity, read_quantities
from everself.text.sentences import quotations, split

_KINDS: Final[tuple[Kind, ...]] = ("day", "time", "number")
# similarity of two words that can replace each other: "bathroom" and "kitchen", "husband" and "daughter"
_RIVAL: Final = 0.45
# words this similar to the references express a time and name nothing
_WHEN: Final = 0.8
_NOW: Final = "now"
# number of first words that can name the subject
_FIRST: Final = 2
# a unit, "of" and the counted thing
_BEHIND: Final = 3
_SHORTEST: Final = 3
_DENSE: Final = "\u2e7f"
_LONGEST: Final = 600
_ANY_DAY: Final = date(2026, 1, 1)
_Pair = tuple[list[Quantity], list[Quantity]]


@dataclass(frozen=True, slots=True)
class Replacement:
    """`olds` and `news` are the values with their positions in each text; `common` are the common words.

    `named`: the statement names the old value as no longer valid. `close`: the common words are near the new value, or there are several.
    `begins`: both begin with the same thing. `whole`: everything said of the old value is said of the new one; `exact`: and nothing else.
    `rival`: each names something in the same place that the other does not. `echoes`: apart from a common value of another kind, the
    statement adds nothing ("Bertrand Thursday 4:15" of "Bertrand has his fitting Thursday at 2"). `event`: both count something on the same
    past day or night ("today", "last night"), which may have happened twice.
    """

    olds: tuple[Quantity, ...]
    news: tuple[Quantity, ...]
    common: frozenset[str]
    named: bool
    close: bool
    begins: bool
    whole: bool
    exact: bool
    rival: bool = False
    echoes: bool = False
    event: bool = False

    @property
    def weight(self) -> tuple[bool, int]:
        return self.named, len(self.common)


@dataclass(frozen=True, slots=True)
class _Side:
    """A text, its values, and the text without them; the compared part begins at `start`."""

    text: str
    values: tuple[Quantity, ...]
    bare: str
    start: int = 0

    def clause(self, value: Quantity) -> str:
        first, until = _clause(self.text, value)
        return self.bare[first:until]

    def of(self, kind: Kind) -> list[Quantity]:
        return [one for one in self.values if one.kind == kind]


def find_replacement(said: str, known: str, *, several: bool = False) -> Replacement | None:
    """The part of a known text that a statement replaces; None if the subject differs, there is no other value, or several sentences may be
    meant. `several`: the caller knows that the subject is the same, and they may differ in both day and time."""
    if max(len(said), len(known)) > _LONGEST or not read_quantities(said) or names_other_value(said, known):
        return None
    found = [one for start, end in split(known) if (one := _compare(said, known, start, end, several)) is not None]
    best = max(found, key=lambda one: one.weight, default=None)
    if best is None or sum(one.weight == best.weight for one in found) > 1:
        return None
    return best


def swapped(found: Replacement, said: str, known: str) -> str:
    """The known text with the new values; empty if the values do not match one to one, or other words would change."""
    kinds = [sorted(one.kind for one in side) for side in (found.olds, found.news)]
    if kinds[0] != kinds[1] or len(set(kinds[0])) != len(kinds[0]):
        return ""
    made, pairs = known, []
    for old in sorted(found.olds, key=lambda one: -one.start):
        new = next(one for one in found.news if one.kind == old.kind)
        if old.agrees(new) is None:
            return ""
        given = said[new.start : new.end]
        words = _in_month(known[old.start : old.end], given, (old, new), named=found.named) or given
        # "the 19th" stands for another day of the month, but not for "12 December"
        if len(found.olds) == 1 and _month(old) and not _month(new) and words == given:
            return ""
        made = made[: old.start] + words + made[old.end :]
        pairs.append((old, new))
    return made if reads_as(known, made, pairs) else ""


def reads_as(known: str, made: str, pairs: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Whether a text has the values of another one in the same order except for the exchanged ones, which are all gone."""
    ours, theirs = read_quantities(known), read_quantities(made)
    if [one.kind for one in ours] != [one.kind for one in theirs]:
        return False
    given = {old.start: new for old, new in pairs}
    return all(
        bool(one.agrees(other))
        if one.start not in given
        else bool(other.agrees(given[one.start])) and not one.agrees(other)
        for one, other in zip(ours, theirs, strict=True)
    )


def _in_month(written: str, given: str, values: tuple[Quantity, Quantity], *, named: bool) -> str:
    """A date with another day, if the new one is only a day: in the same month if both name it, or later."""
    old, new = values
    if not isinstance(old.value, NamedDay) or not isinstance(new.value, NamedDay) or _month(new) or not _month(old):
        return ""
    day, other = old.value.first, new.value.first
    single = day == old.value.last and other == new.value.last and old.value.weekday < 0
    digits = "".join(char if char.isdecimal() else " " for char in written).split()
    if not single or digits.count(str(day)) != 1 or not (named or other > day):
        return ""
    at = next(at for at in range(len(written)) if _is_number(written, at, str(day)))
    # "3rd" becomes "4th", and "3日" stays "4日"
    ending = _ending(written[at + len(str(day)) :])
    own = _ending(given.partition(str(other))[2]) if ending else ""
    return written[:at] + str(other) + own + written[at + len(str(day)) + len(ending) :] if own or not ending else ""


def _ending(text: str) -> str:
    """The letters directly after a number, as in "3rd"."""
    return text[: next((at for at, char in enumerate(text) if not (char.isascii() and char.isalpha())), len(text))]


def _is_number(text: str, at: int, digits: str) -> bool:
    end = at + len(digits)
    return text.startswith(digits, at) and not text[at - 1 : at].isdecimal() and not text[end : end + 1].isdecimal()


def _month(value: Quantity) -> int:
    return value.value.month if isinstance(value.value, NamedDay) else 0


def put_right(said: str, before: str) -> Iterator[str]:
    """Earlier sentences, quoted ones first, with the new values in place of theirs, if the values match one to one by kind. With another
    day and time, neither alone was said before."""
    given = read_quantities(said)
    quoted = [before[start + 1 : end - 1] for start, end in quotations(before)]
    for sentence in (text[start:end] for text in (*quoted, before) for start, end in split(text)):
        known, right = read_quantities(sentence), sentence
        exchanged = [pair for kind in _KINDS if (pair := _exchange(kind, known, given)) is not None]
        for old, new in sorted(exchanged, key=lambda pair: -pair[0].start):
            right = right[: old.start] + said[new.start : new.end] + right[old.end :]
        told = (*known, *(new for _, new in exchanged))
        if exchanged and all(any(one.kind == other.kind and one.agrees(other) for other in told) for one in given):
            yield right.strip()


def _exchange(kind: str, known: Sequence[Quantity], given: Sequence[Quantity]) -> tuple[Quantity, Quantity] | None:
    """The old and the new value of this kind, if there is one of each."""
    olds, news = ([one for one in side if one.kind == kind] for side in (known, given))
    # a repeated value is the old one: "7, not 6"
    news = [one for one in news if not any(map(one.agrees, olds))]
    news = [one for at, one in enumerate(news) if not any(map(one.agrees, news[:at]))]
    if len(olds) != 1 or len(news) != 1:
        return None
    old, new = olds[0], news[0]
    # "took two hours" does not replace "four of us"
    return None if kind == "number" and _is_unit(new.unit) and not _same_unit(old.unit, new.unit) else (old, new)


def beside(found: Replacement, known: str) -> str:
    """The clauses of the known text without the old values."""
    parts = [
        (start + first, start + until) for start, end in split(known) for first, until in clauses_of(known[start:end])
    ]
    left = [known[first:until] for first, until in parts if not any(first <= one.start < until for one in found.olds)]
    return ", ".join(filter(None, (one.strip() for one in left)))


def without_values(text: str) -> str:
    return _bare(text, read_quantities(text))


def says_more(one: str, other: str) -> bool:
    """Whether a text has a content word, other than values, that the other lacks."""
    return bool(_apart(_bare(one, read_quantities(one)), other))


def _compare(said: str, known: str, start: int, end: int, several: bool) -> Replacement | None:
    every = read_quantities(known)
    ours = _Side(said, read_quantities(said), _bare(said, read_quantities(said)))
    # positions refer to the whole text, words to this sentence
    theirs = _Side(
        known,
        tuple(one for one in every if start <= one.start < end),
        " " * start + _bare(known, every)[start:end],
        start,
    )
    common = _common(ours, theirs)
    if not theirs.values or not common or _names_part(ours.bare, theirs.bare):
        return None
    named: list[_Pair] = []
    valued: list[_Pair] = []
    for kind in _KINDS:
        mine, yours = ours.of(kind), theirs.of(kind)
        again = [one for one in yours if any(map(one.agrees, mine))]
        fresh = [one for one in mine if not any(one.agrees(each) for each in every if each.kind == kind)]
        told = [one for one in mine if any(map(one.agrees, again))]
        if again and fresh and _is_settled(ours, theirs, told, fresh):
            named.append((again, fresh))
        elif yours and fresh and not again:
            # "Wren is 7, Otis turned three": Otis's value does not replace Wren's
            valued.append((_beside(yours, theirs, ours.bare), _beside(fresh, ours, theirs.bare)))
    if named and not _about(ours, theirs):
        return None
    if named:
        # values of another kind belong to it: another day at another time
        valued = [one for one in valued if one[0][0].kind != "number"]
    elif not valued or (_is_rival(ours, theirs, valued, common) and not (several and _is_same_frame(ours, theirs))):
        return None
    return _made(ours, theirs, (named, valued), common)


def _made(ours: _Side, theirs: _Side, pairs: tuple[list[_Pair], list[_Pair]], common: set[str]) -> Replacement:
    named, valued = pairs
    olds, news = ([one for pair in (*named, *valued) for one in pair[at]] for at in (0, 1))
    mine, yours = ours.clause(news[0]), theirs.clause(olds[0])
    matched = {ours.text[one.start : one.end] for one in ours.values if any(map(one.agrees, theirs.of(one.kind)))}
    whole = len(named) + len(valued) == 1 and not _apart(yours, ours.bare)
    return Replacement(
        tuple(olds),
        tuple(news),
        frozenset(common | matched),
        bool(named),
        len(common) > 1 or bool(words_shared(mine, theirs.bare)) or any(one in mine for one in common),
        _begin_alike(ours, theirs, news[0], olds[0]),
        whole,
        whole and not _apart(mine, theirs.bare),
        names_another(ours.text, theirs.text[theirs.start :]),
        _echoes(ours, theirs, news[0], mine),
        news[0].kind == "number" and not days_told(ours.text).isdisjoint(days_told(theirs.text[theirs.start :])),
    )


def _echoes(ours: _Side, theirs: _Side, new: Quantity, clause: str) -> bool:
    again = [
        one for kind in _KINDS if kind != new.kind for one in ours.of(kind) if any(map(one.agrees, theirs.of(kind)))
    ]
    beside = [one for one in again if one.kind != "number" and ours.clause(one) == ours.clause(new)]
    return bool(beside) and bool(words_of_substance(clause)) and not _apart(clause, theirs.bare)


def days_told(text: str) -> set[tuple[date, date]]:
    """The days that a text names relative to today; no future ones."""
    return {(one.first, one.last) for one in read_dates(text, _ANY_DAY) if one.certain}


def _common(ours: _Side, theirs: _Side) -> set[str]:
    """The common words. A common number is a name, as in "release 3.2"; a counted thing is not."""
    numbers = {ours.text[one.start : one.end] for one in ours.of("number") if any(map(one.agrees, theirs.of("number")))}
    return _about(ours, theirs) | numbers


def _about(ours: _Side, theirs: _Side) -> set[str]:
    counted = words_shared(" ".join(one.unit for one in (*ours.values, *theirs.values)), ours.bare)
    shared = sorted(words_shared(ours.bare, theirs.bare) - counted)
    vectors = encoder.embed([_NOW, *shared][: encoder.MOST])
    if vectors is None:
        return {word for word in shared if word != _NOW}
    return {word for word, one in zip(shared, vectors[1:], strict=False) if float(one @ vectors[0]) < _WHEN}


def _is_settled(ours: _Side, theirs: _Side, told: Sequence[Quantity], fresh: Sequence[Quantity]) -> bool:
    """Whether the old value is named as no longer valid: the subject is the same, and the old value is negated or described differently. In
    "ten kilometres in fifty minutes" neither number replaces the other."""
    counted = [one for one in (*told, *fresh) if one.kind == "number" and _is_unit(one.unit)]
    if any(one.unit != counted[0].unit for one in counted):
        return False
    old, new = ours.clause(told[0]), ours.clause(fresh[0])
    about = words_shared(new, theirs.bare) or not words_of_substance(new)
    known = theirs.clause(next(one for one in theirs.of(told[0].kind) if one.agrees(told[0])))
    return bool(about) and (denies(old) or bool(_apart(known, old)))


def _is_rival(ours: _Side, theirs: _Side, valued: Sequence[_Pair], common: set[str]) -> bool:
    """Whether the two may have different subjects, or differ in more than one value: then both may hold."""
    if len(valued) > 1 or any(len(one) > 1 for pair in valued for one in pair):
        return True
    ((old,), (new,)) = valued[0]
    if old.kind == "number" and not _same_unit(old.unit, new.unit):
        return True
    first = [words_of_substance(side.bare)[:_FIRST] for side in (ours, theirs)]
    if any(char > _DENSE for char in ours.bare + theirs.bare):
        return not first[0] or not first[1] or first[0][0] != first[1][0]
    numbered = any(word[:1].isdecimal() for word in common)
    if not numbered and not words_shared(" ".join(first[1]), ours.bare) and len(common) < _FIRST:
        return True
    if _labels(ours.bare) != _labels(theirs.bare):
        return True
    return _are_alike(_apart(_near(ours, new), theirs.bare), _apart(_near(theirs, old), ours.bare))


def _is_same_frame(ours: _Side, theirs: _Side) -> bool:
    """Whether the two are equal except for their values."""
    return not _apart(ours.bare, theirs.bare) and not _apart(theirs.bare, ours.bare)


def _near(side: _Side, value: Quantity) -> str:
    """The words that may name the thing with a value: those before it in its clause, and the counted thing after a number."""
    first, _ = _clause(side.text, value)
    before = side.bare[max(first, side.start) : value.end]
    return f"{before} {' '.join(side.bare[value.end :].split()[:_BEHIND])}" if value.kind == "number" else before


def _begin_alike(ours: _Side, theirs: _Side, new: Quantity, old: Quantity) -> bool:
    """Whether the clauses begin with the same word, or with the same number."""
    first = []
    for side, value in ((ours, new), (theirs, old)):
        start, end = _clause(side.text, value)
        words = _bare(side.text, (value,))[start:end].split()
        while words and (is_filler(words[0]) or not (words_of_substance(words[0]) or words[0][0].isdecimal())):
            words = words[1:]
        first.append(words[0] if words else "")
    return bool(first[0]) and (first[0] == first[1] or bool(words_shared(*first)))


def _same_unit(one: str, other: str) -> bool:
    """Whether the units of two numbers are equal, or both are at most a function word."""
    if one and other and (one.startswith(other) or other.startswith(one)):
        return True
    return not _is_unit(one) and not _is_unit(other)


def _is_unit(word: str) -> bool:
    return bool(words_of_substance(word))


def _are_alike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    ours, theirs = ([word for word in words if len(word) >= _SHORTEST] for words in (ours, theirs))
    if not ours or not theirs:
        return False
    vectors = encoder.embed([*ours, *theirs][: encoder.MOST])
    if vectors is None:
        return True
    return any(float(one @ other) >= _RIVAL for one in vectors[: len(ours)] for other in vectors[len(ours) :])


def _apart(one: str, other: str) -> list[str]:
    """The words of the first that the other lacks."""
    shared = words_shared(one, other)
    return [word for word in words_of_substance(one) if word not in shared and not is_filler(word)]


def _names_part(own: str, other: str) -> bool:
    """Whether each names a person that the other does not, and no person is in both."""
    ours, theirs = set(names_in(own)), set(names_in(other))
    # a name at the start of a sentence cannot be recognised
    named = words_shared(" ".join(theirs), own) or words_shared(" ".join(ours), other)
    return bool(ours and theirs) and not ours & theirs and not named


def _labels(text: str) -> set[str]:
    """Words with a digit, as in "class 4b": a different one is a different thing."""
    return {word for word in fold(text).split() if any(map(str.isdecimal, word)) and any(map(str.isalpha, word))}


def _clause(text: str, value: Quantity) -> tuple[int, int]:
    for start, end in split(text):
        for first, until in clauses_of(text[start:end]):
            if start + first <= value.start < start + until:
                return start + first, start + until
    return 0, len(text)


def _beside(values: list[Quantity], side: _Side, words: str) -> list[Quantity]:
    """The words in one clause with some of these; all if there are none."""
    return [one for one in values if words_shared(side.clause(one), words)] or values


def _bare(text: str, values: Sequence[Quantity]) -> str:
    """The text with its values blanked out, at unchanged positions."""
    for one in values:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text
