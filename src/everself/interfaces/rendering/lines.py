"""Lines for a person. Whatever text comes into one, it stays one line, and no part of it commands the terminal.

A colour is asked for with `paint`; escape codes that stand in a text itself are shown, never obeyed. Knows no stream.
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
    """A line some parts of which have a look of their own."""

    parts: tuple[tuple[str, Look], ...]

    def __add__(self, other: "Painted | str") -> "Painted":
        return Painted(self.parts + _parts(other))

    def __radd__(self, other: str) -> "Painted":
        return Painted(_parts(other) + self.parts)


Line = str | Painted


def paint(text: str, fg: str | None = None, *, bold: bool | None = None, dim: bool | None = None) -> Painted:
    return Painted(((text, Look(fg, bold, dim)),))


def paint_diff(diff: str) -> Iterator[Line]:
    """A unified diff, what goes in red and what comes in green."""
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
    """The line as it may be written to a terminal."""
    shown = ((safe(text), look) for text, look in _parts(line))
    return "".join(text if look == PLAIN else click.style(text, **look._asdict()) for text, look in shown)


def plain(line: Line) -> str:
    """The line without colours, for whoever makes text powerless itself."""
    return "".join(safe(text) for text, _ in _parts(line))


def safe(text: str) -> str:
    """Any text as one line that cannot move a cursor, set a colour or turn the writing direction; spaces stay as they are."""
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
    """A day as people say it: by its distance within a week, else by its date."""
    if day is None:
        return ""
    days = (today - day).days
    if days in _NEAR:
        return _NEAR[days]
    return f"{days} days ago" if 0 < days < _WEEK else day.isoformat()


def minute(at: datetime, zone: tzinfo) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def recovered_notices(found: "Recovery") -> list[str]:
    """What a process that died had left half done, and what became of it."""
    notices = [f"A change that was cut short earlier has been completed: {one}" for one in found.completed]
    return notices + [f"A change that was cut short earlier has been taken back: {one}" for one in found.undone]
