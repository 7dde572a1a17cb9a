"""The row formats of index.db, packed with checksums. Pure: bytes in, values out; raises Damaged if a checksum fails.

Every row is linked to the header: a row that never changes has its own checksum over table, number and the birth of this index; for other
rows the header has the checksum. So a lost, stale, swapped or flipped page is noticed when it is read.
"""

import json
import struct
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.search.index_file.protocol import IndexedDocument
from everself.values import new_id

FORMAT: Final = 2
# A reader that missed more commits than this reloads everything.
_COMMITS_KNOWN: Final = 64
# Chunks per block; local numbers fit two bytes.
BLOCK: Final = 16_384

SOURCES, UNITS, BLOCKS, VOCABULARIES, POSTINGS, EMBEDDINGS, CODES, HEADER = range(8)

Stamp = tuple[int, int, int, int, int]

_SALT = struct.Struct("<IBq")
_SEAL = struct.Struct("<I")
_SOURCE = struct.Struct("<QQqqqqqqqi32s")
_CHUNK = struct.Struct("<6i16s")
NOTHING: Final = bytes(16)
# the CRC of any data followed by its own CRC
_SEALED: Final = 0x2144DF1C


class CodeSlot(Frozen):
    """The codes of one model: checksums of its blocks. Two models may coexist while one takes over."""

    number: int
    model: int
    dimensions: int
    codes: tuple[int, ...] = ()


class Header(Frozen):
    """The row that vouches for all others. `chunks`, `sources` and `embeddings` are the next free numbers."""

    versions: str
    identity: str
    birth: int
    generation: int = 0
    # random ids of the latest commits: a reader that knows one of them has an ancestor of this index, not a diverged copy
    past: tuple[int, ...] = ()
    chunks: int = 0
    sources: int = 1
    embeddings: int = 1
    living: int = 0
    documents: int = 0
    root: int = 0
    columns: tuple[int, ...] = ()
    vocabularies: tuple[int, ...] = ()
    slots: tuple[CodeSlot, ...] = ()
    slot_numbers: int = 1

    def slot(self, model: int) -> CodeSlot | None:
        return next((one for one in self.slots if one.model == model), None)

    def with_codes(self, slot: CodeSlot, block: int, total: int) -> "Header":
        """The header with another checksum for one block of a slot's codes."""
        codes = (*slot.codes, *(0 for _ in range(block - len(slot.codes))))
        changed = replace(slot, codes=with_total(codes, block, total))
        return replace(self, slots=tuple(changed if one.number == slot.number else one for one in self.slots))


class SourceRow(Frozen):
    """The row of one document. `read_at` is the time of reading in ns."""

    document: IndexedDocument
    stamp: Stamp
    read_at: int
    raw: bytes
    seal: int


class ChunkRow(NamedTuple):
    document: int
    entry: int
    start: int
    end: int
    first_line: int
    last_line: int
    text: bytes


def checksum(birth: int, table: int, number: int, data: bytes) -> int:
    return crc32(data, crc32(_SALT.pack(birth, table, number)))


def with_total(totals: tuple[int, ...], block: int, total: int) -> tuple[int, ...]:
    """The checksums with that of one block replaced, or added behind the last."""
    if block > len(totals):
        raise Damaged("index.db: a block is missing.")
    return (*totals[:block], total, *totals[block + 1 :])


def render_header(header: Header) -> bytes:
    body = json.dumps(asdict(header), separators=(",", ":")).encode()
    return body + _SEAL.pack(checksum(0, HEADER, 1, body))


def parse_header(data: object) -> Header:
    body = _unsealed(0, HEADER, 1, data)
    try:
        told = json.loads(body)
        slots = tuple(CodeSlot(**{**one, "codes": tuple(one["codes"])}) for one in told["slots"])
        tuples = {name: tuple(told[name]) for name in ("past", "columns", "vocabularies")}
        return Header(**{**told, **tuples, "slots": slots})
    except (TypeError, KeyError, ValueError) as error:
        # valid checksum, but written by another version
        raise Damaged("index.db was written by another version.") from error


def following(header: Header) -> Header:
    """The header of the next commit."""
    past = (*header.past[1 - _COMMITS_KNOWN :], crc32(new_id().encode()))
    return replace(header, generation=header.generation + 1, past=past)


