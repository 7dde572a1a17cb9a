"""Loads and checks the columns of all chunks and their documents.

Only blocks that changed since the last load are read again, as the header tells.
"""

from typing import TYPE_CHECKING

import numpy

from everself.errors import Damaged
from everself.search.chunking.marks import Flag
from everself.search.index_file.file import find_row
from everself.search.index_file.protocol import COLUMNS, IndexedDocument
from everself.search.index_file.rows import BLOCK, BLOCKS, Header, SourceRow, checked, parse_header, parse_source

if TYPE_CHECKING:
    import apsw

    from everself.search.arrays import Bools, Rows

ROW = numpy.dtype(COLUMNS)


def read_header(connection: "apsw.Connection", known: tuple[bytes, Header] | None = None) -> tuple[bytes, Header]:
    """The header's bytes and its parsed form; parsed again only if the bytes changed."""
    data = find_row(connection, "header", 1)
    if known is not None and data == known[0]:
        return known
    header = parse_header(data)
    return data, header  # type: ignore[return-value]  # parsing has looked: bytes


def load_block(connection: "apsw.Connection", header: Header, block: int) -> "Rows":
    """The columns of one block. Do not change them in place."""
    data = checked(header, BLOCKS, block, find_row(connection, "blocks", block), header.columns[block])
    expected = min(BLOCK, header.chunks - block * BLOCK)
    if len(data) != expected * ROW.itemsize:
        raise Damaged("index.db: a block has the wrong size.")
    return numpy.frombuffer(data, ROW)


def load_sources(
    connection: "apsw.Connection", header: Header, known: dict[int, SourceRow] | None = None
) -> dict[int, SourceRow]:
    """All documents by number, checked against the header's root. Known rows are not parsed again."""
    known = known or {}
    found: dict[int, SourceRow] = {}
    root = 0
    for number, data in connection.execute("SELECT number, data FROM sources"):
        source = known.get(number)
        if source is None or source.raw != data:
            source = parse_source(header.birth, number, data)
        found[number] = source
        root += source.seal
    if len(found) != header.documents or root & 0xFFFFFFFFFFFFFFFF != header.root:
        raise Damaged("index.db: a document's row is missing.")
    return found


class Columns:
    """The loaded columns of all chunks, which of them are alive, and the documents."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.all: Rows = numpy.empty(0, ROW)
        self.alive: Bools = numpy.empty(0, numpy.bool_)
        self.sources: dict[int, SourceRow] = {}
        self.by_path: dict[str, SourceRow] = {}
        self.documents: dict[int, IndexedDocument] = {}

    def refresh(self, connection: "apsw.Connection", header: Header) -> None:
        """Read what changed. Call it inside the transaction that `header` was read in."""
        before = self.header
        if before is None or before.columns != header.columns:
            self._refresh_blocks(connection, header, before)
        if before is None or (before.root, before.documents) != (header.root, header.documents):
            self.sources = load_sources(connection, header, self.sources)
            self.by_path = {one.document.path: one for one in self.sources.values()}
            self.documents = {number: one.document for number, one in self.sources.items()}
        self.header = header

    def _refresh_blocks(self, connection: "apsw.Connection", header: Header, before: Header | None) -> None:
        parts = []
        for block, expected in enumerate(header.columns):
            if before is not None and block < len(before.columns) and before.columns[block] == expected:
                parts.append(self.all[block * BLOCK : (block + 1) * BLOCK])
            else:
                parts.append(load_block(connection, header, block))
        joined = numpy.concatenate(parts) if parts else numpy.empty(0, ROW)
        if len(joined) != header.chunks:
            raise Damaged("index.db: chunks are missing.")
        joined.flags.writeable = False
        self.all = joined
        self.alive = (joined["flags"] & numpy.uint16(Flag.ALIVE)) != 0
