"""The registry of what can happen to index.db, for the row about it: bits, pages, rows, whole files, and what lies beside or in the way."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import apsw
from tests.trust.finding import Finder, Said

from everself.search.index_file.file import PAGE_BYTES
from everself.search.index_file.rows import HEADER, checksum
from everself.values import Hit

TABLES = ("header", "sources", "units", "blocks", "vocabularies", "postings", "embeddings", "codes")
NOBODY = 65_534


@dataclass
class Case:
    """One agent with a whole index, kept aside with what belongs to it, and what it must answer."""

    finder: Finder
    random: Random
    whole: bytes
    older: bytes
    foreign: bytes
    stranger: bytes
    said: Said
    # what the queries find by words alone, and with all vectors
    plain: list[tuple[Hit, ...]]
    meant: list[tuple[Hit, ...]]
    mended: int = 0
    undo: list[Callable[[], object]] = field(default_factory=list)

    @property
    def database(self) -> Path:
        return self.finder.state / "index.db"

    def beside(self, ending: str) -> Path:
        return self.finder.state / f"index.db{ending}"


Damage = Callable[[Case], None]


def other_database(path: Path, mode: str) -> Path:
    """A database of somebody else, with a transaction that is not finished: its pages stand in the file beside it."""
    path.unlink(missing_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}; PRAGMA journal_mode={mode}; PRAGMA cache_size=2").fetchall()
    connection.execute("CREATE TABLE header (number INTEGER PRIMARY KEY, data)")
    connection.execute("INSERT INTO header VALUES (1, randomblob(90000))")
    connection.execute("BEGIN; UPDATE header SET data=randomblob(90000)")
    connection.execute("INSERT INTO header VALUES (2, randomblob(900000))")
    for ending in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            shutil.copy(f"{path}{ending}", path.with_name(f"stranger{ending}"))
    connection.close(True)
    return path


def _flipped(data: bytes, random: Random, flips: int) -> bytes:
    changed = bytearray(data)
    for _ in range(flips):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _with_page(data: bytes, at: int, page: bytes) -> bytes:
    return data[: at * PAGE_BYTES] + page + data[(at + 1) * PAGE_BYTES :]


def _page(data: bytes, at: int) -> bytes:
    return data[at * PAGE_BYTES : (at + 1) * PAGE_BYTES]


def flip_a_bit(case: Case) -> None:
    case.database.write_bytes(_flipped(case.database.read_bytes(), case.random, 1))


def flip_some_bits(case: Case) -> None:
    case.database.write_bytes(_flipped(case.database.read_bytes(), case.random, case.random.choice((3, 30, 300))))


def overwrite_a_stretch(case: Case) -> None:
    data = bytearray(case.database.read_bytes())
    start = case.random.randrange(len(data))
    size = min(case.random.choice((16, 512, 5_000)), len(data) - start)
    data[start : start + size] = case.random.randbytes(size)
    case.database.write_bytes(data)


def zero_a_page(case: Case) -> None:
    data = case.database.read_bytes()
    at = case.random.randrange(len(data) // PAGE_BYTES)
    case.database.write_bytes(_with_page(data, at, bytes(PAGE_BYTES)))


def swap_pages(case: Case) -> None:
    data = case.database.read_bytes()
    one, other = (case.random.randrange(len(data) // PAGE_BYTES) for _ in range(2))
    case.database.write_bytes(_with_page(_with_page(data, one, _page(data, other)), other, _page(data, one)))


def bring_back_old_pages(case: Case) -> None:
    """As a disk does that lost some writes."""
    data, old = case.database.read_bytes(), case.older
    pages = min(len(data), len(old)) // PAGE_BYTES
    for at in case.random.sample(range(pages), case.random.choice((1, 2, pages // 2))):
        data = _with_page(data, at, _page(old, at))
    case.database.write_bytes(data)


def delete(case: Case) -> None:
    case.database.unlink()


def cut_short(case: Case) -> None:
    size = case.database.stat().st_size
    os.truncate(case.database, case.random.choice((0, 1, 100, PAGE_BYTES, case.random.randrange(size))))


def make_longer(case: Case) -> None:
    with open(case.database, "ab") as file:
        file.write(case.random.randbytes(case.random.choice((1, PAGE_BYTES, 50_000))))


def leave_a_stale_log(case: Case) -> None:
    other_database(case.finder.state / "stranger.db", "WAL")
    for ending in ("-wal", "-shm"):
        shutil.copy(case.finder.state / f"stranger{ending}", case.beside(ending))


def leave_a_stale_journal(case: Case) -> None:
    other_database(case.finder.state / "stranger.db", "DELETE")
    shutil.copy(case.finder.state / "stranger-journal", case.beside("-journal"))


def leave_a_torn_journal(case: Case) -> None:
    leave_a_stale_journal(case)
    data = case.beside("-journal").read_bytes()
    case.beside("-journal").write_bytes(_flipped(data[: case.random.randrange(len(data))], case.random, 1))


def put_another_agents(case: Case) -> None:
    case.database.write_bytes(case.foreign)


def put_an_older_one(case: Case) -> None:
    case.database.write_bytes(case.older)


def put_a_strangers(case: Case) -> None:
    case.database.write_bytes(case.stranger)


def put_no_database(case: Case) -> None:
    kinds = (b"", b"# Memory\n" * 9_000, b"SQLite format 3\0" + bytes(40_000), case.random.randbytes(30_000))
    case.database.write_bytes(case.random.choice(kinds))


def put_a_folder(case: Case) -> None:
    case.database.unlink()
    case.database.mkdir()
    if case.random.random() < 0.5:
        (case.database / "inside").write_text("x")


def put_a_link(case: Case) -> None:
    """A dangling one, or one to another agent's index, which must stay as it is."""
    case.database.unlink()
    other = case.finder.top / "elsewhere.db"
    if case.random.random() < 0.5:
        other.write_bytes(case.foreign)
        case.undo.append(lambda: _must_be(other, case.foreign))
    case.database.symlink_to(other)


