"""Finds the dates that a question mentions, in seven languages, and the days that a statement names. Pure: the current day is passed in."""

from everself.text.dates._date_parser import DateSpan, read_dates
from everself.text.dates._days import NamedDay, find_days, may_be_same
from everself.text.dates._latin import NUMBER_WORDS
from everself.text.dates._questions import asks_for_now, asks_when
from everself.text.dates._relative import has_days, names_relative_day, with_days

__all__ = [
    "NUMBER_WORDS",
    "DateSpan",
    "NamedDay",
    "asks_for_now",
    "asks_when",
    "find_days",
    "has_days",
    "may_be_same",
    "names_relative_day",
    "read_dates",
    "with_days",
]
