"""Loads named SQL queries from `.sql` files, each under a line `-- name: …`.

Handles the file format, not the meaning of the statements.
"""

from pathlib import Path

from everself.errors import WrongUse

_FOLDER = Path(__file__).parent / "sql"
_MARK = "-- name:"


def load_queries(name: str) -> dict[str, str]:
    """The statements of `sql/<name>.sql`, by name."""
    return parse_queries((_FOLDER / f"{name}.sql").read_text(encoding="utf-8"))


def parse_queries(text: str) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.splitlines():
        if line.startswith(_MARK):
            name = line.removeprefix(_MARK).strip()
            if not name.isidentifier() or name in found:
                raise WrongUse(f'"{name}" is not a valid query name, or is used twice.')
            current = found[name] = []
        elif current is not None:
            current.append(line)
        elif line.strip() and not line.startswith("--"):
            raise WrongUse(f'"{line.strip()}" comes before the first "{_MARK}" line.')
    return {name: _statement(name, lines) for name, lines in found.items()}


def _statement(name: str, lines: list[str]) -> str:
    statement = "\n".join(line for line in lines if not line.lstrip().startswith("--")).strip().removesuffix(";")
    if not statement:
        raise WrongUse(f'The query "{name}" is empty.')
    return statement