def follows(header: Header, known: Header) -> bool:
    """Whether an index descends from one with the known header, so that data loaded from that one is still valid.

    A restored copy that diverged uses the same numbers for other things.
    """
    return header.birth == known.birth and (not known.past or known.past[-1] in header.past)


@lru_cache(maxsize=8)
def _source_salt(birth: int) -> int:
    # the number is part of the row, so one salt serves all sources
    return crc32(_SALT.pack(birth, SOURCES, 0))


def render_source(birth: int, document: IndexedDocument, stamp: Stamp, read_at: int) -> bytes:
    body = _SOURCE.pack(
        *stamp, read_at, document.first, document.count, document.cut, document.number, bytes.fromhex(document.hash)
    ) + document.path.encode("utf-8", "surrogateescape")
    return body + _SEAL.pack(crc32(body, _source_salt(birth)))


def parse_source(birth: int, number: int, data: object) -> SourceRow:
    if not isinstance(data, bytes) or len(data) < _SOURCE.size + 4:
        raise Damaged("index.db: a document's row is damaged.")
    body, seal = data[:-4], seal_of(data)
    told = _SOURCE.unpack_from(body)
    if crc32(body, _source_salt(birth)) != seal or told[9] != number:
        raise Damaged("index.db: a document's row is damaged.")
    path = body[_SOURCE.size :].decode("utf-8", "surrogateescape")
    document = IndexedDocument(number, path, told[10].hex(), told[6], told[7], told[8])
    return SourceRow(document, told[:5], told[5], data, seal)


def seal_of(data: bytes) -> int:
    """The checksum at the end of a sealed row; the header's root is the sum over all sources."""
    return int.from_bytes(data[-4:], "little")


def render_chunk(birth: int, number: int, row: ChunkRow) -> bytes:
    body = _CHUNK.pack(*row)
    return body + _SEAL.pack(checksum(birth, UNITS, number, body))


def parse_chunk(birth: int, number: int, data: object) -> ChunkRow:
    # the seal stands behind the row, so one checksum over both tells: a search reads a hundred rows
    if (
        not isinstance(data, bytes)
        or len(data) != _CHUNK.size + _SEAL.size
        or crc32(data, crc32(_SALT.pack(birth, UNITS, number))) != _SEALED
    ):
        raise Damaged("index.db: a row is damaged.")
    return ChunkRow._make(_CHUNK.unpack_from(data))


# the offset of the text hash in a chunk row, from 1 as in SQL
TEXT_FROM: Final = _CHUNK.size - 16 + 1


def render_vector(number: int, hashed: bytes, model: int, values: bytes) -> bytes:
    """The seal does not include the birth, so that vectors can be saved from a broken index."""
    return values + _SEAL.pack(checksum(model & 0xFFFFFFFF, EMBEDDINGS, number, hashed + values))


def parse_vector(number: int, hashed: object, model: object, data: object) -> bytes:
    if not (isinstance(hashed, bytes) and isinstance(model, int) and isinstance(data, bytes)) or len(data) < 6:
        raise Damaged("index.db: a vector is damaged.")
    values = data[:-4]
    if checksum(model & 0xFFFFFFFF, EMBEDDINGS, number, hashed + values) != seal_of(data):
        raise Damaged("index.db: a vector is damaged.")
    return values


def is_sound_vector(number: int, hashed: bytes, model: int, data: bytes) -> bool:
    """Like `parse_vector` in half the time: a search reads thousands. Raises TypeError for values of a wrong type."""
    begun = crc32(hashed, crc32(_SALT.pack(model & 0xFFFFFFFF, EMBEDDINGS, number)))
    return crc32(data, begun) == _SEALED


def checked(header: Header, table: int, number: int, data: object, expected: int) -> bytes:
    """The bytes of a row whose checksum is stored elsewhere. Raises Damaged if it does not match."""
    if not isinstance(data, bytes) or checksum(header.birth, table, number, data) != expected:
        raise Damaged("index.db: a row is damaged.")
    return data


def _unsealed(birth: int, table: int, number: int, data: object) -> bytes:
    if not isinstance(data, bytes) or len(data) < 4:
        raise Damaged("index.db: a row is damaged.")
    body = data[:-4]
    if checksum(birth, table, number, body) != seal_of(data):
        raise Damaged("index.db: a row is damaged.")
    return body
