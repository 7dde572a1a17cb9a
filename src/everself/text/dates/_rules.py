"""A date rule: an RE2 pattern and the function that interprets its match."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TypeVar

from everself.text.dates._spans import DateRange, check_year

T = TypeVar("T")

# The named groups of the pattern (empty if unused), and `all`, `before` and `after` for the match.
Groups = Mapping[str, str]
# None: the rule does not apply, others may. Empty: it applies, but names no past time.
Reader = Callable[[Groups, date], Iterable[DateRange] | None]
Rule = tuple[str, Reader]


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, longest first, because RE2 takes the first alternative that matches."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def by_word(table: Mapping[T, str]) -> dict[str, T]:
    """Invert {meaning: "word|other word"} to {word: meaning}."""
    return {word: meaning for meaning, words in table.items() for word in words.split("|")}


def find_year(text: str, today: date, relative: Mapping[str, int]) -> int | None:
    """The year for "2023" or "last year"; None for an empty text."""
    if not text:
        return None
    if text in relative:
        return today.year + relative[text]
    return check_year(int(text))


def begun(today: date, readings: Iterable[DateRange]) -> tuple[DateRange, ...]:
    """The ranges that have begun: on a Wednesday "this Friday" is in the future."""
    return tuple(one for one in readings if one.first <= today)
