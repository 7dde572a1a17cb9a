"""Embeds chunks, newest first: reuses stored vectors, else calls the embedder. Commits after every batch.

The index contains no texts: they are chunked again from their documents, if these are unchanged.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy

from everself.clock import monotonic
from everself.errors import Damaged, EmbeddingFailed
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.search.chunking.marks import Flag
from everself.search.chunking.terms import split_context
from everself.search.index_file.columns import load_block, read_header
from everself.search.index_file.file import IndexFile, find_row, reading
from everself.search.index_file.rows import (
    BLOCK,
    NOTHING,
    ChunkRow,
    CodeSlot,
    Header,
    SourceRow,
    parse_chunk,
    parse_source,
)
from everself.search.index_file.vectors import load_codes
from everself.search.sync.documents import Sources, model_key, text_hash
from everself.search.sync.transaction import commit, writing
from everself.search.sync.vector_retention import drop_closed, forget_texts
from everself.search.sync.vector_rows import add_vectors, assign_kept, drop_other_codes, find_kept, with_kept_slot

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder, Purpose
    from everself.search.arrays import Bools, Floats, Hashes


_log = get_logger(__name__)

BATCH = 512
# a timed run starts with few: one model embeds thousands per second, another a dozen
_FIRST_FEW = 16
# a document of this size is chunked in less than a second; a timed run skips larger ones
_CHUNKED_AT_ONCE = 1_000_000
_WAIT = 10.0
# lower bound of bytes per token over all scripts, because cost estimates should rather be too high
_BYTES_A_TOKEN = 3


class EmbedReport(Frozen):
    """The number of chunks embedded, the number still without a vector, and why the run stopped early."""

    done: int = 0
    pending: int = 0
    # chunks that lost their vector because they were closed too long ago
    dropped: int = 0
    failure: str = ""
    retry_after: float | None = None


class Bounds(Frozen):
    """When to stop: after `seconds`, or when `stopped` returns True."""

    seconds: float | None = None
    stopped: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] | None = None
    # texts per batch: a run stops only between batches
    batch: int = BATCH


def ask_embedder(embedder: "Embedder", texts: list[str], purpose: "Purpose", expected: int | None) -> "Floats":
    """One vector of length 1 per text. Raises EmbeddingFailed for any other answer."""
    vectors = numpy.asarray(embedder.embed(texts, purpose=purpose))
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.dtype.kind != "f" or not vectors.shape[1]:
        raise EmbeddingFailed("The embedder did not return one vector for each text.", reason="shape")
    if expected is not None and vectors.shape[1] != expected:
        words = f"The embedder returned {vectors.shape[1]} dimensions; the index has {expected}."
        raise EmbeddingFailed(words, reason="shape", mend="everself memory rebuild")
    vectors = vectors.astype(numpy.float32)
    lengths: Floats = numpy.linalg.norm(vectors, axis=1)
    if not numpy.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise EmbeddingFailed("The embedder returned a vector without direction.", reason="numbers")
    directions: Floats = vectors / lengths[:, None]
    return directions


def embed_in_context(embedder: "Embedder", texts: Iterable[str], expected: int | None) -> "Floats":
    """One vector of length 1 per text, computed from the text and its neighbours, each of which is embedded once."""
    weighed = [split_context(text) for text in texts]
    numbers = {part: at for at, part in enumerate(dict.fromkeys(part for parts in weighed for part, _ in parts))}
    vectors = ask_embedder(embedder, list(numbers), "document", expected)
    rows = numpy.zeros((len(weighed), vectors.shape[1]), numpy.float32)
    for row, parts in zip(rows, weighed, strict=True):
        for part, weight in parts:
            row += weight * vectors[numbers[part]]
    # the text's own vector weighs more than all neighbours together, so the sum is not zero
    directions: Floats = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
    return directions


def pending_chunks(
    file: IndexFile, header: Header, model: int, newest: int | None = None, horizon: int = 0
) -> "Iterator[tuple[int, Hashes]]":
    """Living chunks without a vector of a model, block by block, newest first; those closed before the horizon are left out.

    Call it inside a transaction.
    """
    slot = header.slot(model)
    blocks = len(header.columns) if newest is None else min(newest + 1, len(header.columns))
    for block in reversed(range(blocks)):
        rows = load_block(file.connection, header, block)
        alive = (rows["flags"] & numpy.uint16(Flag.ALIVE)) != 0
        alive &= (rows["until"] == 0) | (rows["until"] >= horizon)
        if slot is not None:
            ids = load_codes(file.connection, header, slot, block).ids
            alive[: len(ids)] &= ids == 0
        if alive.any():
            yield block, numpy.flatnonzero(alive)[::-1] + block * BLOCK


def count_pending_tokens(file: IndexFile, header: Header, model: int, horizon: int) -> int:
    """The estimated number of tokens to embed, rather too high. Call it inside a transaction."""
    total = 0
    for _, chunks in pending_chunks(file, header, model, horizon=horizon):
        for chunk in chunks.tolist():
            told = parse_chunk(header.birth, chunk, find_row(file.connection, "units", chunk))
            total += (told.end - told.start) // _BYTES_A_TOKEN + 1
    return total


def next_size(size: int, took: float, left: float) -> int:
    """The next batch size, after a batch of `size` took `took` seconds and `left` seconds remain."""
    fitting = int(size * left / took) if took > 0 else BATCH
    return max(1, min(BATCH, 4 * size, fitting))


class _Batch(Frozen):
    """Text hashes by chunk (NOTHING if it needs no vector), and the texts to embed by hash."""

    chunks: dict[int, bytes]
    texts: dict[bytes, str]
    # texts of chunks closed too long ago: their stored vectors are removed
    closed: frozenset[bytes] = frozenset()


class Embedding:
    """Embeds through its own connection. `beside` are other models whose codes are kept at the end."""

    def __init__(
        self,
        file: IndexFile,
        sources: Sources,
        embedder: "Embedder",
        horizon: int = 0,
        beside: Sequence[int] = (),
    ) -> None:
        self._file = file
        self._sources = sources
        self._embedder = embedder
        self._model = model_key(embedder)
        self._kept_models = frozenset((self._model, *beside))
        self._horizon = horizon
        self._slot: CodeSlot | None = None
        # chunks whose documents changed since indexing; the next sync handles them
        self._skipped: set[int] = set()
        # documents that a timed run leaves to a longer one
        self._left: list[range] = []
        # blocks above this one are done in this run
        self._newest: int | None = None
        self._hurried = False

    def run(self, bounds: Bounds) -> EmbedReport:
        """Embed until nothing is left, the time is over, or the embedder fails. Killing it loses at most one batch."""
        started = monotonic()
        self._newest, self._hurried = None, bounds.seconds is not None
        dropped = drop_closed(self._file, self._horizon, _WAIT)
        done, total = 0, self._count()
        size = bounds.batch if bounds.seconds is None else _FIRST_FEW
        while not bounds.stopped() and (bounds.seconds is None or monotonic() - started < bounds.seconds):
            began = monotonic()
            batch = self._next(size)
            if batch is None:
                self._finish()
                break
            try:
                vectors = self._embed(batch)
            except EmbeddingFailed as error:
                _log.warning("%s/%s gave no vectors (%s).", self._embedder.provider, self._embedder.model, error.reason)
                return EmbedReport(done, self._count(), dropped, str(error), error.retry_after)
            done += self._store(batch, vectors)
            self._log_batch(len(batch.chunks), len(batch.texts), monotonic() - began)
            if bounds.progress is not None:
                bounds.progress(done, max(total, done))
            if bounds.seconds is not None:
                now = monotonic()
                size = next_size(size, now - began, bounds.seconds - (now - started))
        return EmbedReport(done, self._count(), dropped)

    def _count(self) -> int:
        with reading(self._file.connection):
            header = read_header(self._file.connection)[1]
            return sum(
                len(chunks) for _, chunks in pending_chunks(self._file, header, self._model, horizon=self._horizon)
            )

    def _next(self, size: int) -> _Batch | None:
        found: dict[int, ChunkRow] = {}
        sources: dict[int, SourceRow] = {}
        with reading(self._file.connection):
            header = read_header(self._file.connection)[1]
            for chunk in self._candidates(header):
                found[chunk] = parse_chunk(header.birth, chunk, find_row(self._file.connection, "units", chunk))
                if len(found) == size:
                    break
            for number in {row.document for row in found.values()}:
                data = find_row(self._file.connection, "sources", number)
                sources[number] = parse_source(header.birth, number, data)
            closed = self._closed(header, found)
            chunks = {chunk: NOTHING if chunk in closed else row.text for chunk, row in found.items()}
            slot = with_kept_slot(self._file.connection, header, self._model, chunks.values()).slot(self._model)
            self._slot = slot
            kept = {
                text
                for text in set(chunks.values())
                if text == NOTHING or (slot is not None and find_kept(self._file.connection, slot, text) is not None)
            }
        if not found:
            return None
        missing = {chunk: row for chunk, row in found.items() if chunks[chunk] not in kept}
        gone = frozenset(found[chunk].text for chunk in closed) - {NOTHING}
        return _Batch(chunks, self._texts(missing, sources), gone)

    def _closed(self, header: Header, chunks: Iterable[int]) -> set[int]:
        blocks = {chunk // BLOCK for chunk in chunks}
        untils = {block: load_block(self._file.connection, header, block)["until"] for block in blocks}
        return {chunk for chunk in chunks if 0 != untils[chunk // BLOCK][chunk % BLOCK] < self._horizon}

    def _candidates(self, header: Header) -> Iterator[int]:
        for block, chunks in pending_chunks(self._file, header, self._model, self._newest):
            self._newest = block
            for one in self._left:
                chunks = chunks[(chunks < one.start) | (chunks >= one.stop)]
            yield from (chunk for chunk in chunks.tolist() if chunk not in self._skipped)
        self._newest = -1

    def _texts(self, missing: dict[int, ChunkRow], sources: dict[int, SourceRow]) -> dict[bytes, str]:
        wanted: dict[int, dict[int, bytes]] = {}
        for chunk, row in missing.items():
            wanted.setdefault(row.document, {})[chunk] = row.text
        found: dict[bytes, str] = {}
        for number, chunks in wanted.items():
            at_hand = self._sources.take_texts(chunks.values())
            if at_hand is not None:
                found |= at_hand
                continue
            known, size = sources[number].document, sources[number].stamp[2]
            first = known.first
            if self._hurried and size > _CHUNKED_AT_ONCE:
                self._left.append(range(first, first + known.count))
                self._skipped |= chunks.keys()
                continue
            document = self._sources.read(known.path)
            same = document is not None and document.hash == known.hash
            texts = list(self._sources.texts(document)) if document is not None and same else []
            hashes = list(map(text_hash, texts))
            if len(texts) > len(chunks):
                # a document with many batches is chunked once, not for each batch
                self._sources.keep_texts(hashes, texts)
            for chunk, text in chunks.items():
                if chunk - first < len(texts) and hashes[chunk - first] == text:
                    found[text] = texts[chunk - first]
                else:
                    self._skipped.add(chunk)
        return found

    def _embed(self, batch: _Batch) -> "list[tuple[bytes, Floats]]":
        if not batch.texts:
            return []
        expected = self._slot.dimensions if self._slot is not None else None
        return list(zip(batch.texts, embed_in_context(self._embedder, batch.texts.values(), expected), strict=True))

    def _log_batch(self, chunks: int, texts: int, seconds: float) -> None:
        name = f"{self._embedder.provider}/{self._embedder.model}"
        _log.debug("%s embedded %d texts for %d chunks in %.0f ms.", name, texts, chunks, seconds * 1000)

    def _store(self, batch: _Batch, vectors: "list[tuple[bytes, Floats]]") -> int:
        """Store the vectors and assign them to chunks that are still alive. Returns the number of these chunks."""
        with writing(self._file, _WAIT):
            connection = self._file.connection
            before = read_header(connection)[1]
            living = self._still_living(before, batch.chunks)
            texts = set(living.values())
            wanted = [one for one in vectors if one[0] in texts]
            header, added = add_vectors(connection, before, self._model, wanted)
            header = with_kept_slot(connection, header, self._model, texts)
            if header.slot(self._model) is None:
                # only blank texts so far: the dimensions are not known yet
                self._skipped |= living.keys()
                return 0
            header = assign_kept(connection, header, self._model, living, added)
            forget_texts(connection, header, batch.closed)
            commit(connection, header)
        return len(living.keys() - self._skipped)

    def _still_living(self, header: Header, chunks: dict[int, bytes]) -> dict[int, bytes]:
        alive: dict[int, Bools] = {}
        for block in {chunk // BLOCK for chunk in chunks}:
            if block >= len(header.columns):
                raise Damaged("index.db: a block is missing.")
            alive[block] = (load_block(self._file.connection, header, block)["flags"] & Flag.ALIVE) != 0
        return {chunk: text for chunk, text in chunks.items() if alive[chunk // BLOCK][chunk % BLOCK]}

    def _finish(self) -> None:
        """Drop the codes of other models once this one has taken over."""
        self._sources.drop_texts()
        with reading(self._file.connection):
            header = read_header(self._file.connection)[1]
        others = any(slot.model not in self._kept_models for slot in header.slots)
        if self._skipped or header.slot(self._model) is None or not others:
            return
        with writing(self._file, _WAIT):
            connection = self._file.connection
            header = read_header(connection)[1]
            commit(connection, drop_other_codes(connection, header, self._kept_models))
