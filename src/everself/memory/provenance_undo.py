"""Undoing a change brings back the provenance records that it replaced: what the change noted about them, and the records again. Pure."""

from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, unquote

from everself.memory.entries import read_document, text_hash
from everself.values import Entry, FileChange, ProvenanceRecord

_MARK = "was:"


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
