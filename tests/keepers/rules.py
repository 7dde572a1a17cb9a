"""The table of rules in `rules.md`, as values. Knows how the table is written and nothing of what it says."""

from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("rules.md")


@dataclass(frozen=True, slots=True)
class Rule:
    """`source` is where it stands, `tests` are below tests/. What is `owed` has no test yet."""

    source: str
    words: str
    tests: tuple[str, ...]
    owed: str = ""


def load_rules() -> tuple[Rule, ...]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return tuple(_rule(*(cell.strip() for cell in line.strip("|").split(" | "))) for line in lines[1:])


def _rule(source: str, words: str, held: str) -> Rule:
    owed = held.removeprefix("owed: ") if held.startswith("owed: ") else ""
    return Rule(source, words, () if owed else tuple(one.strip("`") for one in held.split()), owed)
