"""Parameters that several commands share: text from the line or standard input, and days."""

import sys
from datetime import date
from typing import TextIO

import click

from everself.errors import WrongUse
from everself.operations.declaration import MOST


class Day(click.ParamType[date]):
    """A day in the format of daily logs."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f'"{str(value)[:40]}" is not a date. Write it as 2026-03-19.', param, ctx)


DAY = Day()


def words_of(text: str, most: int = MOST) -> str:
    """The text itself, or standard input for `-`. Too long input is refused, not truncated."""
    words = forgiving(sys.stdin).read(most + 1) if text == "-" else text
    if len(words) > most:
        raise WrongUse(f"A text has at most {most:,} characters here.", mend="Put it into a file in the workspace.")
    return words


def forgiving(stream: TextIO) -> TextIO:
    """Decode input from a pipe; invalid bytes become visible."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return stream
