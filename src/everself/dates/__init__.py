"""The times that a question speaks of, in seven languages. Pure: it is told which day it is."""

from everself.dates.asking import asks_when
from everself.dates.reading import DateSpan, read_dates
from everself.dates.standing import asks_for_now

__all__ = ["DateSpan", "asks_for_now", "asks_when", "read_dates"]
