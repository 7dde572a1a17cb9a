"""Prepares a document for the index: chunks, terms, texts to embed. Reads through the workspace; writes nothing."""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from everself.clock import system_now
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.memory.entries import reach
from everself.search.index_file.rows import NOTHING, Stamp
from everself.text.markdown.copies import COPY, hide_copies, parts
from everself.text.redaction import blank_secrets
from everself.values import Document, FileStat
from everself.workspace.layout import is_day, is_quarter, place

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder
    from everself.search.arrays import Floats
    from everself.search.chunking.chunks import Chunk

# some file systems have time stamps of one or two seconds
GRAIN_NS = 2_000_000_000

Terms = tuple[Mapping[str, int], int]

_CHARACTERS_KEPT = 16 * 1024 * 1024


class DocumentReader(Protocol):
    """The part of a workspace that the index needs; each of `memorySearch.extraPaths` is another one."""

    def find(self, path: str) -> Document | None: ...

    def list(self, under: str = "") -> Sequence[FileStat]: ...


class ChunkDocument(Protocol):
    def __call__(self, path: str, data: bytes, *, imported: bool = False) -> "Sequence[Chunk]": ...


class ChunkingRules(Frozen):
    """The functions that make chunks. `versions` changes whenever the same bytes would give other rows."""

    chunk_document: ChunkDocument
    terms_of: "Callable[[Chunk, str], Terms]"
    embedding_texts: "Callable[[Sequence[Chunk]], Sequence[str]]"
    versions: str


def default_chunking() -> ChunkingRules:
    from everself.search.chunking.chunks import CHUNKING_VERSION, chunk_document
    from everself.search.chunking.terms import embedding_texts, terms_of
    from everself.text.search import TOKENIZER_VERSION

    return ChunkingRules(chunk_document, terms_of, embedding_texts, f"{CHUNKING_VERSION}.{TOKENIZER_VERSION}")


class Prepared(Frozen):
    """A document ready to be written. `terms` may be computed during writing; `texts` are hashes of the texts to embed.

    A bulk import passes `vectors`, one row per chunk.
    """

    path: str
    hash: str
    chunks: "Sequence[Chunk]"
    terms: Iterable[Terms]
    texts: Sequence[bytes]
    stamp: Stamp = (0, 0, 0, 0, 0)
    read_at: int = 0
    cut: int = 0
    vectors: "Floats | None" = None


def text_hash(text: str) -> bytes:
    """The hash that a vector is stored under; NOTHING for a blank text."""
    if not text.strip():
        return NOTHING
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def model_key(embedder: "Embedder | None") -> int:
    """The identity of an embedder's vectors as a number; 0 for none."""
    if embedder is None:
        return 0
    return int.from_bytes(text_hash(f"{embedder.provider}\n{embedder.model}")[:7], "little") + 1


def stamp_of(stat: FileStat) -> Stamp:
    return stat.device, stat.inode, stat.size, stat.mtime_ns, stat.ctime_ns


def now_ns() -> int:
    """The time in ns, by the clock of file stamps."""
    return int(system_now().timestamp() * 1_000_000_000)


