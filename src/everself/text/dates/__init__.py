"""The times that a question speaks of, in seven languages. Pure: it is told which day it is."""

from everself.text.dates._asking import asks_when
from everself.text.dates._reading import DateSpan, read_dates
from everself.text.dates._standing import asks_for_now

__all__ = ["DateSpan", "asks_for_now", "asks_when", "read_dates"]