def _must_be(path: Path, data: bytes) -> None:
    found = path.read_bytes()
    path.unlink()
    assert found == data, "another agent's index was written"


def put_a_pipe(case: Case) -> None:
    case.database.unlink()
    os.mkfifo(case.database)


def say_another_format(case: Case) -> None:
    _in_header(case, case.random.choice(('"versions":"0.', '"versions":"99.')))


def say_what_nobody_knows(case: Case) -> None:
    _in_header(case, '"colour":"blue","versions":"1.')


def _in_header(case: Case, versions: str) -> None:
    """A header that is sealed, but by another version."""
    with _opened(case) as connection:
        body = connection.execute("SELECT data FROM header").fetchone()[0][:-4].decode()
        before, _, rest = body.partition('"versions":"')
        body = (before + versions + rest.partition(".")[2]).encode()
        sealed = body + checksum(0, HEADER, 1, body).to_bytes(4, "little")
        connection.execute("UPDATE header SET data=?", (sealed,))


def lose_a_row(case: Case) -> None:
    with _opened(case) as connection:
        table = case.random.choice(TABLES)
        connection.execute(f"DELETE FROM {table} WHERE {_chosen(case, connection, table)}")


def change_a_row(case: Case) -> None:
    """A bit that SQLite itself cannot miss, because it wrote it."""
    with _opened(case) as connection:
        table = case.random.choice(TABLES)
        where = _chosen(case, connection, table)
        found = connection.execute(f"SELECT data FROM {table} WHERE {where}").fetchone()
        connection.execute(f"UPDATE {table} SET data=? WHERE {where}", (_flipped(found[0], case.random, 1),))


def mix_rows_up(case: Case) -> None:
    with _opened(case) as connection:
        table = case.random.choice(TABLES[1:])
        rows = connection.execute(f"SELECT data FROM {table} ORDER BY data").fetchall()
        if len(rows) > 1:
            (one,), (other,) = case.random.sample(rows, 2)
            swapped = "CASE data WHEN ?1 THEN ?2 ELSE ?1 END"
            connection.execute(f"UPDATE {table} SET data={swapped} WHERE data IN (?1, ?2)", (one, other))