class Sources:
    """All searchable documents by path: those of the workspace and those from extra paths."""

    def __init__(
        self,
        workspace: DocumentReader,
        extra: Sequence[DocumentReader],
        chunking: ChunkingRules,
        *,
        keeps_texts: bool = False,
    ) -> None:
        self._workspace = workspace
        self._extra = tuple(extra)
        self.chunking = chunking
        self._indexed: dict[str, bool] = {}
        self._owners: dict[str, DocumentReader] = {}
        # archives by stamp, with the days that they contain copies of
        self._copied: dict[str, tuple[Stamp, tuple[str, ...]]] = {}
        # result of the last check; empty while it is unknown
        self._seen: Mapping[str, FileStat] = {}
        # Texts that were chunked just now and will be embedded next: chunking them again would cost more than tokenising did.
        self._keeps_texts = keeps_texts
        self._texts: dict[bytes, str] = {}
        self._characters = 0
        self._lock = Lock()

    def list(self) -> tuple[dict[str, FileStat], tuple[str, ...]]:
        """The indexed regular files, and the names of other file types."""
        self._seen = {}
        found: dict[str, FileStat] = {}
        odd: list[str] = []
        known = self._indexed
        for stat in self._workspace.list():
            path = stat.path
            indexed = known.get(path)
            if indexed is None:
                indexed = known[path] = place(path).indexed
            if indexed:
                if stat.kind == "file":
                    found[path] = stat
                elif stat.kind != "directory":
                    odd.append(path)
        self._shown(found)
        if "MEMORY.md" in found:
            found.pop("memory.md", None)
        owners: dict[str, DocumentReader] = {}
        for reader in self._extra:
            for stat in _listed(reader):
                if stat.kind == "file" and stat.path not in found:
                    found[stat.path] = stat
                    owners[stat.path] = reader
                elif stat.kind in ("link", "other"):
                    odd.append(stat.path)
        self._owners, self._seen = owners, found
        return found, tuple(odd)

    def read(self, path: str) -> Document | None:
        """The document; None if it is gone or cannot be read, in which case it cannot be found either."""
        try:
            found = self._owners.get(path, self._workspace).find(path)
        except EverselfError:
            return None
        if found is None or not _may_copy(path, found.data) or path in self._owners:
            return found
        return replace(found, data=hide_copies(found.data, self._has_day))

    def _has_day(self, path: str) -> bool:
        """Whether the day exists as a document; links and folders do not count."""
        try:
            return is_day(path) and self._workspace.find(path) is not None
        except EverselfError:
            return False

    def _shown(self, found: "dict[str, FileStat]") -> None:
        """Change the stamp of an archive when a day that it has a copy of appears or disappears, because its visible content changes."""
        for path in [path for path in found if is_quarter(path)]:
            stat = found[path]
            known = self._copied.get(path)
            if known is None or known[0] != stamp_of(stat):
                document = self._workspace.find(path)
                data = b"" if document is None else document.data
                days = tuple(one.path for one in parts(data) if one.sha) if _may_copy(path, data) else ()
                known = self._copied[path] = stamp_of(stat), days
            if known[1]:
                there = "\n".join(day for day in known[1] if day in found)
                found[path] = replace(stat, ctime_ns=stat.ctime_ns ^ (1 + zlib.crc32(there.encode("utf-8", "replace"))))

    def seen(self, path: str) -> FileStat | None:
        return self._seen.get(path)

    def is_imported(self, path: str) -> bool:
        return path in self._owners

    def prepare(self, document: Document, stat: FileStat, read_at: int) -> Prepared:
        chunks = self.chunks(document)
        chunking = self.chunking
        texts = chunking.embedding_texts(chunks)
        hashes = list(map(text_hash, texts))
        if self._keeps_texts:
            self.keep_texts(hashes, texts)
        return Prepared(
            document.path,
            document.hash,
            chunks,
            (chunking.terms_of(chunk, document.path) for chunk in chunks),
            hashes,
            stamp_of(stat),
            read_at,
            document.cut + len(document.data) - reach(document.data),
        )

    def take_texts(self, hashes: Iterable[bytes]) -> dict[bytes, str] | None:
        """Cached texts by hash; None unless all of them are cached."""
        with self._lock:
            found = {one: self._texts.get(one) for one in hashes}
            taken = {one: text for one, text in found.items() if text is not None}
            return taken if len(taken) == len(found) else None

    def drop_texts(self) -> None:
        with self._lock:
            self._texts, self._characters = {}, 0

    def keep_texts(self, hashes: Sequence[bytes], texts: Sequence[str]) -> None:
        """Cache these texts for the next embedding run, within a size limit."""
        with self._lock:
            for hashed, text in zip(hashes, texts, strict=True):
                if hashed not in self._texts:
                    self._texts[hashed] = text
                    self._characters += len(text)
            while self._characters > _CHARACTERS_KEPT:
                oldest = next(iter(self._texts))
                self._characters -= len(self._texts.pop(oldest))

    def chunks(self, document: Document) -> "Sequence[Chunk]":
        """The chunks of a document, without secrets. A hit with a secret is shown without it."""
        data = blank_secrets(document.data)[: reach(document.data)]
        return self.chunking.chunk_document(document.path, data, imported=document.path in self._owners)

    def texts(self, document: Document) -> Sequence[str]:
        return self.chunking.embedding_texts(self.chunks(document))


def _may_copy(path: str, data: bytes) -> bool:
    return COPY in data and is_quarter(path)


def _listed(reader: DocumentReader) -> Sequence[FileStat]:
    """The files of another reader; empty if its folder is missing or not readable."""
    try:
        return reader.list()
    except EverselfError:
        return ()
