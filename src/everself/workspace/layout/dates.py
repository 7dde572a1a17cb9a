"""Parses the date in a file name."""

import calendar
from datetime import date
from functools import lru_cache
from typing import Final

# Outside these years such digits are more likely a number from an error text than a date.
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199

_DIGITS: Final = frozenset("0123456789")
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH_NUMBERS: Final = {
    name: number for number, month in enumerate(map(str.lower, MONTHS), start=1) for name in (month, month[:3])
}


def find_day(stem: str) -> date | None:
    """The day at the beginning of a name, otherwise the last one in it (`review-2026-01-31`). Impossible dates do not count."""
    dash = stem.rfind("-")
    if dash < 7:
        return None
    if stem[4:5] == "-" and stem[7:8] == "-":
        day = _day_at(stem, 0)
        if day:
            return day
    while dash >= 7:
        if stem[dash - 3] == "-":
            day = _day_at(stem, dash - 7)
            if day:
                return day
        dash = stem.rfind("-", 0, dash)
    return None


def find_span_end(stem: str, *, whole: bool) -> date | None:
    """The last day of the quarter, month or year at the beginning of a name: `2026-Q1`, `2026-March`, `2026-03`, `2026`.

    With `whole` nothing may follow the span, and a year alone does not count.
    """
    year = stem[:4]
    if not _is_number(year, 4) or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    if len(stem) == 4:
        return None if whole else date(int(year), 12, 31)
    if stem[4] != "-":
        return None
    word = stem[5:].lower()
    length = next((i for i, character in enumerate(word) if not character.isalnum()), len(word))
    if whole and length < len(word):
        return None
    month = _last_month(word[:length])
    return date(int(year), month, calendar.monthrange(int(year), month)[1]) if month else None


def _last_month(word: str) -> int:
    """The last month of "q1", "march", "mar" or "03"; 0 for any other word."""
    if len(word) == 2 and word[0] == "q" and word[1] in "1234":
        return int(word[1]) * 3
    if _is_number(word, 2) and 1 <= int(word) <= 12:
        return int(word)
    return _MONTH_NUMBERS.get(word, 0)


def _day_at(stem: str, start: int) -> date | None:
    end = start + 10
    # a longer run of digits is a serial number, not a day
    if (start and stem[start - 1] in _DIGITS) or stem[end : end + 1] in _DIGITS:
        return None
    return _parse_day(stem[start:end])


@lru_cache(maxsize=8192)
def _parse_day(text: str) -> date | None:
    year, month, day = text[:4], text[5:7], text[8:]
    if not (_is_number(year, 4) and _is_number(month, 2) and _is_number(day, 2)):
        return None
    if not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _is_number(text: str, length: int) -> bool:
    return len(text) == length and text.isascii() and text.isdigit()
