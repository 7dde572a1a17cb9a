"""Finds every trace of a term in index.db, including dead chunks and raw bytes. Used to prove forgetting.

Reads stored rows and trusts no view. Knows no document and no word.
"""

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

import apsw

from everself.search.index_file.file import IndexPlace, sound
from everself.search.index_file.postings import term_key
from everself.search.index_file.rows import BLOCK, TEXT_FROM, Header
from everself.storage.filesystem import disk_errors

if TYPE_CHECKING:
    from everself.search.index_file.file import IndexFile

_CHUNK = 1 << 20
_ROWS = "SELECT data FROM postings WHERE block=? AND term=?"
_VECTORS = f"""
SELECT embeddings.hash, embeddings.data FROM units JOIN embeddings ON embeddings.hash = substr(units.data, {TEXT_FROM}, 16)
WHERE units.number=?
"""
_TEXTS = f"SELECT DISTINCT substr(data, {TEXT_FROM}, 16) FROM units"
_ORPHANS = f"SELECT number FROM embeddings WHERE hash NOT IN ({_TEXTS})"


def chunks_named(file: "IndexFile", header: Header, term: str) -> list[int]:
    """Every chunk, living or dead, that a posting list names for the term."""
    found: list[int] = []
    key = term_key(term)
    for block in range(len(header.vocabularies)):
        for (data,) in file.connection.execute(_ROWS, (block, key)):
            local = array("H", bytes(data)[: len(data) // 3 * 2])
            found += (block * BLOCK + number for number in local)
    return found


def marks_of_term(term: str) -> tuple[bytes, bytes]:
    """The two byte forms of a term's hash in the file: in a vocabulary, and as the key of a row."""
    key = term_key(term)
    return key.to_bytes(8, "little", signed=True), key.to_bytes(8, "big", signed=True)


def marks_of_chunk(file: "IndexFile", chunk: int) -> Iterator[tuple[bytes, bytes]]:
    """The text hash of a chunk, with the end of each vector stored for it."""
    for hashed, data in file.connection.execute(_VECTORS, (chunk,)):
        yield bytes(hashed), bytes(data)[-36:]


def embedded_texts(file: "IndexFile") -> set[bytes]:
    """The text hashes of all chunks."""
    return {bytes(hashed) for (hashed,) in file.connection.execute(_TEXTS)}


def count_orphans(file: "IndexFile") -> int:
    """The number of vectors whose text no chunk has."""
    return sum(1 for _ in file.connection.execute(_ORPHANS))


def raw_bytes(place: IndexPlace) -> Iterator[bytes]:
    """The raw bytes of the file and its journal.

    Read through SQLite's own file layer: closing a descriptor of ours would release the locks that SQLite holds on the file.
    """
    for ending, kind in (("", apsw.SQLITE_OPEN_MAIN_DB), ("-journal", apsw.SQLITE_OPEN_MAIN_JOURNAL)):
        name = f"{place.name}{ending}"
        with disk_errors(name), sound():
            if place.files.stat(name) is None:
                continue
            file = apsw.VFSFile("", f"{place.folder}/{name}", [kind | apsw.SQLITE_OPEN_READONLY, 0])
            try:
                size = file.xFileSize()
                yield b"".join(file.xRead(min(_CHUNK, size - at), at) for at in range(0, size, _CHUNK))
            finally:
                file.xClose()
