"""Appends the date that "tomorrow" or "yesterday" means to a statement that outlives the day. Pure: the day it was said is passed in.

Uses only unambiguous words: "morgen" and "mañana" may be a morning, "hier" is "here" in German, and "Friday" may be any.
"""

from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final

from everself.text.dates._date_parser import is_part_of_a_word
from everself.text.dates._rules import by_word, one_of
from everself.text.folding import fold_in_place
from everself.text.normalise import without_surrogates
from everself.text.patterns import LazyPattern, compiled

# days after the day on which the word is said
_DAYS: Final = by_word(
    {
        1: "tomorrow|demain|amanhã|domani|завтра|明天|明日|あした|내일",
        -1: "yesterday|gestern|ayer|ontem|ieri|вчера|昨天|昨日|きのう|어제",
        2: "the day after tomorrow|day after tomorrow|übermorgen|après-demain|pasado mañana|послезавтра|后天|後天|明後日|あさって|모레",
        3: "大后天|大後天|明々後日|明明後日|しあさって|글피",
        -3: "大前天|一昨々日|一昨昨日|さきおととい|그끄저께",
        -2: "the day before yesterday|day before yesterday|vorgestern|avant-hier|anteayer|позавчера|前天|一昨日|おととい|그저께",
    }
)
# a word of this length with a letter missing or doubled is read as a typing error
_LONG: Final = 8
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WRITTEN: Final = LazyPattern(rf"\((?:{_DAY}|[^()]*: {_DAY}(?:, [^()]*: {_DAY})*)\)")


def with_days(text: str, said: date) -> str:
    """The text with the dates of its relative words appended; unchanged if it has none or contains the date."""
    found: dict[str, str] = {}
    for words, after in _find(text):
        day = (said + timedelta(days=after)).isoformat()
        if day not in text:
            found.setdefault(day, words)
    if not found:
        return text
    told = next(iter(found)) if len(found) == 1 else ", ".join(f"{words}: {day}" for day, words in found.items())
    return f"{text} ({told})"


def names_relative_day(text: str) -> bool:
    return bool(_find(text))


def has_days(text: str) -> bool:
    """Whether the text contains dates as `with_days` writes them."""
    return _WRITTEN.search(without_surrogates(text)) is not None


def _find(text: str) -> list[tuple[str, int]]:
    folded = fold_in_place(text).lower()
    if len(folded) != len(text):
        return []
    found: list[tuple[str, int]] = []
    for match in _pattern().finditer(folded):
        start, end = match.span()
        if not is_part_of_a_word(folded, start, end):
            found.append((text[start:end], _DAYS[_meant(match.group())]))
    return found


@lru_cache(maxsize=1)
def _pattern() -> Any:
    slips = {slip for word in _DAYS if word.isascii() and word.isalpha() for slip in _slips(word)}
    return compiled(one_of({*_DAYS, *slips}))


@lru_cache(maxsize=64)
def _meant(words: str) -> str:
    if words in _DAYS:
        return words
    return next(word for word in _DAYS if words in _slips(word))


def _slips(word: str) -> set[str]:
    """A long word with an inner letter left out, or a letter doubled."""
    if len(word) < _LONG or " " in word:
        return set()
    short = {word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)}
    return short | {word[:at] + word[at] + word[at:] for at in range(1, len(word))}
