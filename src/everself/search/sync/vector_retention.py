"""Drops the vectors of chunks whose entries were closed before a given day. Keywords still find them.

Such a chunk is marked as one that has nothing to embed. Knows rows and days; not who sets the day, nor what closing means.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from everself.search.chunking.marks import Flag
from everself.search.index_file.columns import load_block, read_header
from everself.search.index_file.file import IndexFile, reading
from everself.search.index_file.rows import (
    BLOCK,
    CODES,
    NOTHING,
    CodeSlot,
    Header,
    checksum,
    following,
    parse_chunk,
    render_header,
)
from everself.search.index_file.vectors import BLANK, Codes, blanked, codes_row, load_codes, render_codes
from everself.search.sync.transaction import writing

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray


def drop_closed(file: IndexFile, horizon: int, wait: float) -> int:
    """How many chunks lost theirs. One that was closed later than it seemed, or not at all, is to be embedded again."""
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
        connection.execute("UPDATE header SET data=? WHERE number=1", (render_header(following(header)),))
        connection.execute("COMMIT")
    return dropped


def forget_texts(connection: "apsw.Connection", header: Header, texts: Iterable[bytes]) -> None:
    """Drop what is kept for these texts, of whatever model, unless some chunk has it. Call within a transaction."""
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


def _alive(rows: "NDArray[numpy.void]") -> "NDArray[numpy.bool_]":
    alive: NDArray[numpy.bool_] = (rows["flags"] & numpy.uint16(Flag.ALIVE)) != 0
    return alive


def _is_wrong(connection: "apsw.Connection", header: Header, block: int, horizon: int) -> bool:
    dead, back = _wrong(connection, header, block, horizon)
    return bool(dead.any() or back.any())


def _wrong(
    connection: "apsw.Connection", header: Header, block: int, horizon: int
) -> "tuple[NDArray[numpy.bool_], NDArray[numpy.bool_]]":
    """The chunks of a block that have a vector and should have none, and those that have none and should."""
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
        row = connection.execute("SELECT data FROM units WHERE number=?", (chunk,)).fetchone()
        found.add(parse_chunk(header.birth, chunk, row[0] if row else None).text)
    return found


def _mark(
    connection: "apsw.Connection",
    header: Header,
    slot: CodeSlot,
    block: int,
    wrong: "tuple[NDArray[numpy.bool_], NDArray[numpy.bool_]]",
) -> Header:
    dead, back = wrong
    old = load_codes(connection, header, slot, block)
    if not len(old.ids):
        return header
    new: Codes = blanked(old, dead | back)
    new.ids[dead[: len(new.ids)]] = BLANK
    number, data = codes_row(slot, block), render_codes(new)
    connection.execute("UPDATE codes SET data=? WHERE number=?", (data, number))
    totals = list(slot.codes)
    totals[block] = checksum(header.birth, CODES, number, data)
    changed = replace(slot, codes=tuple(totals))
    return replace(header, slots=tuple(changed if one.number == slot.number else one for one in header.slots))
