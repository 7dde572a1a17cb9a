"""The times that a question speaks of, in seven languages. Pure: it is told which day it is."""

from everself.text.dates._current_state import asks_for_now
from everself.text.dates._date_parser import DateSpan, read_dates
from everself.text.dates._when_questions import asks_when

__all__ = ["DateSpan", "asks_for_now", "asks_when", "read_dates"]
