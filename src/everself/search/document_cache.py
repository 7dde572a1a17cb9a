"""A cache of recently read documents, so that the next search need not read and hash them again.

Only what the last look at the files saw unchanged is handed out, under the same stamp and with the hash that is indexed.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final, Protocol

from everself.search.index_file.protocol import IndexedDocument
from everself.search.index_file.rows import Stamp
from everself.search.sync.documents import GRAIN_NS, now_ns, stamp_of
from everself.values import Document, FileStat

DOCUMENT_CACHE_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Kept:
    stamp: Stamp
    hash: str
    data: bytes


class DocumentFiles(Protocol):
    """As an index sees them."""

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
        """The bytes that were indexed; none where the file says something else by now."""
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
        # a file that was saved a moment ago may be saved again without looking different
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
