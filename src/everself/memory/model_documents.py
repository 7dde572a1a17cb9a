"""Documents that a model writes as files, byte for byte: which parts are its own, and what an edit means for entries.

Such files contain no comments of ours, so sources are recorded beside them: each entry has a provenance record, and each line its source.
Text that is not known to be a model's belongs to someone else and is protected. Plans only; writes no document.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce
from typing import Final, Literal

from everself.frozen import Frozen
from everself.memory.drafts import Draft, comment_of
from everself.memory.entries import ParsedEntry, holds_memory, reach, read_document, text_hash
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, kept, lowered, provenance_of, rank, weaker
from everself.storage.state.provenance import FileOrigins
from everself.text.markdown.blocks import Scan
from everself.text.markdown.comment import EntryComment, marks_in, with_fields
from everself.text.markdown.edit import Splice, set_comment
from everself.text.markdown.entries import EntrySpan
from everself.values import Entry, Origin, ProvenanceRecord
from everself.workspace.merge import common_ends, differences

# the comparison is quadratic, so more changed lines are not compared one by one
_COMPARED: Final = 4_000
_TITLE: Final = "deleted"
_MESSAGES: Final = 8


class Objection(Frozen):
    """The reason why a model may not make an edit. `line` is the first affected line.

    `mark`: it would write a comment that only Everself writes. `entry`: it would change an entry of someone else; `words` is the new text
    if it only rephrases one entry. `line`: it would change a line of someone else that is not an entry.
    """

    why: Literal["mark", "entry", "line"]
    line: int
    entry: str = ""
    words: str = ""


class EditMeaning(Frozen):
    """What an edit adds and removes. `source` is the source of the new text; `added` are its new entries, `vanished` the removed ones."""

    source: str
    records: tuple[ProvenanceRecord, ...] = ()
    lines: frozenset[bytes] = frozenset()
    added: tuple[str, ...] = ()
    vanished: tuple[Entry, ...] = ()


class ModelDocuments:
    def __init__(self, memory: Memory, files: FileOrigins) -> None:
        self._memory = memory
        self._files = files

    def is_begun(self, path: str) -> bool:
        """Whether a model created this document. It may not change others."""
        return bool(self._files.of_path(path))

    def objection(self, path: str, before: bytes, after: bytes) -> Objection | None:
        """The reason why a model may not change `before` to `after`; None if it may."""
        strange = marks_in(after) - marks_in(before)
        if strange:
            return Objection("mark", _line_of(after, next(iter(strange))))
        changed = changed_lines(before, after)
        entries = self._entries(path, before)
        reads = read_document(after[: reach(after)]) if holds_memory(path) else ()
        if (found := self._foreign_entry(entries, reads, changed)) is not None:
            return found
        own = {line for _, read in entries for line in range(read.first_line - 1, read.last_line)}
        every = before.split(b"\n")
        rest = [line for line in sorted(changed - own) if every[line].strip()]
        known = self._files.of_lines(path, [every[line] for line in rest])
        foreign = next((line for line in rest if every[line] not in known), None)
        return Objection("line", foreign + 1) if foreign is not None else None

    def meaning(self, path: str, before: bytes, after: bytes, origin: Origin) -> EditMeaning:
        """The meaning of an allowed edit. `origin` is the origin of the model's text."""
        entries = [entry for entry, _ in self._entries(path, before)]
        named = self._memory.catalog.foresee(path, after) if holds_memory(path) else []
        known = {entry.id: entry for entry in entries}
        names = {name for name, _ in named}
        same = {name for name, read in named if name in known and _says_same(known[name].text, read.text)}
        old, new = before.split(b"\n"), after.split(b"\n")
        # edited text is trusted no more than before: words of a page do not become the agent's through a comma
        touched = self._files.of_lines(path, [old[line] for line in changed_lines(before, after)])
        bears = [self._memory.trust(entry) for entry in entries if entry.id not in same]
        source = reduce(weaker, (*bears, *(one for many in touched.values() for one in many)), origin.source)
        added = [(name, read) for name, read in named if name not in same]
        return EditMeaning(
            source,
            tuple(_record(name, read, known.get(name), origin, source) for name, read in added),
            frozenset(line for line in Counter(new) - Counter(old) if line.strip()),
            tuple(read.text for _, read in added),
            tuple(entry for entry in entries if entry.id not in names),
        )

    def note(self, path: str, after: bytes, meaning: EditMeaning) -> None:
        """Record the sources before the text is written: after a crash it is trusted less, never more."""
        texts = {self._memory.catalog.mac(text): meaning.source for text in meaning.added}
        self._files.note_written(path, dict.fromkeys(meaning.lines, meaning.source), texts)
        self._files.note(path, after, meaning.source)

    def carry(self, path: str, to: str, data: bytes) -> str:
        """Record the sources of lines under a document's new name. Returns the least trusted one."""
        lines = self._files.of_lines(path, data.split(b"\n"))
        sources = {line: reduce(weaker, many) for line, many in lines.items()}
        least = reduce(weaker, sources.values(), self._files.of_path(path))
        self._files.note_written(to, sources, {})
        self._files.note(to, data, least)
        return least

    def _foreign_entry(
        self, entries: Sequence[tuple[Entry, ParsedEntry]], reads: Sequence[ParsedEntry], changed: frozenset[int]
    ) -> Objection | None:
        """The first entry of someone else that the edit would change, also by a heading above, a fence around or a line through it."""
        stand = Counter(map(_shape, reads))
        lost: list[tuple[Entry, ParsedEntry]] = []
        for entry, read in entries:
            if self._is_own(entry):
                continue
            shape = _shape(read)
            if not stand[shape] or not changed.isdisjoint(range(read.first_line - 1, read.last_line)):
                lost.append((entry, read))
            else:
                stand[shape] -= 1
        if not lost:
            return None
        entry, read = lost[0]
        one = len(lost) == 1 and len(reads) == len(entries)
        words = reads[read.ordinal].text if one and not _says_same(reads[read.ordinal].text, entry.text) else ""
        return Objection("entry", read.first_line, entry.id, words)

    def _is_own(self, entry: Entry) -> bool:
        """Whether a model wrote this entry as a file and it is unchanged. Entries that the owner adopted do not count."""
        if not entry.vouched or rank(entry.source) > rank(AGENT):
            return False
        self._files.refresh()
        return bool(self._files.of_text(self._memory.catalog.mac(entry.text)))

    def _entries(self, path: str, data: bytes) -> list[tuple[Entry, ParsedEntry]]:
        if not data or not holds_memory(path):
            return []
        return list(zip(self._memory.catalog.within(path, data), read_document(data[: reach(data)]), strict=True))


