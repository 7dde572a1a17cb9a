"""Blanks the data of dead chunks in columns, codes and posting lists.

Sync only marks chunks as dead, which is fast. Their numbers are never reused, so their blanked rows stay.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from everself.errors import Damaged
from everself.search.chunking.marks import Flag
from everself.search.index_file.columns import load_block, read_header
from everself.search.index_file.file import IndexFile, reading, sound
from everself.search.index_file.postings import Vocabulary, load_vocabulary, render_vocabulary, strike
from everself.search.index_file.rows import (
    BLOCKS,
    POSTINGS,
    VOCABULARIES,
    Header,
    checked,
    checksum,
    with_total,
)
from everself.search.index_file.vectors import blanked, load_codes
from everself.search.sync.transaction import commit, writing
from everself.search.sync.vector_rows import prune_all, put_codes

if TYPE_CHECKING:
    import apsw

    from everself.search.arrays import Bools


def purge(file: IndexFile, wait: float) -> int:
    """Blank all dead chunks and remove vectors without a living one. Returns the number of blanked chunks. Synced to disk on return."""
    connection, done = file.connection, 0
    with sound(connection):
        connection.execute("PRAGMA synchronous=FULL")
    try:
        with reading(connection):
            blocks = len(read_header(connection)[1].columns)
        for block in range(blocks):
            # one commit for each block, so that other processes wait for one block at most
            with writing(file, wait):
                header, count = _purge_block(connection, read_header(connection)[1], block)
                if count:
                    commit(connection, header)
            done += count
        with writing(file, wait):
            prune_all(connection)
            # commit even if nothing changed, so that earlier writes reach the disk as well
            commit(connection, read_header(connection)[1])
    finally:
        with sound(connection):
            connection.execute("PRAGMA synchronous=OFF")
    return done


def _purge_block(connection: "apsw.Connection", header: Header, block: int) -> tuple[Header, int]:
    rows = load_block(connection, header, block).copy()
    # no document has number 0: rows blanked before are skipped
    dead = ((rows["flags"] & numpy.uint16(Flag.ALIVE)) == 0) & (rows["document"] != 0)
    if not dead.any():
        return header, 0
    rows[dead] = 0
    data = rows.tobytes()
    connection.execute("UPDATE blocks SET data=? WHERE number=?", (data, block))
    header = replace(header, columns=with_total(header.columns, block, checksum(header.birth, BLOCKS, block, data)))
    header = _strike_postings(connection, header, block, dead)
    return _blank_codes(connection, header, block, dead), int(numpy.count_nonzero(dead))


def _strike_postings(connection: "apsw.Connection", header: Header, block: int, dead: "Bools") -> Header:
    old = load_vocabulary(connection, header, block)
    sums, gone = dict(zip(old.keys.tolist(), old.sums.tolist(), strict=True)), []
    for key, data, kept in strike(_postings(connection, block), dead):
        checked(header, POSTINGS, key ^ block, data, sums.pop(key, -1))
        if kept:
            connection.execute("UPDATE postings SET data=? WHERE block=? AND term=?", (kept, block, key))
            sums[key] = checksum(header.birth, POSTINGS, key ^ block, kept)
        else:
            gone.append((block, key))
    connection.executemany("DELETE FROM postings WHERE block=? AND term=?", gone)
    keys = sorted(sums)
    data = render_vocabulary(
        Vocabulary(numpy.array(keys, numpy.int64), numpy.array([sums[key] for key in keys], numpy.uint32))
    )
    connection.execute("UPDATE vocabularies SET data=? WHERE number=?", (data, block))
    total = checksum(header.birth, VOCABULARIES, block, data)
    return replace(header, vocabularies=with_total(header.vocabularies, block, total))


def _postings(connection: "apsw.Connection", block: int) -> list[tuple[int, bytes]]:
    found = []
    for key, data in connection.execute("SELECT term, data FROM postings WHERE block=?", (block,)):
        if not (isinstance(key, int) and isinstance(data, bytes)):
            raise Damaged("index.db: a posting list is damaged.")
        found.append((key, data))
    return found


def _blank_codes(connection: "apsw.Connection", header: Header, block: int, dead: "Bools") -> Header:
    for slot in header.slots:
        codes = load_codes(connection, header, slot, block)
        if len(codes.ids):
            header = put_codes(connection, header, slot, block, blanked(codes, dead))
    return header