def bring_back_old_rows(case: Case) -> None:
    """A whole table as it was once."""
    old = case.finder.top / "old.db"
    old.write_bytes(case.older)
    with _opened(case) as connection:
        table = case.random.choice(TABLES)
        connection.execute("ATTACH ? AS old", (str(old),))
        connection.execute(f"DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM old.{table}")
    old.unlink()


def drop_a_table(case: Case) -> None:
    with _opened(case) as connection:
        connection.execute(f"DROP TABLE {case.random.choice(TABLES)}")


def add_to_the_schema(case: Case) -> None:
    """A trigger that would change what is written, a view in a table's place."""
    with _opened(case) as connection:
        if case.random.random() < 0.5:
            connection.execute("CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END")
        else:
            connection.execute("ALTER TABLE units RENAME TO hidden; CREATE VIEW units AS SELECT * FROM hidden")


@contextmanager
def _opened(case: Case) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(case.database))
    try:
        with connection:
            yield connection
    finally:
        connection.close(True)


def _chosen(case: Case, connection: apsw.Connection, table: str) -> str:
    """A row of chance, as a condition."""
    key = "block, term" if table == "postings" else "number"
    rows = connection.execute(f"SELECT {key} FROM {table} ORDER BY {key}").fetchall()
    values = ", ".join(map(str, case.random.choice(rows)))
    return f"({key}) = ({values})"


def block_the_journal(case: Case) -> None:
    """A folder where SQLite would write its journal: the index can be read and not be written."""
    case.beside("-journal").unlink(missing_ok=True)
    case.beside("-journal").mkdir()
    (case.beside("-journal") / "inside").write_text("x")
    case.undo.append(lambda: shutil.rmtree(case.beside("-journal"), ignore_errors=True))
    put_an_older_one(case)


def block_the_lock(case: Case) -> None:
    for path in case.finder.state.glob("*index.db*lock*"):
        path.unlink()
    (case.finder.state / "index.db.lock").mkdir()
    case.undo.append(lambda: shutil.rmtree(case.finder.state / "index.db.lock", ignore_errors=True))
    flip_some_bits(case)


def make_read_only(case: Case) -> None:
    """Nobody may write the folder. Root may everywhere, so root becomes somebody else for the time being."""
    case.random.choice((put_an_older_one, delete, flip_some_bits, lambda _: None))(case)
    state, top = case.finder.state, case.finder.top
    modes = {path: path.stat().st_mode & 0o777 for path in (top, *top.rglob("*"))}
    for path in modes:
        inside = path == state or (path.parent == state and not path.name.startswith("state.db"))
        path.chmod((0o555 if path.is_dir() else 0o444) if inside else (0o777 if path.is_dir() else 0o666))
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)

    def put_back() -> None:
        if root:
            os.seteuid(0)
        for path, mode in modes.items():
            with suppress(FileNotFoundError):
                path.chmod(mode)

    case.undo.append(put_back)


CLOSED: dict[str, Damage] = {
    one.__name__: one
    for one in (
        *(flip_a_bit, flip_some_bits, overwrite_a_stretch, zero_a_page, swap_pages, bring_back_old_pages, delete),
        *(cut_short, make_longer, leave_a_stale_log, leave_a_stale_journal, leave_a_torn_journal, put_another_agents),
        *(put_an_older_one, put_a_strangers, put_no_database, put_a_folder, put_a_link, put_a_pipe, say_another_format),
        *(say_what_nobody_knows, lose_a_row, change_a_row, mix_rows_up, bring_back_old_rows, drop_a_table),
        *(add_to_the_schema, block_the_journal, block_the_lock, make_read_only),
    )
}
# what can be done to a file that somebody has open; SQL would wait for them
OPEN: dict[str, Damage] = {
    one.__name__: one
    for one in (
        *(flip_a_bit, flip_some_bits, overwrite_a_stretch, zero_a_page, swap_pages, bring_back_old_pages, delete),
        *(cut_short, make_longer, leave_a_stale_log, leave_a_stale_journal, put_another_agents, put_an_older_one),
        *(put_a_strangers, put_no_database, put_a_folder, put_a_link, put_a_pipe, drop_a_table, lose_a_row),
        *(change_a_row, mix_rows_up, bring_back_old_rows, block_the_journal),
    )
}