def changed_lines(before: bytes, after: bytes) -> frozenset[int]:
    """The numbers of the lines of `before`, from 0, that are changed."""
    old, new = before.split(b"\n"), after.split(b"\n")
    head, tail = common_ends(old, new)
    if max(len(old), len(new)) - head - tail > _COMPARED:
        return frozenset(range(head, len(old) - tail))
    return frozenset(line for _, start, end, _, _ in differences(old, new) for line in range(start, end))


def set_aside(draft: Draft, entries: Iterable[Entry], path: str, now: datetime) -> tuple[ProvenanceRecord, ...]:
    """Move removed entries, closed, to a log of deleted entries."""
    moved = list(entries)
    day = now.date().isoformat()
    for entry in moved:
        words = entry.text.replace("<!--", "&lt;!--")
        draft.log(path, now, _TITLE, words, _closed(entry, day), f"# Deleted: {day}\n")
    found = {read.claim("id"): read.text for read in read_document(draft.find(path) or b"")}
    return tuple(
        provenance_of(kept(one), one.id, one.tag.value, text_hash(found.get(one.id, one.text))) for one in moved
    )


def close_all(draft: Draft, entries: Iterable[Entry], path: str, now: datetime) -> None:
    """Close the entries of a document that was moved to `path`."""
    until = now.date().isoformat()
    for entry in entries:
        if entry.closed:
            continue

        def close(document: Scan, span: EntrySpan, entry: Entry = entry) -> Splice:
            return set_comment(document, span, with_fields(comment_of(span, entry), until=until))

        draft.edit_entry(entry._replace(path=path), close)


def _closed(entry: Entry, day: str) -> EntryComment:
    until = entry.until.isoformat() if entry.until is not None else day
    fields = (
        ("id", entry.id),
        ("tag", entry.tag.value),
        ("src", entry.source),
        ("until", until),
        ("by", entry.closed_by),
    )
    return EntryComment(tuple((key, value) for key, value in fields if value))


def _record(name: str, read: ParsedEntry, before: Entry | None, origin: Origin, source: str) -> ProvenanceRecord:
    lineage = tuple(dict.fromkeys((*(before.lineage if before is not None else ()), *origin.lineage)))
    # keep only the latest messages as evidence of a document that is edited for months
    messages = [one for one in lineage if one.startswith("msg:")][:-_MESSAGES]
    lineage = tuple(one for one in lineage if one not in messages)
    tag = before.tag.value if before is not None else ""
    return provenance_of(lowered(origin, source, lineage), name, tag, text_hash(read.text))


def _shape(read: ParsedEntry) -> tuple[object, ...]:
    """All fields of an entry except its position."""
    return read.text, read.claims, read.kind, read.heading, read.category, read.time, read.struck


def _says_same(one: str, other: str) -> bool:
    return one == other or text_hash(one) == text_hash(other)


def _line_of(data: bytes, part: bytes) -> int:
    return data.count(b"\n", 0, data.find(part)) + 1
