"""Reads the invented lives of tests/corpora/lives: dated turns, and questions with the turns that answer them. Knows no search.

    language: en
    == 1 | 2025-03-04
    1 owner: rent goes to 940 from May
    ?? single | what will my rent be | 940 from May | 1.1

`train` is for learning and `choose` for choosing between what was learnt. What is sealed is not read here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Part = Literal["train", "choose"]


@dataclass(frozen=True, slots=True)
class LifeTurn:
    session: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """`evidence`: the numbers of turns; empty if nothing answers."""

    kind: str
    text: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Life:
    name: str
    language: str
    turns: tuple[LifeTurn, ...]
    questions: tuple[LifeQuestion, ...]


def load_lives(folder: Path, part: Part) -> tuple[Life, ...]:
    return tuple(
        parse_life(path.stem, path.read_text(encoding="utf-8")) for path in sorted((folder / part).glob("*.txt"))
    )


def parse_life(name: str, text: str) -> Life:
    """Parse a life; raises ValueError with the first invalid line."""
    language, session = "", 0
    turns: list[LifeTurn] = []
    numbers: dict[str, int] = {}
    asked: list[Sequence[str]] = []
    for line in text.splitlines():
        if line.startswith("language:"):
            language = line.partition(":")[2].strip()
        elif line.startswith("== "):
            session = int(line[3:].partition("|")[0])
        elif line.startswith("?? "):
            asked.append([part.strip() for part in line[3:].split("|")])
        elif line[:1].isdecimal():
            number, _, said = line.partition(" ")
            speaker, _, words = said.partition(": ")
            numbers[f"{session}.{number}"] = len(turns)
            turns.append(LifeTurn(session, speaker, words))
    return Life(name, language, tuple(turns), tuple(_question(name, parts, numbers) for parts in asked))


def _question(name: str, parts: Sequence[str], numbers: dict[str, int]) -> LifeQuestion:
    try:
        kind, text, _, evidence = parts
        named = [one.strip() for one in evidence.split(",") if one.strip() not in ("", "-")]
        return LifeQuestion(kind, text, tuple(dict.fromkeys(numbers[one] for one in named)))
    except (ValueError, KeyError) as error:
        raise ValueError(f"{name}: not a question with evidence: {' | '.join(parts)}") from error
