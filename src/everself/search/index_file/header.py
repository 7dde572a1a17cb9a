"""Reads the header of an index without loading numpy. Repairs and writes nothing."""

from array import array
from struct import Struct
from typing import TYPE_CHECKING

from everself.frozen import Frozen
from everself.search.chunking.marks import Flag
from everself.search.index_file.file import IndexPlace, find_row, open_existing, reading
from everself.search.index_file.rows import (
    BLOCKS,
    CODES,
    CodeSlot,
    Header,
    SourceRow,
    Stamp,
    checked,
    parse_header,
    parse_source,
)

if TYPE_CHECKING:
    import apsw

# the size of a row of COLUMNS, and the offset of its flags
_ROW_BYTES = 24
_FLAGS_AT = 18
_CODES_HEAD = Struct("<II")


class Outline(Frozen):
    """`stamps` are the file stamps at indexing, by path; `embedded` counts the vectors of the model that has most, if counted."""

    header: Header
    stamps: dict[str, Stamp]
    embedded: int | None = None


def read_outline(place: IndexPlace, most_chunks: int) -> Outline | None:
    """The outline; None without an index. Vectors are counted only up to `most_chunks` chunks."""
    file = open_existing(place, writable=False)
    if file is None:
        return None
    try:
        with reading(file.connection):
            header = load_header(file.connection)
            stamps = {one.document.path: one.stamp for one in parse_sources(file.connection, header)}
            embedded = None
            if header.chunks <= most_chunks:
                counts = (count_embedded(file.connection, header, slot) for slot in header.slots)
                embedded = max(counts, default=0)
            return Outline(header, stamps, embedded)
    finally:
        file.close()


def load_header(connection: "apsw.Connection") -> Header:
    return parse_header(find_row(connection, "header", 1))


def parse_sources(connection: "apsw.Connection", header: Header) -> list[SourceRow]:
    """The rows of all documents. Does not check whether one is missing."""
    rows = connection.execute("SELECT number, data FROM sources")
    return [parse_source(header.birth, number, data) for number, data in rows]


def count_embedded(connection: "apsw.Connection", header: Header, slot: CodeSlot) -> int:
    """The number of living chunks with a code in this slot."""
    total, alive = 0, int(Flag.ALIVE)
    for block, expected in enumerate(slot.codes):
        if expected == 0:
            continue
        codes = _row(connection, header, (CODES, slot.number << 32 | block, expected))
        columns = _row(connection, header, (BLOCKS, block, header.columns[block]))
        count, words = _CODES_HEAD.unpack_from(codes)
        ids = array("i", codes[_CODES_HEAD.size + count * words * 8 :])
        total += sum(
            1 for flag, taken in zip(columns[_FLAGS_AT::_ROW_BYTES], ids, strict=False) if taken and flag & alive
        )
    return total


def _row(connection: "apsw.Connection", header: Header, asked: tuple[int, int, int]) -> bytes:
    table, number, expected = asked
    name = "codes" if table == CODES else "blocks"
    return checked(header, table, number, find_row(connection, name, number), expected)
