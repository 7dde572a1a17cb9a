"""Builds a new state database from the readable rows of a damaged one.

Ledger rows are taken over up to the first break in the chain. Seals and provenance records carry their own MACs and are
checked when used.
"""

from collections.abc import Mapping, Sequence

import apsw

from everself.frozen import Frozen
from everself.storage._salvage import Rows, read_rows
from everself.storage.engine import Value, Writer
from everself.storage.state.database import State
from everself.storage.state.ledger import ChangeSide, LedgerRow, check_chain

# rows that can be derived from the documents again
_DERIVED = frozenset({"documents", "entries"})
_CHAINED = ("ledger", "changes")
_TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations' ORDER BY rowid
"""
_LEDGER = ("seq", "change_id", "at", "author", "files", "previous", "mac")


class Salvaged(Frozen):
    """The number of rows taken over, by table, and the tables that could not be read completely."""

    rows: Mapping[str, int]
    partly: tuple[str, ...]


def take_over(damaged: str, state: State, key: bytes) -> Salvaged:
    """Insert every readable and consistent row of a damaged database into a new one."""
    tables = [str(row[0]) for row in state.engine.read(_TABLES)]
    read = {one.table: one for one in read_rows(damaged, [name for name in tables if name not in _DERIVED])}
    ledger, changes = (_as_dicts(read[name]) for name in _CHAINED)
    ledger.sort(key=lambda one: seq if isinstance(seq := one.get("seq"), int) else 0)
    good = _chained(key, ledger, changes)
    kept = {one["change_id"] for one in ledger[:good]}
    chosen: dict[str, list[dict[str, Value]]] = {name: _as_dicts(one) for name, one in read.items()}
    chosen["ledger"] = ledger[:good]
    chosen["changes"] = [one for one in changes if one.get("id") in kept]
    searches = {one.get("seq") for one in chosen.get("searches", ())}
    chosen["search_hits"] = [one for one in chosen.get("search_hits", ()) if one.get("search") in searches]

    def work(writer: Writer) -> dict[str, int]:
        done = {}
        for table in (name for name in tables if name in chosen):
            known = {str(row[1]) for row in writer.rows(f'PRAGMA table_info("{table}")')}
            done[table] = sum(_insert(writer, table, row, known) for row in chosen[table])
        return done

    partly = [name for name, one in read.items() if not one.whole]
    partly += ["ledger"] if good < len(ledger) and "ledger" not in partly else []
    return Salvaged(state.engine.write(work), tuple(sorted(partly)))


def _insert(writer: Writer, table: str, row: Mapping[str, Value], known: set[str]) -> int:
    names = [name for name in row if name in known]
    marks = ", ".join("?" for _ in names)
    quoted = ", ".join(f'"{name}"' for name in names)
    values = [row[name] for name in names]
    try:
        return writer.run(f'INSERT OR IGNORE INTO "{table}" ({quoted}) VALUES ({marks})', values)
    except (apsw.ConstraintError, apsw.MismatchError):
        # the schema does not allow the row, so we did not write it
        return 0


def _as_dicts(read: Rows) -> list[dict[str, Value]]:
    return [dict(zip(read.columns, row, strict=True)) for row in read.rows]


def _chained(key: bytes, ledger: Sequence[Mapping[str, Value]], changes: Sequence[Mapping[str, Value]]) -> int:
    """The number of ledger rows that form an unbroken chain from the beginning."""
    records = {one.get("id"): one for one in changes}
    rows: list[tuple[LedgerRow, ChangeSide | None] | int] = []
    for number, one in enumerate(ledger, 1):
        values = [one.get(name) for name in _LEDGER]
        record = records.get(one.get("change_id"))
        if not isinstance(values[0], int) or not all(isinstance(value, str) for value in values[1:]) or record is None:
            rows.append(number)
            break
        side = ChangeSide(str(record["at"]), str(record["author"]), str(record["paths"]))
        rows.append((LedgerRow(values[0], *(str(value) for value in values[1:])), side))
    return check_chain(key, rows).rows
