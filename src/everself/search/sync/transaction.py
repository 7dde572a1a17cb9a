"""A write transaction on index.db: collects added and removed documents and writes them block by block.

Knows rows and blocks, not the origin of documents. A full block is never opened again, except to mark chunks as dead.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from itertools import groupby, repeat
from typing import TYPE_CHECKING

import apsw
import numpy

from everself.search.chunking.marks import Flag
from everself.search.index_file.columns import ROW, load_block, read_header
from everself.search.index_file.file import READ_WAIT, IndexFile, roll_back, sound
from everself.search.index_file.postings import NO_WORDS, extend, group, load_vocabulary, render_vocabulary, term_keys
from everself.search.index_file.protocol import IndexedDocument
from everself.search.index_file.rows import (
    BLOCK,
    BLOCKS,
    NOTHING,
    POSTINGS,
    VOCABULARIES,
    ChunkRow,
    Header,
    SourceRow,
    Stamp,
    checked,
    checksum,
    following,
    parse_chunk,
    render_chunk,
    render_header,
    render_source,
    seal_of,
    with_total,
)
from everself.search.sync.documents import Prepared
from everself.search.sync.vector_rows import add_vectors, assign_kept, prune

if TYPE_CHECKING:
    from everself.search.arrays import Floats, Rows
    from everself.search.chunking.chunks import Chunk

    # returns the vector ids that a living chunk has, ignoring the chunks in the ranges
    Living = Callable[[Sequence[int], Sequence[range]], frozenset[int]]

# More than sixteen megabytes of prose have. Without a limit, a document of distinct words would take gigabytes to write.
POSTINGS_OF_A_DOCUMENT = 3_000_000
_POSTINGS_OF = "SELECT data FROM postings WHERE block=? AND term=?"
_EPOCH = date(1970, 1, 1).toordinal()
_ALIVE = int(Flag.ALIVE)
_MASK = 0xFFFFFFFFFFFFFFFF
_MOST_AT_HAND = 500_000


def day_number(day: date | None) -> int:
    """The day as columns store it."""
    return 0 if day is None else day.toordinal() - _EPOCH


def write_first_header(file: IndexFile, header: Header) -> None:
    with sound(file.connection):
        file.connection.execute("INSERT INTO header VALUES (1, ?)", (render_header(header),))


@contextmanager
def writing(file: IndexFile, wait: float) -> Iterator[None]:
    """Hold the write lock; raises StoreBusy after `wait` seconds. Uncommitted changes are rolled back."""
    connection = file.connection
    with sound(connection):
        connection.set_busy_timeout(int(wait * 1000))
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            connection.set_busy_timeout(int(READ_WAIT * 1000))
        try:
            yield
        finally:
            roll_back(connection)


def commit(connection: apsw.Connection, header: Header) -> Header:
    """Write the header for the next commit, and commit. Returns it."""
    header = following(header)
    connection.execute("UPDATE header SET data=? WHERE number=1", (render_header(header),))
    connection.execute("COMMIT")
    return header


class IndexWriter:
    """Collects changes inside `writing`, and commits them."""

    def __init__(self, file: IndexFile, models: Sequence[int], living: "Living | None" = None) -> None:
        """New chunks get stored vectors of `models`; vectors that a document brings belong to the first."""
        self.connection = file.connection
        self.header = read_header(file.connection)[1]
        self._before = self.header
        self._models = tuple(models)
        self._living = living
        self._columns: list[tuple[int, int, int, int, int, int, int]] = []
        self._chunks: list[tuple[int, bytes]] = []
        self._keys, self._counts = array("q"), array("B")
        # the number of terms of each chunk
        self._sizes = array("q")
        self._texts: dict[int, bytes] = {}
        self._vectors: list[tuple[bytes, Floats]] = []
        self._dead: list[range] = []
        self._gone: set[bytes] = set()

    @property
    def added(self) -> int:
        return self.header.chunks - self._before.chunks

    @property
    def changed(self) -> bool:
        return self.header != self._before

    def add(self, document: Prepared) -> None:
        """Add a document, which must not be in the index."""
        header, first = self.header, self.header.chunks
        number = header.sources
        columns = self._columns
        places = [place for local, size in _groups(document.chunks) for place in repeat((first + local, size), size)]
        count, room = 0, len(self._keys) + POSTINGS_OF_A_DOCUMENT
        for chunk, (terms, length), text in zip(document.chunks, document.terms, document.texts, strict=True):
            chunk_number = first + count
            day, until = day_number(chunk.day), day_number(chunk.until)
            columns.append((number, *places[count], day, min(length, 65_535), int(chunk.flags) | _ALIVE, until))
            row = ChunkRow(number, chunk.entry, chunk.start, chunk.end, chunk.first_line, chunk.last_line, text)
            self._chunks.append((chunk_number, render_chunk(header.birth, chunk_number, row)))
            self._texts[chunk_number] = text
            self._keys.extend(term_keys(terms))
            self._counts.frombytes(_bytes_of(terms.values()))
            self._sizes.append(len(terms))
            count += 1
            if len(self._keys) >= room:
                break
        if document.vectors is not None:
            self._vectors.extend(zip(document.texts, document.vectors, strict=True))
        cut = document.cut + self._end_at(document.chunks, count)
        known = IndexedDocument(number, document.path, document.hash, first, count, cut)
        self.header = replace(
            header,
            chunks=first + count,
            sources=number + 1,
            documents=header.documents + 1,
            living=header.living + count,
        )
        self._put_source(known, document.stamp, document.read_at)

    def _end_at(self, chunks: "Sequence[Chunk]", count: int) -> int:
        """End the document after its first `count` chunks. Returns the number of bytes left out."""
        if count == len(chunks):
            return 0
        columns = self._columns
        number, group = columns[-1][:2]
        size = self._before.chunks + len(columns) - group
        columns[-size:] = [(number, group, size, *rest[3:]) for rest in columns[-size:]]
        return chunks[-1].end - chunks[count].start

    def remove(self, source: SourceRow) -> None:
        document = source.document
        self._dead.append(range(document.first, document.first + document.count))
        header = self.header
        self.header = replace(
            header,
            documents=header.documents - 1,
            living=header.living - document.count,
            root=(header.root - source.seal) & _MASK,
        )
        self.connection.execute("DELETE FROM sources WHERE number=?", (document.number,))
        bounds = (document.first, document.first + document.count)
        query = "SELECT number, data FROM units WHERE number>=? AND number<?"
        for number, data in self.connection.execute(query, bounds):
            self._gone.add(parse_chunk(header.birth, number, data).text)
        self.connection.execute("DELETE FROM units WHERE number>=? AND number<?", bounds)

    def restamp(self, source: SourceRow, stamp: Stamp, read_at: int) -> None:
        """Update the stamp of an unchanged document. If its size changed, the difference is beyond the reading limit."""
        self.header = replace(self.header, root=(self.header.root - source.seal) & _MASK)
        cut = max(0, source.document.cut + stamp[2] - source.stamp[2])
        self._put_source(replace(source.document, cut=cut), stamp, read_at)

    def commit(self) -> Header:
        """Write the collected changes. Does not reset them."""
        first = self._before.chunks
        self._kill()
        if self._chunks:
            self.connection.executemany("INSERT INTO units VALUES (?, ?)", self._chunks)
            self._append(first)
        self._place_vectors()
        if self.changed:
            self.header = commit(self.connection, self.header)
        else:
            self.connection.execute("COMMIT")
        return self.header

    def _put_source(self, document: IndexedDocument, stamp: Stamp, read_at: int) -> None:
        data = render_source(self.header.birth, document, stamp, read_at)
        self.connection.execute("REPLACE INTO sources VALUES (?, ?)", (document.number, data))
        self.header = replace(self.header, root=(self.header.root + seal_of(data)) & _MASK)

    def _kill(self) -> None:
        """Clear ALIVE for the chunks of removed documents."""
        ranges: dict[int, list[tuple[int, int]]] = {}
        for dead in self._dead:
            for block in range(dead.start // BLOCK, (dead.stop - 1) // BLOCK + 1 if len(dead) else 0):
                start = block * BLOCK
                ranges.setdefault(block, []).append((max(dead.start - start, 0), min(dead.stop - start, BLOCK)))
        for block, parts in ranges.items():
            rows = load_block(self.connection, self._before, block).copy()
            for start, stop in parts:
                rows["flags"][start:stop] &= numpy.uint16(0xFFFF ^ Flag.ALIVE)
            self._put_block(block, rows)

    def _append(self, first: int) -> None:
        columns = numpy.array(self._columns, ROW)
        keys, counts = numpy.frombuffer(self._keys, "q"), numpy.frombuffer(self._counts, "B")
        # the start of each chunk's terms, and the end of the last
        bounds = numpy.concatenate([[0], numpy.cumsum(numpy.frombuffer(self._sizes, "q"))])
        for block in range(first // BLOCK, (self.header.chunks - 1) // BLOCK + 1):
            start, stop = max(block * BLOCK, first), min((block + 1) * BLOCK, self.header.chunks)
            rows = columns[start - first : stop - first]
            if start > block * BLOCK:
                rows = numpy.concatenate([self._tail(block), rows])
            self._put_block(block, rows)
            sizes = numpy.diff(bounds[start - first : stop - first + 1])
            local = numpy.repeat(numpy.arange(start - block * BLOCK, stop - block * BLOCK, dtype=numpy.uint16), sizes)
            here = slice(int(bounds[start - first]), int(bounds[stop - first]))
            self._put_postings(block, group(keys[here], local, counts[here]))

    def _tail(self, block: int) -> "Rows":
        # `_kill` may have written this block just now: its checksum is in the new header, its size in the old one
        return load_block(self.connection, replace(self._before, columns=self.header.columns), block)

    def _put_block(self, block: int, rows: "Rows") -> None:
        data = rows.tobytes()
        self.connection.execute("REPLACE INTO blocks VALUES (?, ?)", (block, data))
        total = checksum(self.header.birth, BLOCKS, block, data)
        self.header = replace(self.header, columns=with_total(self.header.columns, block, total))

    def _put_postings(self, block: int, grouped: Iterable[tuple[int, bytes, bytes]]) -> None:
        header = self.header
        old = load_vocabulary(self.connection, header, block) if block < len(header.vocabularies) else NO_WORDS
        keys, sums = array("q"), array("I")
        # a look-up in a dict takes a tenth of the time, if there is memory for it
        known = dict(zip(old.keys.tolist(), old.sums.tolist(), strict=True)) if len(old.keys) < _MOST_AT_HAND else None

        def rows() -> Iterator[tuple[int, int, bytes]]:
            # one by one: a document may bring millions of them
            for key, local, counts in grouped:
                data = local + counts
                before = old.sum_of(key) if known is None else known.get(key)
                if before is not None:
                    row = self.connection.execute(_POSTINGS_OF, (block, key)).fetchone()
                    kept = checked(header, POSTINGS, key ^ block, row[0] if row else None, before)
                    data = extend(kept, local, counts)
                keys.append(key)
                sums.append(checksum(header.birth, POSTINGS, key ^ block, data))
                yield block, key, data

        self.connection.executemany("REPLACE INTO postings VALUES (?, ?, ?)", rows())
        data = render_vocabulary(old.merged(numpy.frombuffer(keys, "q"), numpy.frombuffer(sums, "I")))
        self.connection.execute("REPLACE INTO vocabularies VALUES (?, ?)", (block, data))
        total = checksum(header.birth, VOCABULARIES, block, data)
        self.header = replace(header, vocabularies=with_total(header.vocabularies, block, total))

    def _place_vectors(self) -> None:
        for at, model in enumerate(self._models):
            brought = self._vectors if at == 0 else ()
            self.header, added = add_vectors(self.connection, self.header, model, brought)
            self.header = assign_kept(self.connection, self.header, model, self._texts, added)
        gone = self._gone - set(self._texts.values()) - {NOTHING}
        if gone:
            living = self._living
            prune(self.connection, gone, (lambda ids: living(ids, self._dead)) if living is not None else None)


def _bytes_of(counts: Collection[int]) -> bytes:
    try:
        return bytes(counts)
    except ValueError:
        # a count exceeds one byte
        return bytes(min(count, 255) for count in counts)


def _groups(chunks: "Sequence[object]") -> Iterator[tuple[int, int]]:
    """The first chunk and the length of each run of chunks in the same group."""
    start = 0
    for _, run in groupby(chunks, key=lambda chunk: chunk.group):  # type: ignore[attr-defined]  # chunks have it
        count = sum(1 for _ in run)
        yield start, count
        start += count
