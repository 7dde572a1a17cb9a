"""Vectors of chunks: 1-bit codes are scanned in memory, exact cosines come from stored rows. Knows no embedder.

Up to EXACT_BELOW vectors are in memory and every search is exact. Beyond that, codes of one bit per dimension choose candidates, whose
rows decide. Codes are stored word by word, not row by row, so that numpy counts bits in long runs.
"""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.search.index_file.file import find_row
from everself.search.index_file.rows import BLOCK, CODES, CodeSlot, Header, checked, is_sound_vector

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray

    from everself.search.arrays import Bools, Floats, Halves, Numbers, Words


EXACT_BELOW: Final = 20_000
# the vector id of a chunk that has nothing to embed
BLANK: Final = -1
_ROWS_A_QUESTION = 200
_FAR = 0x7FFF
_HEAD = struct.Struct("<II")
_QUESTION = f"SELECT number, hash, model, data FROM embeddings WHERE number IN ({','.join('?' * _ROWS_A_QUESTION)})"


class Codes(Frozen):
    """One block: the id of each chunk's vector (0: none yet), and the codes as columns of 64 bits."""

    ids: "Numbers"
    words: "Words"


def words_of(dimensions: int) -> int:
    return (dimensions + 63) // 64


def encode(vectors: "Floats") -> "Words":
    """The signs of each row, 64 per word."""
    bits = numpy.packbits(vectors > 0, axis=1, bitorder="little")
    padded = numpy.zeros((len(vectors), words_of(vectors.shape[1]) * 8), numpy.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view("<u8")


def render_codes(codes: Codes) -> bytes:
    head = _HEAD.pack(len(codes.ids), len(codes.words))
    return head + codes.words.astype("<u8").tobytes() + codes.ids.astype("<i4").tobytes()


def blanked(codes: Codes, dead: "Bools") -> Codes:
    """The block without the ids and codes of dead chunks."""
    gone = dead[: len(codes.ids)]
    ids, words = codes.ids.copy(), codes.words.copy()
    ids[: len(gone)][gone] = 0
    words[:, : len(gone)][:, gone] = 0
    return Codes(ids, words)


def parse_codes(data: bytes) -> Codes:
    count, words = _HEAD.unpack_from(data)
    if len(data) != _HEAD.size + count * words * 8 + count * 4:
        raise Damaged("index.db: codes have the wrong size.")
    codes = numpy.frombuffer(data, "<u8", count * words, _HEAD.size).reshape(words, count)
    return Codes(numpy.frombuffer(data, "<i4", count, _HEAD.size + count * words * 8), codes)


def codes_row(slot: CodeSlot, block: int) -> int:
    return slot.number << 32 | block


def load_codes(connection: "apsw.Connection", header: Header, slot: CodeSlot, block: int) -> Codes:
    number = codes_row(slot, block)
    if block >= len(slot.codes) or slot.codes[block] == 0:
        return Codes(numpy.empty(0, numpy.int32), numpy.empty((words_of(slot.dimensions), 0), numpy.uint64))
    return parse_codes(checked(header, CODES, number, find_row(connection, "codes", number), slot.codes[block]))


def fetch_vectors(connection: "apsw.Connection", ids: "Numbers", slot: CodeSlot) -> "tuple[Numbers, Halves]":
    """Sorted ids and their stored vectors, for distinct ids; missing ones are left out."""
    numbers: list[int] = []
    rows: list[bytes] = []
    size, owner = slot.dimensions * 2 + 4, slot.model
    every: list[int] = ids.tolist()
    for start in range(0, len(every), _ROWS_A_QUESTION):
        asked = every[start : start + _ROWS_A_QUESTION]
        asked += [asked[-1]] * (_ROWS_A_QUESTION - len(asked))
        try:
            found: list[tuple[Any, ...]] = connection.execute(_QUESTION, asked).fetchall()
            for number, hashed, model, data in found:
                if not is_sound_vector(number, hashed, model, data):
                    raise Damaged("index.db: a vector is damaged.")
                if model != owner or len(data) != size:
                    raise Damaged("index.db: a vector belongs to another model.")
                numbers.append(number)
                rows.append(data)
        except TypeError as error:
            raise Damaged("index.db: a vector is damaged.") from error
    known = numpy.array(numbers, numpy.int32)
    table = numpy.frombuffer(b"".join(rows), numpy.uint8).reshape(len(rows), size)[:, :-4].copy().view("<f2")
    order = numpy.argsort(known, kind="stable")
    return known[order], table[order]


def decode(rows: Sequence[bytes], dimensions: int) -> "Floats":
    return numpy.frombuffer(b"".join(rows), "<f2").reshape(len(rows), dimensions).astype(numpy.float32)


class Vectors:
    """The vectors of one model that are in memory."""

    def __init__(self, model: int) -> None:
        self.model = model
        self.slot: CodeSlot | None = None
        self.blocks: tuple[Codes, ...] = ()
        self._exact_ids: Numbers = numpy.empty(0, numpy.int32)
        self._exact: Floats = numpy.empty((0, 0), numpy.float32)
        self._exact_of: Numbers | None = None

    def refresh(self, connection: "apsw.Connection", header: Header) -> None:
        slot = header.slot(self.model)
        before: tuple[int, ...] = ()
        kept: tuple[Codes, ...] = ()
        if slot is not None and self.slot is not None and slot.number == self.slot.number:
            before, kept = self.slot.codes, self.blocks
        if slot is None:
            self.slot, self.blocks = None, ()
        elif slot != self.slot:
            self.blocks = tuple(
                kept[block]
                if block < len(before) and before[block] == total
                else load_codes(connection, header, slot, block)
                for block, total in enumerate(slot.codes)
            )
            self.slot = slot

    def ids(self, count: int) -> "Numbers":
        """The vector ids of the first `count` chunks."""
        joined = numpy.zeros(count, numpy.int32)
        for block, codes in enumerate(self.blocks):
            room = joined[block * BLOCK : block * BLOCK + len(codes.ids)]
            room[:] = codes.ids[: len(room)]
        return joined

    def exact(
        self, connection: "apsw.Connection", ids: "Numbers", usable: "Bools", slot: CodeSlot
    ) -> "tuple[Numbers, Floats]":
        """The sorted ids and the vectors of all usable chunks. Loaded vectors are not read again."""
        if self._exact_of is ids:
            return self._exact_ids, self._exact
        wanted = numpy.unique(ids[usable])
        if self._exact.shape[1] != slot.dimensions:
            self._exact_ids, self._exact = wanted[:0], numpy.empty((0, slot.dimensions), numpy.float32)
        missing = wanted[~numpy.isin(wanted, self._exact_ids, assume_unique=True)]
        read, rows = fetch_vectors(connection, missing, slot)
        kept = numpy.isin(self._exact_ids, wanted, assume_unique=True)
        if not kept.any():
            # the first search loads all of them at once and in order: copies of the whole table would stay in memory
            self._exact_ids, self._exact, self._exact_of = read, rows.astype(numpy.float32), ids
            return self._exact_ids, self._exact
        both = numpy.concatenate([self._exact_ids[kept], read])
        table = numpy.concatenate([self._exact[kept], rows.astype(numpy.float32)])
        order = numpy.argsort(both)
        self._exact_ids, self._exact, self._exact_of = both[order], table[order], ids
        return self._exact_ids, self._exact


def scored(known: "Numbers", table: "Floats", wanted: "Numbers", vector: "Floats") -> "tuple[Numbers, Floats]":
    """The wanted ids of the known ones, sorted, and their cosines; all known ones if most are wanted."""
    if 2 * len(wanted) >= len(known):
        return known, table @ vector
    chosen = numpy.flatnonzero(numpy.isin(known, wanted))
    return known[chosen], numpy.vecdot(table[chosen], vector)


def compared(known: "Numbers", table: "Floats", ids: "Numbers") -> "Floats":
    """The cosines of the vectors with these ids with each other; NaN where the sorted known ones do not have it."""
    if not len(known):
        return numpy.full((len(ids), len(ids)), numpy.nan, numpy.float32)
    at = numpy.minimum(known.searchsorted(ids), len(known) - 1)
    rows = table[at]
    found: Floats = rows @ rows.T
    missing = known[at] != ids
    if missing.any():
        found[missing] = found[:, missing] = numpy.nan
    return found


def distances(blocks: Sequence[Codes], usable: "Bools", code: "Words") -> "NDArray[numpy.uint16]":
    """The Hamming distance of the code to each chunk's code; far for unusable chunks."""
    found = numpy.full(len(usable), _FAR, numpy.uint16)
    mixed = numpy.empty(BLOCK, numpy.uint64)
    bits, total = numpy.empty(BLOCK, numpy.uint8), numpy.empty(BLOCK, numpy.uint8)
    for block, codes in enumerate(blocks):
        start = block * BLOCK
        room = found[start : start + len(codes.ids)]
        size = len(room)
        if not size:
            continue
        room[:] = 0
        # three words differ in at most 192 bits, which fits a byte
        for first in range(0, len(codes.words), 3):
            numpy.bitwise_count(
                numpy.bitwise_xor(codes.words[first, :size], code[first], out=mixed[:size]), out=total[:size]
            )
            for word in range(first + 1, min(first + 3, len(codes.words))):
                numpy.bitwise_xor(codes.words[word, :size], code[word], out=mixed[:size])
                numpy.add(total[:size], numpy.bitwise_count(mixed[:size], out=bits[:size]), out=total[:size])
            numpy.add(room, total[:size], out=room)
        room[~usable[start : start + size]] = _FAR
    return found


def closest(found: "NDArray[numpy.uint16]", count: int) -> "Numbers":
    """The numbers of about `count` chunks with the smallest distance, including ties."""
    limit = _FAR - 1
    if count < len(found):
        limit = min(int(numpy.partition(found, count)[count]), limit)
    chosen = numpy.flatnonzero(found <= limit)
    if len(chosen) > 2 * count:
        # thousands at one distance are copies of one text; some of them are enough
        chosen = chosen[numpy.argsort(found[chosen], kind="stable")[: 2 * count]]
    return chosen.astype(numpy.int32)


def best(numbers: "Numbers", scores: "Floats", count: int) -> "Numbers":
    """The numbers with the highest scores, best first; ties by number."""
    if count < len(numbers):
        chosen = numpy.argpartition(-scores, count)[:count]
        numbers, scores = numbers[chosen], scores[chosen]
    return numbers[numpy.lexsort((numbers, -scores))]
