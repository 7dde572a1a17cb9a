"""The effect of an undo on entries: which provenance records return, and whether all other entries stay unchanged. Pure.

Lines are merged without regard to meaning, so returning text may land inside an entry that was written since. Does not know how lines are
merged.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import quote, unquote

from everself.memory.entries import holds_memory, read_document, text_hash
from everself.values import Entry, FileChange, ProvenanceRecord

_MARK = "was:"
_Told = Counter[tuple[str, str]]


def trace(entry: Entry) -> str:
    """The old source of a replaced provenance record, as a reference for the evidence of the change. It contains no text."""
    return _MARK + ",".join(quote(part, safe=":") for part in (entry.id, entry.source, entry.tag.value, *entry.lineage))


def provenance_before(evidence: Iterable[str], files: Iterable[FileChange]) -> tuple[ProvenanceRecord, ...]:
    """The provenance records to restore on undo, for the text as it will be."""
    traces = [found for one in evidence if (found := _parse(one)) is not None]
    if not traces:
        return ()
    texts = {read.claim("id"): read.text for file in files for read in read_document(file.after or b"")}
    return tuple(_provenance(traces, texts.get))


def _provenance(traces: list[tuple[str, ...]], find: Callable[[str], str | None]) -> Iterator[ProvenanceRecord]:
    for identity, source, tag, *lineage in traces:
        text = find(identity)
        # removed text needs no provenance record, but an old record must not stay valid
        yield ProvenanceRecord(identity, source, tag, "" if text is None else text_hash(text), tuple(lineage))


def _parse(reference: str) -> tuple[str, ...] | None:
    parts = tuple(unquote(part) for part in reference.removeprefix(_MARK).split(","))
    return parts if reference.startswith(_MARK) and len(parts) >= 3 else None


def is_torn(done: FileChange | None, undoing: FileChange) -> bool:
    """Whether undoing would do more than remove what the change added and restore what it removed."""
    if done is None or not holds_memory(done.path):
        return False
    brought, took = _told(done.after) - _told(done.before), _told(done.before) - _told(done.after)
    stood, stands = _told(undoing.before), _told(undoing.after)
    # if the text was changed since, both versions may stay
    loose = {identity for identity, text in brought if identity and (identity, text) not in stood}
    return _without(stood - brought + took, loose) != _without(stands, loose)


def surplus(done: Sequence[FileChange], undoing: Sequence[FileChange]) -> frozenset[str]:
    """Hashes of texts that would occur more often after the undo than before the change, because they were moved again since."""
    lost = _texts(one.before for one in done) - _texts(one.after for one in done)
    gained = _texts(one.after for one in undoing) - _texts(one.before for one in undoing)
    return frozenset(gained - lost)


def says(data: bytes, texts: frozenset[str]) -> bool:
    """Whether a document has an entry with one of these texts."""
    return any(text_hash(read.text) in texts for read in read_document(data))


def _texts(documents: Iterable[bytes | None]) -> Counter[str]:
    return Counter(text_hash(read.text) for data in documents for read in read_document(data or b""))


def _told(data: bytes | None) -> _Told:
    return Counter((read.claim("id"), text_hash(read.text)) for read in read_document(data or b""))


def _without(told: _Told, loose: set[str]) -> _Told:
    return Counter({one: count for one, count in told.items() if one[0] not in loose})
