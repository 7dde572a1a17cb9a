"""What several commands take: words from the line or from standard input, and days."""

import sys
from datetime import date

import click

from everself.errors import WrongUse

# a memory is a thought, not a book
MOST = 256 * 1024


class Day(click.ParamType[date]):
    """A day as in a daily log's name."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f'"{str(value)[:40]}" is no day; write it as 2026-03-19.', param, ctx)


DAY = Day()


def words_of(text: str) -> str:
    """The text itself; with -, what comes from standard input, refused and not cut where it is too long."""
    if text != "-":
        return text
    words = sys.stdin.read(MOST + 1)
    if len(words) > MOST:
        raise WrongUse(f"This takes at most {MOST} characters.", mend="Put it into a file in the workspace.")
    return words
