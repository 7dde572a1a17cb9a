"""Reads the text of a chunk from its document, never from the index. Text of a changed document is not returned."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final, Protocol

from everself.errors import ChangedMeanwhile
from everself.frozen import Frozen
from everself.search.chunking.chunks import chunk_text
from everself.search.chunking.marks import Flag
from everself.search.index_file.protocol import IndexedChunk, IndexedDocument, IndexView
from everself.search.index_file.rows import Stamp
from everself.search.sync.documents import GRAIN_NS, now_ns, stamp_of
from everself.values import Document, FileStat

DOCUMENT_CACHE_BYTES: Final = 32 * 1024 * 1024
# maximum number of significant words in an answer that needs its question
_FEW_WORDS: Final = 3


class _Kept(Frozen):
    stamp: Stamp
    hash: str
    data: bytes


class DocumentFiles(Protocol):
    """Document access as the index provides it."""

    def read(self, path: str) -> Document | None: ...

    def seen(self, path: str) -> FileStat | None: ...


class DocumentCache:
    def __init__(self, files: DocumentFiles, size: int = DOCUMENT_CACHE_BYTES) -> None:
        self._files = files
        self._size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, document: IndexedDocument) -> bytes | None:
        """The bytes that were indexed; None if the file has changed."""
        seen = self._files.seen(document.path)
        stamp = None if seen is None else stamp_of(seen)
        with self._lock:
            kept = self._kept.get(document.path)
            if kept is not None and (kept.stamp, kept.hash) == (stamp, document.hash):
                self._kept.move_to_end(document.path)
                return kept.data
        read_at = now_ns()
        found = self._files.read(document.path)
        if found is None or found.hash != document.hash:
            return None
        # a file that was saved just now may be saved again without looking different
        if seen is not None and stamp is not None and seen.mtime_ns + GRAIN_NS < read_at:
            self._keep(document.path, _Kept(stamp, document.hash, found.data))
        return found.data

    def _keep(self, path: str, new: _Kept) -> None:
        with self._lock:
            old = self._kept.pop(path, None)
            self._kept[path] = new
            self._bytes += len(new.data) - (len(old.data) if old is not None else 0)
            while self._bytes > self._size:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= len(gone.data)


class SnippetSource:
    """The documents of one view, each read once and compared with the indexed version.

    With `skips`, changed documents are treated as empty and listed in `skipped`, for files that change faster than they are searched.
    """

    def __init__(
        self, view: IndexView, read: Callable[[IndexedDocument], bytes | None], *, skips: bool = False
    ) -> None:
        self._view = view
        self._read = read
        self._skips = skips
        self.skipped: set[int] = set()
        self._data: dict[int, bytes] = {}
        self._chunks: dict[int, IndexedChunk] = {}
        self._texts: dict[int, str] = {}

    def chunks(self, numbers: Sequence[int]) -> list[IndexedChunk]:
        missing = [number for number in numbers if number not in self._chunks]
        for chunk in self._view.chunks(missing) if missing else ():
            self._chunks[chunk.number] = chunk
        return [self._chunks[number] for number in numbers]

    def texts(self, numbers: Sequence[int]) -> list[str]:
        texts = self._texts
        for chunk in self.chunks([number for number in numbers if number not in texts]):
            texts[chunk.number] = chunk_text(self.data(chunk.document), chunk.start, chunk.end)
        return [texts[number] for number in numbers]

    def questions(self, numbers: Sequence[int]) -> dict[int, IndexedChunk]:
        """For chunks that are a short answer to the previous turn: that turn. "Yes, in Rome!" means nothing alone."""
        import numpy

        columns = self._view.columns
        wanted = numpy.array([number for number in numbers if number > 0], numpy.int64)
        flags, before = columns["flags"][wanted], columns["flags"][wanted - 1]
        both = numpy.uint16(Flag.SPOKEN | Flag.ALIVE)
        answers = (
            (flags & before & both == both)
            & (before & numpy.uint16(Flag.ASKS | Flag.CLOSED) == Flag.ASKS)
            & (columns["length"][wanted] <= _FEW_WORDS)
            & (columns["document"][wanted] == columns["document"][wanted - 1])
        )
        chosen = wanted[answers].tolist()
        return dict(zip(chosen, self.chunks([number - 1 for number in chosen]), strict=True))

    def held(self) -> dict[str, tuple[str, bytes]]:
        """Hash and bytes of every document read so far, by path."""
        documents = self._view.documents
        read = ((documents[number], data) for number, data in self._data.items() if number not in self.skipped)
        return {document.path: (document.hash, data) for document, data in read}

    def path(self, document: int) -> str:
        return self._view.documents[document].path

    def data(self, number: int) -> bytes:
        """The indexed version of the document. Raises ChangedMeanwhile if it has changed."""
        found = self._data.get(number)
        if found is None:
            indexed = self._view.documents[number]
            found = self._read(indexed)
            if found is None and not self._skips:
                raise ChangedMeanwhile(indexed.path)
            if found is None:
                self.skipped.add(number)
                found = b""
            self._data[number] = found
        return found
