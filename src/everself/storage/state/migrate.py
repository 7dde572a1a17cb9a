"""Migrates a database to the newest schema: numbered files, each applied in one transaction with its record.

Handles numbers, names and hashes of migrations, not the tables they create.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from everself.clock import system_now
from everself.errors import Damaged, NewerSchema, WrongUse
from everself.frozen import Frozen
from everself.storage.engine import Engine, Reader, Writer
from everself.storage.state._queries import load_queries
from everself.values import digest

_FOLDER = Path(__file__).parent / "migrations"
_SQL = load_queries("migrate")


class Migration(Frozen):
    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return digest(self.sql.encode())


def load_migrations(kind: str) -> tuple[Migration, ...]:
    """The migrations of one kind of database (`state`), numbered from 1 without a gap."""
    found = []
    for number, path in enumerate(sorted((_FOLDER / kind).glob("*.sql")), start=1):
        digits, _, name = path.stem.partition("_")
        if digits != f"{number:04}" or not name:
            raise WrongUse(f"{path.name} should be number {number:04}.")
        found.append(Migration(number, name, path.read_text(encoding="utf-8")))
    return tuple(found)


def plan_migrations(engine: Engine, known: Sequence[Migration]) -> tuple[Migration, ...]:
    """The migrations that are still to be applied. Raises if the database is newer than this version, or was not written by Everself."""
    with engine.snapshot() as view:
        return _missing(view, known, engine.path)


def apply_migrations(
    engine: Engine, known: Sequence[Migration], *, now: Callable[[], datetime] = system_now
) -> tuple[int, ...]:
    """Apply the missing migrations in order and return their numbers. Safe if several processes open the database at once."""
    applied = []
    for migration in plan_migrations(engine, known):

        def step(writer: Writer, migration: Migration = migration) -> bool:
            # checked again under the write lock: another process may have been faster
            if migration not in _missing(writer, known, engine.path):
                return False
            writer.run(_SQL["create_record_table"])
            writer.run(migration.sql)
            at = now().isoformat(timespec="seconds")
            writer.run(_SQL["record"], (migration.number, migration.name, at, migration.sha256))
            return True

        if engine.write(step):
            applied.append(migration.number)
    return tuple(applied)


def _missing(reader: Reader, known: Sequence[Migration], path: str) -> tuple[Migration, ...]:
    if reader.row(_SQL["has_record_table"]) is None:
        if reader.row(_SQL["has_any_table"]) is not None:
            raise Damaged(f"{path} holds tables, but not those of Everself.", mend="everself doctor --fix")
        return tuple(known)
    records = reader.rows(_SQL["records"])
    if records and records[-1][0] > len(known):
        raise NewerSchema(
            f"{path} has schema {records[-1][0]}; this version knows {len(known)}.", mend="Update Everself."
        )
    for migration, record in zip(known, records, strict=False):
        if tuple(record) != (migration.number, migration.name, migration.sha256):
            raise Damaged(
                f"{path}: migration {migration.number:04}_{migration.name} is not the one that was applied.",
                mend="Use the version of Everself that wrote this file, or restore it from a backup.",
            )
    return tuple(known[len(records) :])
