"""Reads the readable rows of a damaged database, from both ends of each table.

Depends on SQLite but on no schema: callers name the tables and judge the rows.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.storage.connection import DatabasePlace, connect, translated


class Rows(Frozen):
    """The rows read from one table. `whole` is false if an error ended the reading early."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    whole: bool


def read_rows(path: str, tables: Sequence[str]) -> Iterator[Rows]:
    """Yield the rows of every named table; empty for a table that cannot be read."""
    place = DatabasePlace(path, read_only=True)
    try:
        connection = connect(place)
    except EverselfError:
        yield from (Rows(table, (), (), False) for table in tables)
        return
    with contextlib.closing(connection):
        for table in tables:
            yield _read_table(connection, place, table)


def _read_table(connection: apsw.Connection, place: DatabasePlace, table: str) -> Rows:
    found: dict[tuple[Any, ...], None] = {}
    later: list[tuple[Any, ...]] = []
    columns: list[str] = []
    whole = True
    for order in ("ASC", "DESC"):
        try:
            with translated(place, connection):
                cursor = connection.execute(f'SELECT * FROM "{table}" ORDER BY 1 {order}')
                for row in cursor:
                    columns = [str(one[0]) for one in cursor.get_description()]
                    if order == "ASC":
                        found[row] = None
                    elif row in found:
                        break
                    else:
                        later.append(row)
        except EverselfError:
            whole = False
            continue
        break
    return Rows(table, tuple(columns), (*found, *reversed(later)), whole)
