"""Reads the text of a chunk from its document, never from the index. A chunk whose document changed is not served."""

from collections.abc import Callable, Sequence

from everself.errors import ChangedMeanwhile
from everself.search.chunking.chunks import chunk_text
from everself.search.index_file.protocol import IndexedChunk, IndexedDocument, IndexView


class SnippetSource:
    """The documents behind one view, each read once and compared with what was indexed.

    Where files change faster than they are searched, `skips` leaves out what changed: it then says nothing, and stands in `skipped`.
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

    def chunks(self, numbers: Sequence[int]) -> list[IndexedChunk]:
        missing = [number for number in numbers if number not in self._chunks]
        for chunk in self._view.chunks(missing) if missing else ():
            self._chunks[chunk.number] = chunk
        return [self._chunks[number] for number in numbers]

    def texts(self, numbers: Sequence[int]) -> list[str]:
        return [chunk_text(self.data(chunk.document), chunk.start, chunk.end) for chunk in self.chunks(numbers)]

    def held(self) -> dict[str, tuple[str, bytes]]:
        """Hash and bytes of every document that was read so far, by path."""
        documents = self._view.documents
        read = ((documents[number], data) for number, data in self._data.items() if number not in self.skipped)
        return {document.path: (document.hash, data) for document, data in read}

    def path(self, document: int) -> str:
        return self._view.documents[document].path

    def data(self, number: int) -> bytes:
        """The document as it was indexed; ChangedMeanwhile when it is another by now."""
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
