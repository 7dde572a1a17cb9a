"""Posting lists: which chunks contain a term, packed by block. Reads and merges them; writes none.

A term is stored as a hash of eight bytes, so that index.db contains no words. The vocabulary of a block lists the hashes of its terms
with the checksum of each row: a lost row is noticed, and an absent term needs no query.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.search.index_file.file import find_row
from everself.search.index_file.rows import BLOCK, POSTINGS, VOCABULARIES, Header, checked

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray

    from everself.search.arrays import Bools, Counts, Hashes, Numbers


CACHE_BYTES = 64 * 1024 * 1024
_KEYS_KEPT = 300_000
# Python's integers are large, and a document may have millions of terms.
_GROUPED_AT_ONCE = 50_000


class _Keys(dict[str, int]):
    """A cache of hashes, so that a known term needs no function call."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _KEYS_KEPT:
            self.clear()
        hashed = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        found = self[term] = int.from_bytes(hashed, "little", signed=True)
        return found


_keys = _Keys()


def term_key(term: str) -> int:
    """The signed 8-byte hash of a term."""
    return _keys[term]


def term_keys(terms: Iterable[str]) -> Iterator[int]:
    return map(_keys.__getitem__, terms)


class Vocabulary(Frozen):
    """The sorted hashes of a block's terms, and the checksums of their rows."""

    keys: "Hashes"
    sums: "NDArray[numpy.uint32]"

    def sum_of(self, key: int) -> int | None:
        at = int(self.keys.searchsorted(key))
        return int(self.sums[at]) if at < len(self.keys) and self.keys[at] == key else None

    def merged(self, keys: "Hashes", sums: "NDArray[numpy.uint32]") -> "Vocabulary":
        """The vocabulary with these terms added or their checksums replaced. `keys` are sorted."""
        if not len(self.keys):
            return Vocabulary(keys, sums)
        kept = ~numpy.isin(self.keys, keys, assume_unique=True)
        both = numpy.concatenate([self.keys[kept], keys])
        order = numpy.argsort(both, kind="stable")
        return Vocabulary(both[order], numpy.concatenate([self.sums[kept], sums])[order])


NO_WORDS = Vocabulary(numpy.empty(0, numpy.int64), numpy.empty(0, numpy.uint32))


def render_vocabulary(vocabulary: Vocabulary) -> bytes:
    return vocabulary.keys.astype("<i8").tobytes() + vocabulary.sums.astype("<u4").tobytes()


def parse_vocabulary(data: bytes) -> Vocabulary:
    count = len(data) // 12
    return Vocabulary(numpy.frombuffer(data, "<i8", count), numpy.frombuffer(data, "<u4", count, count * 8))


def group(keys: "Hashes", local: "NDArray[numpy.uint16]", counts: "Counts") -> Iterator[tuple[int, bytes, bytes]]:
    """Group pairs of term and chunk: each term, sorted, with its packed chunks and counts."""
    if not len(keys):
        return
    order = numpy.argsort(keys, kind="stable")
    keys, local, counts = keys[order], local[order], counts[order]
    del order
    packed, tallies = local.astype("<u2").tobytes(), counts.tobytes()
    # the start of each term, and the end of the last
    bounds = numpy.flatnonzero(numpy.concatenate([[True], keys[1:] != keys[:-1], [True]]))
    for first in range(0, len(bounds) - 1, _GROUPED_AT_ONCE):
        part = bounds[first : first + _GROUPED_AT_ONCE + 1]
        starts, ends = part[:-1].tolist(), part[1:].tolist()
        for key, start, end in zip(keys[part[:-1]].tolist(), starts, ends, strict=True):
            yield key, packed[start * 2 : end * 2], tallies[start:end]


def extend(data: bytes, local: bytes, counts: bytes) -> bytes:
    """The row with more chunks appended."""
    split = len(data) // 3 * 2
    return data[:split] + local + data[split:] + counts


