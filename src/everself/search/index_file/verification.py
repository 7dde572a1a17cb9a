"""Verifies every row of index.db and compares every document with its file.

Searches verify only what they read.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.search.index_file.columns import load_block, load_sources
from everself.search.index_file.file import reading
from everself.search.index_file.postings import load_vocabulary
from everself.search.index_file.protocol import IndexedDocument
from everself.search.index_file.rows import POSTINGS, checked, parse_chunk, parse_vector
from everself.search.index_file.vectors import load_codes

if TYPE_CHECKING:
    import apsw

    from everself.search.index_file.rows import Header
    from everself.search.index_file.view import IndexReader
    from everself.values import Document


class Verified(Frozen):
    """The number of documents and rows checked. `differing` documents changed meanwhile; the next search reads them."""

    documents: int
    rows: int
    differing: tuple[str, ...] = ()


def verify(
    reader: "IndexReader",
    documents: Mapping[int, IndexedDocument],
    read: "Callable[[str], Document | None]",
    progress: Callable[[int, int], None] | None = None,
) -> Verified:
    """Check everything. Raises Damaged at the first wrong row."""
    with reader.lock, reading(reader.file.connection):
        rows = _check_rows(reader.file.connection, reader.header_now())
    differing: list[str] = []
    for at, document in enumerate(documents.values(), 1):
        found = read(document.path)
        if found is None or found.hash != document.hash:
            differing.append(document.path)
        if progress is not None:
            progress(at, len(documents))
    return Verified(len(documents), rows, tuple(differing))


def _check_rows(connection: "apsw.Connection", header: "Header") -> int:
    rows = len(load_sources(connection, header))
    for block in range(len(header.columns)):
        load_block(connection, header, block)
        rows += 1
    for block in range(len(header.vocabularies)):
        vocabulary = load_vocabulary(connection, header, block)
        expected = dict(zip(vocabulary.keys.tolist(), vocabulary.sums.tolist(), strict=True))
        rows += len(expected) + 1
        for key, data in connection.execute("SELECT term, data FROM postings WHERE block=?", (block,)):
            # a row that no vocabulary names is never read
            if key in expected:
                checked(header, POSTINGS, key ^ block, data, expected.pop(key))
        if expected:
            raise Damaged("index.db: a posting list is missing.")
    for slot in header.slots:
        for block in range(len(slot.codes)):
            load_codes(connection, header, slot, block)
            rows += 1
    for number, data in connection.execute("SELECT number, data FROM units"):
        parse_chunk(header.birth, number, data)
        rows += 1
    for number, hashed, model, data in connection.execute("SELECT number, hash, model, data FROM embeddings"):
        parse_vector(number, hashed, model, data)
        rows += 1
    return rows
