"""Lines for a person. Any text stays on one line, and its control characters have no effect on the terminal.

Use `paint` for colours; escape codes in a text are made visible. Knows no stream.
"""

from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from everself.frozen import Frozen

if TYPE_CHECKING:
    from everself.workspace.disk_workspace import Recovery


class Look(NamedTuple):
    fg: str | None = None
    bold: bool | None = None
    dim: bool | None = None


PLAIN = Look()


class Painted(Frozen):
    """A line with coloured parts."""

    parts: tuple[tuple[str, Look], ...]

    def __add__(self, other: "Painted | str") -> "Painted":
        return Painted(self.parts + _parts(other))

    def __radd__(self, other: str) -> "Painted":
        return Painted(_parts(other) + self.parts)


Line = str | Painted


def paint(text: str, fg: str | None = None, *, bold: bool | None = None, dim: bool | None = None) -> Painted:
    return Painted(((text, Look(fg, bold, dim)),))


def paint_diff(diff: str) -> Iterator[Line]:
    """A unified diff with removed lines in red and added lines in green."""
    for line in diff.removesuffix("\n").split("\n") if diff else ():
        if line.startswith(("---", "+++")):
            yield paint(line, bold=True)
        elif line.startswith("+"):
            yield paint(line, "green")
        elif line.startswith("-"):
            yield paint(line, "red")
        else:
            yield paint(line, "cyan") if line.startswith("@@") else line


def _parts(line: Line) -> tuple[tuple[str, Look], ...]:
    return line.parts if isinstance(line, Painted) else ((line, PLAIN),)


def render(line: Line) -> str:
    """The line for a terminal."""
    shown = ((safe(text), look) for text, look in _parts(line))
    return "".join(text if look == PLAIN else click.style(text, **look._asdict()) for text, look in shown)


def plain(line: Line) -> str:
    """The line without colours, for callers that sanitise text themselves."""
    return "".join(safe(text) for text, _ in _parts(line))


def safe(text: str) -> str:
    """Any text as one line without control characters and direction marks; spaces are kept."""
    if text.isascii() and text.isprintable():
        return text
    from everself.text.visible import visible

    return visible(text.replace("\r", "␍").replace("\n", "␊"))


_NEAR: Final = {-1: "tomorrow", 0: "today", 1: "yesterday"}
_WEEK: Final = 7


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def entries_of(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def day_words(day: date | None, today: date) -> str:
    """A day in words: relative within a week, otherwise its date."""
    if day is None:
        return ""
    days = (today - day).days
    if days in _NEAR:
        return _NEAR[days]
    return f"{days} days ago" if 0 < days < _WEEK else day.isoformat()


def minute(at: datetime, zone: tzinfo) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def recovered_notices(found: "Recovery") -> list[str]:
    """Notices about unfinished changes of a crashed process."""
    notices = [f"A change that was cut short earlier has been completed: {one}" for one in found.completed]
    return notices + [f"A change that was cut short earlier has been taken back: {one}" for one in found.undone]
