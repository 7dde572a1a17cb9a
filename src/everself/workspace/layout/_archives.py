"""Which files are daily logs, and the archive that each belongs to. By names alone."""

from collections.abc import Iterator
from datetime import date
from itertools import count

from everself.values import Tier
from everself.workspace.layout._names import fold
from everself.workspace.layout._places import Kind, place

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_CHRONICLES = "Archive/Chronicles"
_DAYS = frozenset({Kind.DAILY_LOG, Kind.SESSION_NOTE, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY})
_ARCHIVES = frozenset({Kind.ARCHIVE, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY})


def is_day(path: str) -> bool:
    """Whether this is a log or a note of one day that stands where days stand: not a month, not a page, not in an archive."""
    where = place(path)
    if where.kind not in _DAYS or where.tier is not Tier.WORKING or where.day is None or not path.endswith(".md"):
        return False
    return where.day.isoformat() in path and "archive" not in map(fold, path.split("/")[:-1])


def is_quarter(path: str) -> bool:
    """Whether this is an archive of many days."""
    where = place(path)
    return where.span and where.kind in _ARCHIVES


def chronicle_of(day: date) -> str:
    """Where the month of a day is told."""
    return f"{_CHRONICLES}/{day.year}-{MONTHS[day.month - 1]}.md"


def archives_of(path: str) -> Iterator[str]:
    """Where a day goes, in the memory that it is of: `memory/archive/2026-Q1.md`, and where that is full, the next. None for no day."""
    day = place(path).day
    if day is None or not is_day(path):
        return
    segments = path.split("/")
    at = [fold(one) for one in segments].index("memory")
    first = f"{'/'.join(segments[: at + 1])}/archive/{day.year}-Q{(day.month + 2) // 3}"
    yield f"{first}.md"
    for number in count(2):
        yield f"{first}-{number}.md"
