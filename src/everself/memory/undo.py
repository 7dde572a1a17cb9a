"""What undoing a change means for entries: the provenance records that it brings back, and whether every other entry stays unchanged. Pure.

Lines are merged without knowing what they mean: what comes back may land inside of an entry that somebody wrote since. Does not
know how lines are merged, nor who asks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import quote, unquote

from everself.memory.entries import holds_memory, read_document, text_hash
from everself.values import Entry, FileChange, ProvenanceRecord

_MARK = "was:"
_Told = Counter[tuple[str, str]]


def trace(entry: Entry) -> str:
    """What a change that replaces a provenance record notes in its evidence: the old source. It contains no text."""
    return _MARK + ",".join(quote(part, safe=":") for part in (entry.id, entry.source, entry.tag.value, *entry.lineage))


def provenance_before(evidence: Iterable[str], files: Iterable[FileChange]) -> tuple[ProvenanceRecord, ...]:
    """The provenance records that undoing brings back, for the words as they will stand then."""
    traces = [found for one in evidence if (found := _parse(one)) is not None]
    if not traces:
        return ()
    texts = {read.claim("id"): read.text for file in files for read in read_document(file.after or b"")}
    return tuple(_provenance(traces, texts.get))


def _provenance(traces: list[tuple[str, ...]], find: Callable[[str], str | None]) -> Iterator[ProvenanceRecord]:
    for identity, source, tag, *lineage in traces:
        text = find(identity)
        # text that is gone needs no provenance record, but an old record must not stay valid
        yield ProvenanceRecord(identity, source, tag, "" if text is None else text_hash(text), tuple(lineage))


def _parse(reference: str) -> tuple[str, ...] | None:
    parts = tuple(unquote(part) for part in reference.removeprefix(_MARK).split(","))
    return parts if reference.startswith(_MARK) and len(parts) >= 3 else None


def is_torn(done: FileChange | None, undoing: FileChange) -> bool:
    """Whether undoing would do more than take away what the change brought and bring what it took."""
    if done is None or not holds_memory(done.path):
        return False
    brought, took = _told(done.after) - _told(done.before), _told(done.before) - _told(done.after)
    stood, stands = _told(undoing.before), _told(undoing.after)
    # of text that was changed since, both changes may stay
    loose = {identity for identity, text in brought if identity and (identity, text) not in stood}
    return _without(stood - brought + took, loose) != _without(stands, loose)


def surplus(done: Sequence[FileChange], undoing: Sequence[FileChange]) -> frozenset[str]:
    """Texts of which undoing would leave more than there were before the change, as hashes: what it moved was moved on since."""
    lost = _texts(one.before for one in done) - _texts(one.after for one in done)
    gained = _texts(one.after for one in undoing) - _texts(one.before for one in undoing)
    return frozenset(gained - lost)


def says(data: bytes, texts: frozenset[str]) -> bool:
    """Whether a document has an entry of these texts."""
    return any(text_hash(read.text) in texts for read in read_document(data))


def _texts(documents: Iterable[bytes | None]) -> Counter[str]:
    return Counter(text_hash(read.text) for data in documents for read in read_document(data or b""))


def _told(data: bytes | None) -> _Told:
    return Counter((read.claim("id"), text_hash(read.text)) for read in read_document(data or b""))


def _without(told: _Told, loose: set[str]) -> _Told:
    return Counter({one: count for one, count in told.items() if one[0] not in loose})
