"""Drops the vectors of chunks whose entries were closed before a given day. Keyword search still finds them.

Such a chunk is marked as having nothing to embed. Knows rows and days, not the meaning of closing.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy

from everself.search.chunking.marks import Flag
from everself.search.index_file.columns import load_block, read_header
from everself.search.index_file.file import IndexFile, find_row, reading
from everself.search.index_file.rows import BLOCK, NOTHING, CodeSlot, Header, parse_chunk
from everself.search.index_file.vectors import BLANK, Codes, blanked, load_codes
from everself.search.sync.transaction import commit, writing
from everself.search.sync.vector_rows import put_codes

if TYPE_CHECKING:
    import apsw

    from everself.search.arrays import Bools, Rows


def drop_closed(file: IndexFile, horizon: int, wait: float) -> int:
    """Drop these vectors. Returns the number of chunks. Chunks that are no longer closed before that day become pending again."""
    connection = file.connection
    with reading(connection):
        header = read_header(connection)[1]
        blocks = [block for block in range(len(header.columns)) if _is_wrong(connection, header, block, horizon)]
    if not blocks:
        return 0
    dropped = 0
    gone: set[bytes] = set()
    with writing(file, wait):
        header = read_header(connection)[1]
        for block in blocks:
            dead, back = _wrong(connection, header, block, horizon)
            dropped += int(numpy.count_nonzero(dead))
            gone |= _texts(connection, header, numpy.flatnonzero(dead) + block * BLOCK)
            for slot in header.slots:
                header = _mark(connection, header, slot, block, (dead, back))
        forget_texts(connection, header, gone)
        commit(connection, header)
    return dropped


def forget_texts(connection: "apsw.Connection", header: Header, texts: Iterable[bytes]) -> None:
    """Drop the stored vectors of these texts, for all models, unless a chunk has the text. Call it inside a transaction."""
    texts = set(texts) - {NOTHING}
    if not texts:
        return
    used: set[int] = set()
    for slot in header.slots:
        for block in range(len(slot.codes)):
            alive = _alive(load_block(connection, header, block))
            ids = load_codes(connection, header, slot, block).ids
            used |= set(ids[alive[: len(ids)]].tolist())
    for hashed in texts:
        numbers = {int(row[0]) for row in connection.execute("SELECT number FROM embeddings WHERE hash=?", (hashed,))}
        if numbers and not numbers & used:
            connection.execute("DELETE FROM embeddings WHERE hash=?", (hashed,))


def _alive(rows: "Rows") -> "Bools":
    alive: Bools = (rows["flags"] & numpy.uint16(Flag.ALIVE)) != 0
    return alive


def _is_wrong(connection: "apsw.Connection", header: Header, block: int, horizon: int) -> bool:
    dead, back = _wrong(connection, header, block, horizon)
    return bool(dead.any() or back.any())


def _wrong(connection: "apsw.Connection", header: Header, block: int, horizon: int) -> "tuple[Bools, Bools]":
    """The chunks of a block with a vector that they must lose, and those without one that need it."""
    rows = load_block(connection, header, block)
    closed = _alive(rows) & (rows["until"] != 0)
    over = closed & (rows["until"] < horizon)
    dead, back = numpy.zeros(len(rows), numpy.bool_), numpy.zeros(len(rows), numpy.bool_)
    if closed.any():
        for slot in header.slots:
            ids = load_codes(connection, header, slot, block).ids
            dead[: len(ids)] |= over[: len(ids)] & (ids > 0)
            back[: len(ids)] |= (closed & ~over)[: len(ids)] & (ids == BLANK)
        for local in numpy.flatnonzero(back).tolist():
            back[local] = bool(_texts(connection, header, [block * BLOCK + local]) - {NOTHING})
    return dead, back


def _texts(connection: "apsw.Connection", header: Header, chunks: Iterable[int]) -> set[bytes]:
    found = set()
    for chunk in map(int, chunks):
        found.add(parse_chunk(header.birth, chunk, find_row(connection, "units", chunk)).text)
    return found


def _mark(
    connection: "apsw.Connection",
    header: Header,
    slot: CodeSlot,
    block: int,
    wrong: "tuple[Bools, Bools]",
) -> Header:
    dead, back = wrong
    old = load_codes(connection, header, slot, block)
    if not len(old.ids):
        return header
    new: Codes = blanked(old, dead | back)
    new.ids[dead[: len(new.ids)]] = BLANK
    return put_codes(connection, header, slot, block, new)
