"""A draft: collects edits to documents and computes the smallest change for them. Pure."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache

from everself.errors import ChangedMeanwhile
from everself.memory.entries import ParsedEntry, last_section, read_growth, text_of
from everself.text.markdown.blocks import Scan, scan
from everself.text.markdown.comment import EntryComment
from everself.text.markdown.edit import Splice, append_log, apply_splice, remove_entry
from everself.text.markdown.entries import EntrySpan, entries
from everself.values import Edit, Entry
from everself.workspace.undo import edit_between

Reader = Callable[[str], bytes | None]
# used once for the provenance record and once for the entry row
_read_growth = lru_cache(maxsize=1)(read_growth)


class Draft:
    """Reads each document once and keeps its edited state."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._begun: set[str] = set()

    def find(self, path: str) -> bytes | None:
        if path not in self._before:
            self._before[path] = self._after[path] = self._read(path)
        return self._after[path]

    def before(self, path: str) -> bytes | None:
        """The document as it was when the draft began."""
        self.find(path)
        return self._before[path]

    def put(self, path: str, data: bytes | None) -> None:
        self.find(path)
        self._after[path] = data

    def growth(self, path: str) -> tuple[bytes, bytes, tuple[ParsedEntry, ...]] | None:
        """A log before and after, and the entries added to it; None if it did not only grow, or must be read as a whole."""
        before, after = self._before.get(path), self._after.get(path)
        if before is None or after is None or not after.startswith(before):
            return None
        reads = _read_growth(after, len(before), 0)
        return None if reads is None else (before, after, reads)

    def splice(self, path: str, make: Callable[[Scan], Splice], empty: bytes = b"") -> bytes:
        """Edit a document, which begins as `empty` if it is missing. Returns the inserted bytes."""
        found = self.find(path)
        document = scan(empty if found is None else found)
        splice = make(document)
        self.put(path, apply_splice(document.data, splice))
        return splice.data

    def append(self, path: str, make: Callable[[Scan], Splice], empty: bytes) -> bytes:
        """Append to a document. In a log without open blocks only the last section is parsed."""
        found = self.find(path)
        at = None if found is None else last_section(found)
        if found is None or at is None:
            return self.splice(path, make, empty)
        tail = scan(found[at + 1 :])
        splice = make(tail)
        self.put(path, found[: at + 1] + apply_splice(tail.data, splice))
        return splice.data

    def edit_entry(self, entry: Entry, make: Callable[[Scan, EntrySpan], Splice]) -> None:
        """Edit one entry in its document."""

        def at_entry(document: Scan) -> Splice:
            return make(document, find_span(document, entry, begun=entry.id in self._begun))

        self.splice(entry.path, at_entry)
        self._begun.add(entry.id)

    def take_out(self, entry: Entry) -> EntryComment:
        """Remove one entry from its document. Returns its comment, to be written at the destination."""
        known = EntryComment(())

        def take(document: Scan, span: EntrySpan) -> Splice:
            nonlocal known
            known = comment_of(span, entry)
            return remove_entry(document, span)

        self.edit_entry(entry, take)
        return known

    def log(
        self, path: str, now: datetime, title: str, text: str, comment: EntryComment | None = None, empty: str = ""
    ) -> None:
        """Append a record with its time to a log, which begins as `empty` if it is missing."""
        clock, words = now.strftime("%H:%M:%S"), text.encode("utf-8", "replace")
        self.splice(path, lambda document: append_log(document, clock, title, words, comment), empty.encode())

    def edits(self) -> tuple[Edit, ...]:
        found = (edit_between(path, self._before[path], after) for path, after in self._after.items())
        return tuple(edit for edit in found if edit is not None)


def find_span(document: Scan, entry: Entry, *, begun: bool = False) -> EntrySpan:
    """The location of an entry: by the id in its comment, else by its known position, else by its text.

    The text must be unchanged since it was read, unless this draft has `begun` to edit it. So no edit of a person is lost.
    """
    spans = entries(document)
    marked = [span for span in spans if span.comment is not None and span.comment.comment.id == entry.id]
    bare = [span for span in spans if span.comment is None]
    here = [span for span in bare if span.start == entry.start]
    for span in marked or [*here, *bare]:
        if (begun and marked) or text_of(document.data, span) == entry.text:
            return span
    raise ChangedMeanwhile(f"({entry.path})")


def comment_of(span: EntrySpan, entry: Entry) -> EntryComment:
    """The entry's comment, or a first one with its id and source."""
    if span.comment is not None and span.comment.comment.id == entry.id:
        return span.comment.comment
    return EntryComment((("id", entry.id), ("src", entry.source)))
