"""How the sets are written as Markdown: one file a session with a line a turn, one file a passage. Pure; knows no set."""

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
    """What may be found: lines of a document. `text` stands there, `body` has to come back, `said` is what the baselines read."""

    path: str
    first_line: int
    last_line: int
    text: str
    body: str
    said: str


def session_document(path: str, turns: Sequence[Turn]) -> tuple[str, tuple[Unit, ...]]:
    """A line a turn, `**Speaker:** text`; a line end within a turn becomes a blank."""
    units = []
    for number, turn in enumerate(turns, 1):
        body = " ".join(turn.text.splitlines()).strip()
        line = f"**{turn.speaker}:** {body}"
        units.append(Unit(path, number, number, line, body, f"{turn.speaker}: {body}"))
    return "".join(f"{unit.text}\n" for unit in units), tuple(units)


def list_document(path: str, texts: Sequence[str]) -> tuple[str, tuple[Unit, ...]]:
    """An entry of a list for each text."""
    bodies = [" ".join(text.splitlines()).strip() for text in texts]
    units = tuple(Unit(path, at, at, f"- {body}", body, body) for at, body in enumerate(bodies, 1))
    return "".join(f"{unit.text}\n" for unit in units), units


def passage_document(path: str, title: str, text: str) -> tuple[str, Unit]:
    """The title as a heading, then the text as it is."""
    content = f"# {title}\n\n{text}\n"
    return content, Unit(path, 1, content.count("\n"), content.rstrip("\n"), text, f"{title}\n{text}")


def english_day(told: str) -> date:
    """The day in `1:56 pm on 8 May, 2023`, whatever language this machine speaks."""
    day, month, year = told.rpartition(" on ")[2].replace(",", "").split()
    return date(int(year), _MONTHS.index(month) + 1, int(day))


def plain_day(told: str) -> date:
    """The day in `2023/05/28 (Sun) 07:17`."""
    year, month, day = told.split()[0].split("/")
    return date(int(year), int(month), int(day))


def dashed_day(told: str) -> date:
    """The day in `March-15-2024`."""
    month, day, year = told.split("-")
    return date(int(year), _MONTHS.index(month) + 1, int(day))


def written_day(told: str) -> date:
    """The day in `2024年04月01日 周一 08:30`."""
    year, rest = told.split("年")
    month, rest = rest.split("月")
    return date(int(year), int(month), int(rest.split("日")[0]))
