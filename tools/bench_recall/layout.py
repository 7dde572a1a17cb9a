"""Writes the sets as Markdown: one file per session with a line per turn, one file per passage. Pure; independent of the sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class Turn:
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that can be found, as lines of a document. `text`: those lines; `body`: what must be returned;
    `said`: the baselines' input.
    """

    path: str
    first_line: int
    last_line: int
    text: str
    body: str
    said: str


def session_document(path: str, turns: Sequence[Turn]) -> tuple[str, tuple[Unit, ...]]:
    """One line per turn, `**Speaker:** text`; a line break within a turn becomes a space."""
    units = []
    for number, turn in enumerate(turns, 1):
        body = " ".join(turn.text.splitlines()).strip()
        line = f"**{turn.speaker}:** {body}"
        units.append(Unit(path, number, number, line, body, f"{turn.speaker}: {body}"))
    return "".join(f"{unit.text}\n" for unit in units), tuple(units)


def list_document(path: str, texts: Sequence[str]) -> tuple[str, tuple[Unit, ...]]:
    """A list with one item per text."""
    bodies = [" ".join(text.splitlines()).strip() for text in texts]
    units = tuple(Unit(path, at, at, f"- {body}", body, body) for at, body in enumerate(bodies, 1))
    return "".join(f"{unit.text}\n" for unit in units), units


def passage_document(path: str, title: str, text: str) -> tuple[str, Unit]:
    """The title as a heading, followed by the unchanged text."""
    content = f"# {title}\n\n{text}\n"
    return content, Unit(path, 1, content.count("\n"), content.rstrip("\n"), text, f"{title}\n{text}")


def english_day(told: str) -> date:
    """Parse the day of `1:56 pm on 8 May, 2023`, independent of the locale."""
    day, month, year = told.rpartition(" on ")[2].replace(",", "").split()
    return date(int(year), _MONTHS.index(month) + 1, int(day))


def plain_day(told: str) -> date:
    """Parse the day of `2023/05/28 (Sun) 07:17`."""
    year, month, day = told.split()[0].split("/")
    return date(int(year), int(month), int(day))


def dashed_day(told: str) -> date:
    """Parse the day of `March-15-2024`."""
    month, day, year = told.split("-")
    return date(int(year), _MONTHS.index(month) + 1, int(day))


def written_day(told: str) -> date:
    """Parse the day of `2024年04月01日 周一 08:30`."""
    year, rest = told.split("年")
    month, rest = rest.split("月")
    return date(int(year), int(month), int(rest.split("日")[0]))
