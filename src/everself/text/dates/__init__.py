"""Finds the dates that a question mentions, in seven languages. Pure: the current day is passed in."""

from everself.text.dates._date_parser import DateSpan, read_dates
from everself.text.dates._questions import asks_for_now, asks_when

__all__ = ["DateSpan", "asks_for_now", "asks_when", "read_dates"]
