"""Rows of vectors and their codes: add, assign to chunks, remove. Knows no embedder and no text."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from everself.errors import Damaged
from everself.search.index_file.columns import read_header
from everself.search.index_file.file import IndexFile, sound
from everself.search.index_file.rows import (
    BLOCK,
    CODES,
    NOTHING,
    TEXT_FROM,
    CodeSlot,
    Header,
    checksum,
    parse_vector,
    render_header,
    render_vector,
)
from everself.search.index_file.vectors import (
    BLANK,
    Codes,
    codes_row,
    decode,
    encode,
    load_codes,
    render_codes,
    words_of,
)

if TYPE_CHECKING:
    import apsw

    from everself.search.arrays import Floats, Hashes, Numbers, Words


# the id and the values of a vector
Kept = tuple[int, bytes]

_ALL = "SELECT number, hash, model, data FROM embeddings ORDER BY number"
_IS_KEPT = "SELECT 1 FROM embeddings WHERE hash=? AND model=?"
_FIND = "SELECT number, hash, model, data FROM embeddings WHERE hash=? AND model=?"


def with_slot(header: Header, model: int, dimensions: int) -> Header:
    """The header with a slot for a model. If its dimensions changed, the old codes are dropped."""
    known = header.slot(model)
    if known is not None and known.dimensions == dimensions:
        return header
    others = tuple(one for one in header.slots if one.model != model)
    slot = CodeSlot(header.slot_numbers, model, dimensions)
    return replace(header, slots=(*others, slot), slot_numbers=header.slot_numbers + 1)


def add_vectors(
    connection: "apsw.Connection", header: Header, model: int, vectors: "Iterable[tuple[bytes, Floats]]"
) -> tuple[Header, dict[bytes, Kept]]:
    """Store vectors under the hashes of their texts, unless they exist. Returns what was added."""
    number = header.embeddings
    rows: list[tuple[int, bytes, int, bytes]] = []
    added: dict[bytes, Kept] = {}
    dimensions = 0
    for hashed, vector in vectors:
        dimensions = len(vector)
        if hashed in added or connection.execute(_IS_KEPT, (hashed, model)).fetchone() is not None:
            continue
        values = vector.astype("<f2").tobytes()
        added[hashed] = number, values
        rows.append((number, hashed, model, render_vector(number, hashed, model, values)))
        number += 1
    connection.executemany("INSERT INTO embeddings VALUES (?, ?, ?, ?)", rows)
    return replace(with_slot(header, model, dimensions) if dimensions else header, embeddings=number), added


def with_kept_slot(connection: "apsw.Connection", header: Header, model: int, texts: Iterable[bytes]) -> Header:
    """The header with a slot for a model that is used again and whose vectors are still stored."""
    if header.slot(model) is None:
        for hashed in texts:
            row = connection.execute(
                "SELECT length(data) FROM embeddings WHERE hash=? AND model=?", (hashed, model)
            ).fetchone()
            if row is not None and isinstance(row[0], int) and row[0] > 4:
                return with_slot(header, model, (row[0] - 4) // 2)
    return header


def find_kept(connection: "apsw.Connection", slot: CodeSlot, hashed: bytes) -> Kept | None:
    """The id and values of the vector of a text."""
    for number, own, model, data in connection.execute(_FIND, (hashed, slot.model)):
        values = parse_vector(number, own, model, data)
        if own != hashed or model != slot.model:
            raise Damaged("index.db: a vector is stored for another text.")
        if len(values) == slot.dimensions * 2:
            return number, values
    return None


def assign_kept(
    connection: "apsw.Connection", header: Header, model: int, texts: Mapping[int, bytes], added: Mapping[bytes, Kept]
) -> Header:
    """Assign stored vectors to chunks. `texts` are text hashes by chunk; `added` are vectors stored just now."""
    slot = header.slot(model)
    if slot is None or not texts:
        return header
    found: dict[int, Kept] = {}
    blank = bytes(slot.dimensions * 2)
    for chunk, hashed in texts.items():
        kept = (BLANK, blank) if hashed == NOTHING else added.get(hashed) or find_kept(connection, slot, hashed)
        if kept is not None:
            found[chunk] = kept
    by_block: dict[int, list[int]] = {}
    for chunk in found:
        by_block.setdefault(chunk // BLOCK, []).append(chunk)
    for block, chunks in sorted(by_block.items()):
        local = numpy.array(chunks) - block * BLOCK
        ids = numpy.array([found[chunk][0] for chunk in chunks], numpy.int32)
        codes = encode(decode([found[chunk][1] for chunk in chunks], slot.dimensions))
        header = _assign_codes(connection, header, slot, block, (local, ids, codes))
        slot = header.slot(model) or slot
    return header


def _assign_codes(
    connection: "apsw.Connection",
    header: Header,
    slot: CodeSlot,
    block: int,
    given: "tuple[Hashes, Numbers, Words]",
) -> Header:
    local, ids, codes = given
    old = load_codes(connection, header, slot, block)
    size = max(len(old.ids), int(local.max()) + 1)
    new = Codes(numpy.zeros(size, numpy.int32), numpy.zeros((words_of(slot.dimensions), size), numpy.uint64))
    new.ids[: len(old.ids)] = old.ids
    new.words[:, : len(old.ids)] = old.words
    new.ids[local] = ids
    new.words[:, local] = codes.T
    return put_codes(connection, header, slot, block, new)


def put_codes(connection: "apsw.Connection", header: Header, slot: CodeSlot, block: int, codes: Codes) -> Header:
    """Write the codes of one block. Returns the header with their checksum."""
    number, data = codes_row(slot, block), render_codes(codes)
    connection.execute("REPLACE INTO codes VALUES (?, ?)", (number, data))
    return header.with_codes(slot, block, checksum(header.birth, CODES, number, data))


def drop_other_codes(connection: "apsw.Connection", header: Header, models: Collection[int]) -> Header:
    """Drop the codes of all other models. Their vectors stay, in case a model is used again."""
    for slot in header.slots:
        if slot.model not in models:
            bounds = (codes_row(slot, 0), codes_row(replace(slot, number=slot.number + 1), 0))
            connection.execute("DELETE FROM codes WHERE number>=? AND number<?", bounds)
    return replace(header, slots=tuple(one for one in header.slots if one.model in models))


def prune(
    connection: "apsw.Connection", gone: Iterable[bytes], living: Callable[[Sequence[int]], frozenset[int]] | None
) -> None:
    """Delete vectors, of all models, of texts that no living chunk has: text can be guessed from its vector."""
    for hashed in gone:
        ids = [int(row[0]) for row in connection.execute("SELECT number FROM embeddings WHERE hash=?", (hashed,))]
        if ids and (living is None or living(ids)):
            continue
        connection.execute("DELETE FROM embeddings WHERE hash=?", (hashed,))


def prune_all(connection: "apsw.Connection") -> None:
    """Delete the unused vectors of a whole index, after a rebuild."""
    connection.execute(f"DELETE FROM embeddings WHERE hash NOT IN (SELECT substr(data, {TEXT_FROM}, 16) FROM units)")


def salvage(old: IndexFile, new: IndexFile, sizes: Mapping[int, int]) -> None:
    """Copy undamaged vectors from a broken or old index: from its beginning to the first damage, then from its end.

    `sizes` are the known dimensions of models; vectors of another size are skipped.
    """
    header = read_header(new.connection)[1]
    seen: set[object] = set()
    new.connection.execute("BEGIN IMMEDIATE")
    for query in (_ALL, f"{_ALL} DESC"):
        with suppress(Damaged), sound(old.connection):
            for row in old.connection.execute(query):
                if row[0] in seen:
                    break
                seen.add(row[0])
                header = _copy_vector(new, row, header, sizes)
            break
    new.connection.execute("UPDATE header SET data=? WHERE number=1", (render_header(header),))
    new.connection.execute("COMMIT")


def _copy_vector(new: IndexFile, row: tuple[object, ...], header: Header, sizes: Mapping[int, int]) -> Header:
    was, hashed, model, data = row
    if not (isinstance(was, int) and isinstance(hashed, bytes) and isinstance(model, int)):
        return header
    try:
        values = parse_vector(was, hashed, model, data)
    except Damaged:
        return header
    if sizes.get(model, len(values) // 2) != len(values) // 2:
        return header
    number = header.embeddings
    given = (number, hashed, model, render_vector(number, hashed, model, values))
    new.connection.execute("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?, ?)", given)
    return with_slot(replace(header, embeddings=number + 1), model, len(values) // 2)
