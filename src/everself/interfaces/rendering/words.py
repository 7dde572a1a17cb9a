"""Words that several views share: numbers with their nouns, and what a process that died had left."""

from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from everself.workspace.disk_workspace import Recovery

_NEAR: Final = {-1: "tomorrow", 0: "today", 1: "yesterday"}
_WEEK: Final = 7


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def entries_of(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def day_words(day: date | None, today: date) -> str:
    """A day as people say it: by its distance within a week, else by its date."""
    if day is None:
        return ""
    days = (today - day).days
    if days in _NEAR:
        return _NEAR[days]
    return f"{days} days ago" if 0 < days < _WEEK else day.isoformat()


def recovered_notices(found: "Recovery") -> list[str]:
    """What a process that died had left half done, and what became of it."""
    notices = [f"A change that was cut short earlier has been completed: {one}" for one in found.completed]
    return notices + [f"A change that was cut short earlier has been taken back: {one}" for one in found.undone]