def strike(rows: Sequence[tuple[int, bytes]], dead: "Bools") -> Iterator[tuple[int, bytes, bytes]]:
    """The rows of a block that contain `dead` chunks: the term, the old row, and the row without them."""
    lengths = numpy.array([len(data) // 3 for _, data in rows], numpy.int64)
    named = numpy.frombuffer(b"".join(data[: len(data) // 3 * 2] for _, data in rows), "<u2")
    # large enough for two bytes, even if the row is damaged
    gone = numpy.zeros(1 << 16, numpy.bool_)
    gone[: len(dead)] = dead
    hits = numpy.concatenate([[0], numpy.cumsum(gone[named])])
    ends = numpy.cumsum(lengths)
    for at in numpy.flatnonzero(hits[ends] != hits[ends - lengths]).tolist():
        key, data = rows[at]
        size = int(lengths[at])
        kept = ~gone[named[ends[at] - size : ends[at]]]
        counts = numpy.frombuffer(data, numpy.uint8, size, size * 2)
        yield key, data, numpy.frombuffer(data, "<u2", size)[kept].tobytes() + counts[kept].tobytes()


class PostingLists:
    """The posting lists of an open index, with a cache of recently used ones."""

    def __init__(self) -> None:
        self._vocabularies: dict[int, tuple[int, Vocabulary]] = {}
        self._found: OrderedDict[str, tuple[Numbers, Counts]] = OrderedDict()
        self._state: object = None
        self._bytes = 0

    def find_kept(self, state: object, term: str) -> "tuple[Numbers, Counts] | None":
        """The cached chunks for a term, if the index has not changed since."""
        if self._state != state:
            self._found.clear()
            self._state, self._bytes = state, 0
            return None
        found = self._found.get(term)
        if found is not None:
            self._found.move_to_end(term)
        return found

    def find(
        self, connection: "apsw.Connection", header: Header, alive: "Bools", term: str
    ) -> "tuple[Numbers, Counts]":
        """The living chunks with the term. Call it inside the transaction that `header` was read in."""
        key = term_key(term)
        numbers, counts = [], []
        for block, expected in enumerate(header.vocabularies):
            total = self._vocabulary(connection, header, block, expected).sum_of(key)
            if total is None:
                continue
            row = connection.execute("SELECT data FROM postings WHERE block=? AND term=?", (block, key)).fetchone()
            data = checked(header, POSTINGS, key ^ block, row[0] if row else None, total)
            length = len(data) // 3
            numbers.append(numpy.frombuffer(data, "<u2", length).astype(numpy.int32) + numpy.int32(block * BLOCK))
            counts.append(numpy.frombuffer(data, numpy.uint8, length, length * 2))
        if not numbers:
            found = numpy.empty(0, numpy.int32), numpy.empty(0, numpy.uint8)
        else:
            joined, tallies = numpy.concatenate(numbers), numpy.concatenate(counts)
            # chunks beyond the columns were added after the view was made
            joined = joined[: int(joined.searchsorted(len(alive)))]
            living = alive[joined]
            found = joined[living], tallies[: len(joined)][living]
        self._keep(term, found)
        return found

    def _vocabulary(self, connection: "apsw.Connection", header: Header, block: int, expected: int) -> Vocabulary:
        known = self._vocabularies.get(block)
        if known is not None and known[0] == expected:
            return known[1]
        vocabulary = load_vocabulary(connection, header, block)
        self._vocabularies[block] = expected, vocabulary
        return vocabulary

    def _keep(self, term: str, found: "tuple[Numbers, Counts]") -> None:
        self._found[term] = found
        self._bytes += sum(one.nbytes for one in found) + 200
        while self._bytes > CACHE_BYTES:
            _, old = self._found.popitem(last=False)
            self._bytes -= sum(one.nbytes for one in old) + 200


def load_vocabulary(connection: "apsw.Connection", header: Header, block: int) -> Vocabulary:
    row = find_row(connection, "vocabularies", block)
    data = checked(header, VOCABULARIES, block, row, header.vocabularies[block])
    if len(data) % 12:
        raise Damaged("index.db: a vocabulary is damaged.")
    return parse_vocabulary(data)
