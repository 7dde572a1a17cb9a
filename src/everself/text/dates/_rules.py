"""A date rule: an RE2 pattern and the function that interprets its match."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TypeVar

from everself.text.dates._spans import DateRange, check_year

T = TypeVar("T")

# The named groups of the pattern, empty where they took no part, besides `all`, `before` and `after` of the match.
Groups = Mapping[str, str]
# None: these words are not meant so, others may read them. Nothing: they are meant so, and name no time that has been.
Reader = Callable[[Groups, date], Iterable[DateRange] | None]
Rule = tuple[str, Reader]


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first, because RE2 takes the first that fits."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def by_word(table: Mapping[T, str]) -> dict[str, T]:
    """From {meaning: "word|other word"} to {word: meaning}."""
    return {word: meaning for meaning, words in table.items() for word in words.split("|")}


def find_year(text: str, today: date, relative: Mapping[str, int]) -> int | None:
    """The year of "2023", of "last year" or of nothing."""
    if not text:
        return None
    if text in relative:
        return today.year + relative[text]
    return check_year(int(text))


def begun(today: date, readings: Iterable[DateRange]) -> tuple[DateRange, ...]:
    """Only what does not lie ahead: on a Wednesday "this Friday" is a plan."""
    return tuple(one for one in readings if one.first <= today)
