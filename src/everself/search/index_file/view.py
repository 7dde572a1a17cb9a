"""A consistent view of the index at one moment, and the reader that loads it. Knows no file names, texts or ranking.

A view holds columns and codes; posting lists, chunk rows and exact vectors are read on demand. Numbers only grow and rows of living
chunks never change, so an older view can read from a newer file and ignore what it does not know.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy

from everself.errors import ChangedMeanwhile, Damaged
from everself.frozen import Frozen
from everself.lazy import part
from everself.search.index_file._vector_cache import VectorCache
from everself.search.index_file.columns import Columns, read_header
from everself.search.index_file.file import IndexFile, reading
from everself.search.index_file.postings import PostingLists
from everself.search.index_file.protocol import IndexedChunk, IndexedDocument
from everself.search.index_file.rows import CodeSlot, Header, follows, parse_chunk
from everself.search.index_file.vectors import (
    EXACT_BELOW,
    Codes,
    Vectors,
    best,
    closest,
    compared,
    distances,
    encode,
    scored,
)

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Counts, Floats, Numbers, Rows


_ROWS_A_QUESTION = 500
# cache size for vectors of the second model: about twenty thousand chunks
_SECOND_BYTES = 32 * 1024 * 1024


class Moment(Frozen):
    """The data that a view holds in memory."""

    header: Header
    columns: "Rows"
    alive: "Bools"
    documents: Mapping[int, IndexedDocument]
    slot: CodeSlot | None
    codes: tuple[Codes, ...]
    # the vector id of each chunk; 0 if it has none or is dead
    ids: "Numbers"
    usable: "Bools"
    embedded: int
    # the same for the second model
    second_slot: CodeSlot | None
    second_ids: "Numbers"


class IndexReader:
    """A connection and the data loaded through it. Thread-safe."""

    def __init__(self, file: IndexFile, model: int, second: int = 0) -> None:
        """`second` is the model whose vectors only compare candidates; 0 for none."""
        self.file = file
        self.lock = RLock()
        self._models = model, second
        self._forget()
        self._known: tuple[bytes, Header] | None = None
        self._moment: Moment | None = None

    def _forget(self) -> None:
        self.columns, self.words = Columns(), PostingLists()
        self.vectors, self.recent = Vectors(self._models[0]), VectorCache()
        self.second, self.second_recent = Vectors(self._models[1]), VectorCache(_SECOND_BYTES)

    @property
    def header(self) -> Header:
        if self._known is None:
            raise Damaged("index.db was not read.")
        return self._known[1]

    def refresh(self) -> Moment:
        """The current state of the file; unchanged parts are not read again."""
        with self.lock, reading(self.file.connection):
            return self.refresh_within()

    def refresh_within(self) -> Moment:
        """The same inside an open transaction."""
        connection = self.file.connection
        known = read_header(connection, self._known)
        if self._moment is None or known is not self._known:
            header = known[1]
            if self._known is not None and not follows(header, self._known[1]):
                self._forget()
            self.columns.refresh(connection, header)
            self.vectors.refresh(connection, header)
            self.second.refresh(connection, header)
            held = self.columns
            ids = numpy.where(held.alive, self.vectors.ids(header.chunks), 0).astype(numpy.int32)
            usable = ids > 0
            self._moment = Moment(
                header,
                held.all,
                held.alive,
                held.documents,
                self.vectors.slot,
                self.vectors.blocks,
                ids,
                usable,
                int(numpy.count_nonzero(usable)),
                self.second.slot,
                numpy.where(held.alive, self.second.ids(header.chunks), 0).astype(numpy.int32),
            )
            self._known = known
        return self._moment

    def header_now(self) -> Header:
        """The header of this transaction, without loading other data."""
        return read_header(self.file.connection, self._known)[1]

    def close(self) -> None:
        with self.lock:
            self.file.close()


class Snapshot:
    """The view returned by `Index`. `notices` describe what the view lacks. Entries closed before `horizon` need no vector."""

    def __init__(self, reader: IndexReader, moment: Moment, notices: tuple[str, ...] = (), horizon: int = 0) -> None:
        self._reader = reader
        self._moment = moment
        self.notices = notices
        self.horizon = horizon
        self._last: tuple[Floats, Numbers, Floats] | None = None

    @property
    def moment(self) -> Moment:
        return self._moment

    @property
    def token(self) -> tuple[int, int] | None:
        """The identity of the file that the view reads."""
        return self._reader.file.token

    @property
    def generation(self) -> int:
        return self._moment.header.generation

    @property
    def columns(self) -> "Rows":
        return self._moment.columns

    @property
    def documents(self) -> Mapping[int, IndexedDocument]:
        return self._moment.documents

    @property
    def embedded(self) -> int:
        return self._moment.embedded

    @property
    def living(self) -> int:
        return self._moment.header.living

    @part
    def average_length(self) -> float:
        """The average length of the living chunks, at least 1."""
        lengths = self._moment.columns["length"][self._moment.alive]
        return max(1.0, float(lengths.sum()) / len(lengths)) if len(lengths) else 1.0

    @part
    def pending(self) -> int:
        """The number of living chunks without a vector of the current model."""
        return self._count_waiting(self._moment.ids)

    @part
    def second_pending(self) -> int:
        """The same for the second model."""
        return self._count_waiting(self._moment.second_ids)

    @part
    def second_embedded(self) -> int:
        """The number of living chunks with a vector of the second model."""
        return int(numpy.count_nonzero(self._moment.second_ids > 0))

    def _count_waiting(self, ids: "Numbers") -> int:
        until = self._moment.columns["until"]
        wanted = self._moment.alive & ((until == 0) | (until >= self.horizon))
        return int(numpy.count_nonzero(wanted & (ids == 0)))

    def postings(self, term: str) -> "tuple[Numbers, Counts]":
        reader, moment = self._reader, self._moment
        with reader.lock:
            kept = reader.words.find_kept((moment.header.columns, moment.header.vocabularies), term)
            if kept is not None:
                return kept
            with reading(reader.file.connection):
                return reader.words.find(reader.file.connection, self._header_now(), moment.alive, term)

    def chunks(self, numbers: Sequence[int]) -> list[IndexedChunk]:
        reader, found = self._reader, []
        asked = list(map(int, numbers))
        rows: dict[Any, object] = {}
        with reader.lock, reading(reader.file.connection):
            header = self._header_now()
            # in batches: one query per row takes twice as long
            for start in range(0, len(asked), _ROWS_A_QUESTION):
                listed = ",".join(map(str, asked[start : start + _ROWS_A_QUESTION]))
                query = f"SELECT number, data FROM units WHERE number IN ({listed})"
                rows |= {row[0]: row[1] for row in reader.file.connection.execute(query, can_cache=False)}
        for number in asked:
            row = rows.get(number)
            if row is None and header.generation != self.generation:
                raise ChangedMeanwhile("A document was changed while it was searched.")
            # all columns but the hash of the text
            found.append(IndexedChunk(number, *parse_chunk(header.birth, number, row)[:-1]))
        return found

    def nearest(self, vector: "Floats", count: int) -> "Numbers":
        moment = self._moment
        if moment.slot is None or not moment.embedded or count <= 0 or len(vector) != moment.slot.dimensions:
            return numpy.empty(0, numpy.int32)
        if moment.embedded <= EXACT_BELOW:
            numbers = numpy.flatnonzero(moment.usable).astype(numpy.int32)
        else:
            code = encode(vector.reshape(1, -1))[0]
            numbers = closest(distances(moment.codes, moment.usable, code), max(4 * count, 200))
        scores = self.cosines(vector, numbers)
        scores[numpy.isnan(scores)] = -2
        return best(numbers, scores, count)

    def cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        moment, reader = self._moment, self._reader

        def score(slot: CodeSlot, wanted: "Numbers", by: "Floats") -> "tuple[Numbers, Floats]":
            connection = reader.file.connection
            if moment.embedded <= EXACT_BELOW:
                # a search compares all of them to find the nearest, and then asks for those of its candidates
                if (last := self._last) is not None and last[0] is vector:
                    return last[1], last[2]
                known, table = reader.vectors.exact(connection, moment.ids, moment.usable, slot)
                found = scored(known, table, wanted, by)
                if found[0] is known:
                    self._last = vector, *found
                return found
            return reader.recent.score(connection, numpy.unique(wanted), slot, by)

        return self._compare(vector, moment.slot, moment.ids[numbers], score)

    def likenesses(self, numbers: "Numbers") -> "Floats":
        moment, reader = self._moment, self._reader
        ids, slot = moment.ids[numbers], moment.slot
        if slot is None or not (ids > 0).any():
            return numpy.full((len(ids), len(ids)), numpy.nan, numpy.float32)
        with reader.lock, reading(reader.file.connection):
            self._header_now()
            connection = reader.file.connection
            if moment.embedded <= EXACT_BELOW:
                known, table = reader.vectors.exact(connection, moment.ids, moment.usable, slot)
            else:
                known, table = reader.recent.rows(connection, numpy.unique(ids[ids > 0]), slot)
        return compared(known, table, ids)

    def has_second(self, numbers: "Numbers") -> "Bools":
        """Whether each of these chunks has a vector of the second model."""
        return self._moment.second_ids[numbers] > 0

    def second_cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        """The same with the vectors of the second model, for some hundreds of chunks: every vector is read separately."""
        moment, reader = self._moment, self._reader

        def score(slot: CodeSlot, wanted: "Numbers", by: "Floats") -> "tuple[Numbers, Floats]":
            return reader.second_recent.score(reader.file.connection, numpy.unique(wanted), slot, by)

        return self._compare(vector, moment.second_slot, moment.second_ids[numbers], score)

    def _compare(
        self,
        vector: "Floats",
        slot: CodeSlot | None,
        ids: "Numbers",
        score: "Callable[[CodeSlot, Numbers, Floats], tuple[Numbers, Floats]]",
    ) -> "Floats":
        """The cosines of vectors by id; NaN where there is no vector."""
        found = numpy.full(len(ids), numpy.nan, numpy.float32)
        asked = ids > 0
        if slot is None or len(vector) != slot.dimensions or not asked.any():
            return found
        with self._reader.lock, reading(self._reader.file.connection):
            header = self._header_now()
            known, scores = score(slot, ids[asked], vector.astype(numpy.float32))
        if len(known):
            at = numpy.minimum(known.searchsorted(ids), len(known) - 1)
            there = asked & (known[at] == ids)
            found[there] = scores[at[there]]
        if header.generation == self._moment.header.generation and numpy.isnan(found[asked]).any():
            raise Damaged("index.db: a vector is missing.")
        return found

    def _header_now(self) -> Header:
        """The header of this transaction. Raises ChangedMeanwhile if the file was replaced, because numbers then mean other things."""
        header, mine = self._reader.header_now(), self._moment.header
        if header is not mine and not follows(header, mine):
            raise ChangedMeanwhile("The index was replaced while it was searched.")
        return header
