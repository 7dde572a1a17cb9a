"""The times that a question speaks of, in seven languages. Pure: it is told which day it is."""

from everself.dates.asking import asks_when
from everself.dates.reading import DateSpan, read_dates

__all__ = ["DateSpan", "asks_when", "read_dates"]
