"""The catalog of entries: which exist, where each is, and what is known about it.

Kept beside the files and brought up to date by comparing stamps: only documents that changed are read again. It may be deleted; then
ids of text that Everself never touched are derived anew. Reads documents and writes rows, never a document.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from everself.clock import Clock
from everself.errors import DiskError, NotFound, UnsafePath, WrongUse
from everself.memory._entry_ids import FoundEntry, KnownEntry, name_entries, sketch
from everself.memory._row_form import believed, row_of, sources_by_text, with_days, written_on
from everself.memory._survey import GRAIN_NS, READING, Survey, Surveyor, stamp_of
from everself.memory.drafts import Draft
from everself.memory.entries import ParsedEntry, holds_memory, reach, read_document, read_growth
from everself.memory.garbage import uncollected
from everself.memory.provenance import HAND, weaker
from everself.storage.filesystem import READ_LIMIT
from everself.storage.state.entries import DocumentRow, EntryRow, EntryRows, ExpectedDocument, RowFilter, RowPlace
from everself.storage.state.provenance import ProvenanceRecords
from everself.text.markdown.copies import COPY, hide_copies
from everself.text.normalise import fold
from everself.values import Document, Entry, FileStat, ProvenanceRecord, digest
from everself.workspace.layout import is_day, is_quarter, place
from everself.workspace.protocol import Workspace

Progress = Callable[[int, int], None]

TRIES = 5
# Documents larger than this are not searched on every write: that is some thirty thousand lines, and
# seconds of reading.
HUGE = 4 * 1024 * 1024
# entries beyond which asking the rows for all is quicker than asking for each
MANY = 500
_NOTHING_HELD: Mapping[str, tuple[str, bytes]] = {}
# one write looks up the same words four times
_fold = lru_cache(maxsize=8)(fold)


PlacedEntry = tuple[RowPlace, Entry]


class PendingDocuments(NamedTuple):
    """Documents that are new, changed or gone since they were read, what there is to read of them, and how many more are huge."""

    documents: int
    bytes: int
    huge: int


class Catalog:
    """Entries by id, by document, by words."""

    def __init__(self, workspace: Workspace, rows: EntryRows, provenance: ProvenanceRecords, clock: Clock) -> None:
        self._workspace = workspace
        self._rows = rows
        self._provenance = provenance
        self.written = provenance.written
        self._clock = clock
        self._surveyor = Surveyor(workspace, rows)
        # documents that cannot be read, with the reason: their entries are left out, and nothing is taken to be gone
        self.unread: dict[str, str] = {}

    def refresh(
        self, paths: Sequence[str] | None = None, *, huge: bool = True, progress: Progress | None = None
    ) -> int:
        """Read again what changed: all documents, or the named ones. How many were read.

        Without `huge`, documents over `HUGE` are left as they were known. `progress` is told how many are read, of how many.
        """
        waiting, missing, known, _ = self._survey(paths)
        changed = [one for one in waiting if huge or one.size <= HUGE]
        whole = paths is None and len(changed) == len(waiting)
        moved = [*missing, *(one.path for one in changed if one.path not in known)]
        copies = [one for one in self._copies_of(moved) if one.path not in missing]
        known = {**self._rows.documents([one.path for one in copies]), **known}
        changed += [one for one in copies if one not in changed]
        with uncollected():
            told = _told(changed, progress)
            # the interpretation of a copy changed, though the file did not
            anew = {one.path for one in copies}
            read = "read" if not (changed or missing) else self._read_again(told, missing, known, anew, whole=whole)
        if read == "raced":
            return self.refresh(paths, huge=huge, progress=progress)
        # an entry moved here may come from a huge document, and keeps its id
        return len(changed) + len(missing) if read == "read" else self.refresh(progress=progress)

    def waiting(self) -> PendingDocuments:
        """What `refresh` would read."""
        changed, missing, known, _ = self._survey(None)
        # those that were saved a moment before they were read are looked at again, but need not be read entry by entry
        changed = [one for one in changed if one.path not in known or known[one.path].stamp != stamp_of(one)]
        sizes = [one.size for one in changed if one.size <= HUGE]
        return PendingDocuments(len(sizes) + len(missing), sum(sizes), len(changed) - len(sizes))

    def left_out(self, text: str, paths: Iterable[str], target: str) -> tuple[str, ...]:
        """Of these documents, and of those that are known to have these words, which are too large to be looked through at a write.

        Not the one that is written to, as long as it can be: writing costs as much as reading, and would write the same words again.
        """
        asked = {*paths, *(row.path for row in self._rows.by_text(self.mac(text)))}
        stats = {path: self._workspace.stat(path) for path in sorted(asked)}
        sizes = {path: 0 if one is None else one.size for path, one in stats.items()}
        return tuple(path for path, size in sizes.items() if size > (READ_LIMIT if path == target else HUGE))

    def _survey(self, paths: Sequence[str] | None) -> Survey:
        """Documents that look other than when they were read, those that are gone, and how they were known."""
        if paths is not None:
            return self._surveyor.look_at(paths)
        found = self._surveyor.look()
        self.unread = dict.fromkeys(found.odd, "It is not a regular file.")
        return found

    def all(self) -> list[Entry]:
        """Every entry, in the order of the documents. Brings the catalog up to date first."""
        self.refresh()
        with uncollected():
            return self._settled(self._rows.all_rows, lambda _: self._provenance.all())

    def stretch(self, wanted: RowFilter, below: RowPlace, rows: int) -> tuple[list[PlacedEntry], RowPlace]:
        """Entries of the next so many rows below a place that may be meant, newest first, and where these rows end.

        The catalog is not brought up to date first: whoever asks for several stretches does it once.
        """
        end = self._rows.stretch(wanted, below, rows)
        return self._placed(lambda: self._rows.between(wanted, below, end)), end

    def under(self, path: str) -> list[PlacedEntry]:
        """The entries of a document or of a folder, as they are known, newest first."""
        return self._placed(lambda: self._rows.under(path))

    def apart(self, after: tuple[str, int], limit: int) -> list[PlacedEntry]:
        """What is kept apart and still holds, behind a document and ordinal, in the order of the documents."""
        return sorted(self._placed(lambda: self._rows.apart(after, limit)), key=lambda one: one[0][1:])

    def beginning(self, name: str) -> list[Entry]:
        """The entries whose ids begin so, as they are known."""
        return self._settled(lambda: self._rows.by_prefix(name) if name.isascii() else [], self._provenance.find)

    def _placed(self, load: Callable[[], list[EntryRow]]) -> list[PlacedEntry]:
        ordinals: dict[str, int] = {}

        def noted() -> list[EntryRow]:
            rows = load()
            ordinals.update((row.id, row.ordinal) for row in rows)
            return rows

        found = self._settled(noted, self._provenance.find)
        days = (one.day.isoformat() if one.day is not None else "" for one in found)
        placed = [(RowPlace(day, one.path, ordinals[one.id]), one) for day, one in zip(days, found, strict=True)]
        return sorted(placed, reverse=True)

    def of(self, path: str) -> list[Entry]:
        """The entries of one document."""
        self.refresh([path])
        return self._settled(lambda: self._rows.rows_of([path]), self._provenance.find)

    def within(self, path: str, data: bytes) -> list[Entry]:
        """The entries of a document as they stand in these bytes of it, which somebody has read."""
        hashed = digest(data)
        for _ in range(TRIES):
            self.refresh([path])
            if (row := self._rows.documents([path]).get(path)) is not None and row.hash == hashed:
                rows = self._rows.rows_of([path])
                provenance = self._provenance.find([one.id for one in rows])
                return self._entries(rows, provenance, {path: (hashed, data)})[0]
        # the file is being saved repeatedly: its content at this moment has no provenance
        where, written = place(path), sources_by_text(self.written)
        reads = read_document(data[: reach(data)])
        found = [row_of("", path, one, self._hashes(one), "") for one in reads]
        return [believed(one, json.loads(one.span), data, where, None, written(one, where)) for one in found]

    def at(
        self, asked: Mapping[str, set[int]], held: Mapping[str, tuple[str, bytes]] = _NOTHING_HELD
    ) -> dict[tuple[str, int], Entry]:
        """Entries by document and position. A caller that has read a document passes its hash and bytes along."""
        known = self._rows.documents(sorted(asked))
        # the same bytes need not be read again
        unsure = [path for path in asked if path not in held or _hash_of(known.get(path)) != held[path][0]]
        if unsure:
            self.refresh(sorted(unsure))
        rows = self._rows.rows_at([(path, ordinal) for path, places in asked.items() for ordinal in sorted(places)])
        found, torn = self._entries(rows, self._provenance.find([row.id for row in rows]), held)
        rows = [row for row in rows if row.path not in self.unread or row.path in held]
        return {(row.path, row.ordinal): one for row, one in zip(rows, found, strict=True) if row.path not in torn}

    def find(self, identity: str) -> Entry | None:
        """The entry of that id, wherever it stands now."""
        for attempt in (False, True):
            row = self._rows.find(identity)
            if row is not None:
                self.refresh([row.path])
                found = self._settled(
                    lambda: [one] if (one := self._rows.find(identity)) else [], self._provenance.find
                )
                if found:
                    return found[0]
            if not attempt:
                # it may have been moved by hand to a document that was not read since
                self.refresh()
        return None

    def named(self, identities: Sequence[str]) -> dict[str, Entry]:
        """Entries by their ids, each document read once; an entry that moved is searched for separately."""
        asked = list(dict.fromkeys(identities))
        self.refresh(sorted({row.path for row in self._rows.named(asked)}))
        known = {one.id: one for one in self._settled(lambda: self._rows.named(asked), self._provenance.find)}
        missing = [one for one in asked if one not in known]
        return known | {one: entry for one in missing if (entry := self.find(one)) is not None}

    def find_even_gone(self, identity: str) -> Entry | None:
        """As `find`; of an entry whose text is gone, where it came from, as long as a provenance record tells."""
        found = self.find(identity)
        provenance_record = self._provenance.find([identity]).get(identity) if found is None else None
        if provenance_record is None:
            return found
        # the text may have been edited before it was removed
        same = self._rows.gone_by_text(provenance_record.text) == identity
        source = provenance_record.source if same else weaker(HAND, provenance_record.source)
        return Entry(identity, "", "", source=source, lineage=provenance_record.lineage)

    def get(self, name: str) -> Entry:
        """The entry of that id or of the only id that begins so."""
        name = name.removeprefix("entry:").upper()
        found = self.find(name) if len(name) == 12 and name.isascii() else None
        if found is not None:
            return found
        self.refresh()
        # input from the command line may be invalid text; ids are ASCII
        rows = self._rows.by_prefix(name) if name and name.isascii() else []
        if len(rows) > 1:
            raise WrongUse(
                f'"{name}" is ambiguous: {", ".join(row.id for row in rows[:10])}.', mend="Give more of the id."
            )
        if not rows:
            raise NotFound(f'entry "{name}".', mend="everself memory list")
        read, _ = self._entries(rows, self._provenance.find([rows[0].id]))
        if not read:
            raise DiskError(f"{rows[0].path} cannot be read: {self.unread[rows[0].path]}", mend="everself doctor")
        return read[0]

    def date_lines(self, days: Mapping[str, Sequence[date | None]]) -> None:
        """Date what is known as it was written: by the days of the lines of each document, else as unknown, which is never newer.

        An entry is as old as its newest line. What says itself when it was written is not concerned.
        """
        seen = {one.id: written_on(one, days.get(one.path, ())) for one in self.all()}
        self._rows.date({identity: (day, day) for identity, day in seen.items()})
        # the day it belongs to follows from that only where it does not say itself
        told = {one.id: one.day.isoformat() if one.day else "" for one in self.all()}
        self._rows.date({identity: (day, told[identity]) for identity, day in seen.items() if identity in told})

    def with_words(self, text: str, without: Collection[str] = ()) -> list[Entry]:
        """Entries that say the same, whatever their spacing, case or width; none of the documents in `without`."""
        mac = self.mac(text)

        def load() -> list[EntryRow]:
            return [row for row in self._rows.by_text(mac) if row.path not in without]

        paths = {row.path for row in load()}
        if not paths:
            return []
        self.refresh(sorted(paths))
        return self._settled(load, self._provenance.find)

    def is_buried(self, text: str, identity: str = "") -> bool:
        """Whether this text was forgotten and must not be written again automatically."""
        return self._rows.is_buried(self.mac(text), identity)

    def is_gone(self, text: str, reference: str) -> bool:
        """Whether an entry of these words, which rested on that reference, stood in memory and was taken out of it."""
        identity = self._rows.gone_by_text(self.mac(text))
        record = self._provenance.find([identity]).get(identity) if identity is not None else None
        return record is not None and reference in record.lineage

    def unbury(self, text: str) -> None:
        """Remove the tombstone: the owner wants to remember it again."""
        self._rows.unbury(self.mac(text))

    def mac(self, text: str) -> str:
        """The keyed hash that stands for a text in rows and records."""
        return self._rows.mac(digest(_fold(text).encode("utf-8", "surrogatepass")))

    def _read_again(
        self,
        changed: Iterable[FileStat],
        missing: Sequence[str],
        known: dict[str, DocumentRow],
        anew: Collection[str],
        *,
        whole: bool,
    ) -> Literal["read", "elsewhere", "raced"]:
        """Read and name. "elsewhere": something came here from a document that was not asked for, so that all must be read. "raced":
        somebody else noted one of the documents meanwhile, so that what was read here may be older than what stands there."""
        found: list[FoundEntry] = []
        documents: list[DocumentRow] = []
        # documents whose entries are unchanged
        settled: set[str] = set()
        for one in changed:
            document = self._find_readable(one.path)
            if document is None:
                continue
            before = known.get(one.path) if one.path not in anew else None
            now = int(self._clock.now().timestamp() * 1e9)
            row = DocumentRow(one.path, stamp_of(one), digest(document.data), now)
            if _hash_of(before) == row.hash:
                settled.add(one.path)
                # within the clock's granularity a document is checked repeatedly; this is not stored
                documents += [row] if one.mtime_ns + GRAIN_NS < row.read_at else []
                continue
            documents.append(row)
            data = document.data[: reach(document.data)]
            reads = self._growth(data, before) if len(data) == len(document.data) else None
            settled |= {one.path} if reads is not None else set()
            reads = read_document(data) if reads is None else reads
            reads = with_days(data, reads) if is_quarter(one.path) else reads
            found += [FoundEntry(one.path, read, *self._hashes(read)) for read in reads]
        if not (documents or missing):
            return "read"
        old = self._rows.rows_of([path for path in [*(d.path for d in documents), *missing] if path not in settled])
        if not whole and self._came_from_elsewhere(found, old):
            return "elsewhere"
        lost, taken = self._memo(len(found))
        known_entries = [KnownEntry(row.id, row.path, row.ordinal, row.text_mac, row.words) for row in old]
        names = name_entries(found, known_entries, lost, taken)
        today = self._clock.today().isoformat()
        born = {row.id: row.first_seen for row in old}
        rows = [
            row_of(name, one.path, one.read, (one.text, one.words), born.get(name, today))
            for name, one in zip(names, found, strict=True)
        ]
        gone = {row.id for row in old} - set(names)
        bases = {path: known[path].hash if path in known else None for path in (*(d.path for d in documents), *missing)}
        return "read" if self._rows.replace(documents, missing, rows, sorted(gone), today, bases) else "raced"

    def _memo(self, count: int) -> tuple[Callable[[str], str | None], Callable[[str], bool]]:
        """Which gone entry had these words, and whether an id stands somewhere; for many entries the rows are asked once."""
        if count < MANY:
            return self._rows.gone_by_text, lambda identity: self._rows.home_of(identity) is not None
        return self._rows.gone_texts().get, self._rows.ids().__contains__

    def foresee(self, path: str, data: bytes) -> list[tuple[str, ParsedEntry]]:
        """The entries that a document would have if it said this, with the ids that reading it would give them."""
        reads = read_document(data[: reach(data)])
        found = [FoundEntry(path, read, *self._hashes(read)) for read in reads]
        rows = self._rows.rows_of([path])
        known = [KnownEntry(row.id, row.path, row.ordinal, row.text_mac, row.words) for row in rows]
        return list(zip(name_entries(found, known, *self._memo(len(found))), reads, strict=True))

    def expect(self, draft: Draft, path: str) -> None:
        """What a planned change adds to a log is noted together with the change, and need not be read again afterwards."""
        grown = draft.growth(path)
        before, after, reads = grown or (b"", b"", ())
        names = {one.claim("id") for one in reads}
        # an entry without an id gets one when the document is read
        if grown is None or not holds_memory(path) or "" in names or len(names) < len(reads):
            return
        known = self._rows.documents([path]).get(path)
        if known is None or not _is_current(known):
            return
        today = self._clock.today().isoformat()
        rows = [row_of(one.claim("id"), path, one, self._hashes(one), today) for one in reads]
        # never counted as fresh: the stamp of the file on disk is not known yet
        document = DocumentRow(path, f"0 0 {len(after)} 0 0 {READING}", digest(after), 0)
        self._rows.expect(ExpectedDocument(digest(before), document, rows))

    def _hashes(self, read: ParsedEntry) -> tuple[str, bytes]:
        return self.mac(read.text), sketch(_fold(read.text))

    def _growth(self, data: bytes, before: DocumentRow | None) -> tuple[ParsedEntry, ...] | None:
        """What was added at the end of a document that is otherwise as it was; None when it must be read again."""
        if before is None or not _is_current(before):
            return None
        size = int(before.stamp.split()[2])
        if size >= len(data) or digest(data[:size]) != before.hash:
            return None
        return read_growth(data, size, self._rows.count_of(before.path))

    def _came_from_elsewhere(self, found: Sequence[FoundEntry], old: Sequence[EntryRow]) -> bool:
        """Whether an entry is new here but stood elsewhere when that was last read: moved by hand, it keeps its name."""
        ids, texts = {row.id for row in old}, {row.text_mac for row in old}
        for one in found:
            claimed = one.read.claim("id")
            if claimed in ids or (not claimed and one.text in texts):
                continue
            if self._rows.home_of(claimed) is not None if claimed else self._rows.by_text(one.text):
                return True
        return False

    def _settled(
        self, load: Callable[[], Sequence[EntryRow]], vouch: Callable[[Sequence[str]], dict[str, ProvenanceRecord]]
    ) -> list[Entry]:
        """Rows with their text. Retried where a person saved between reading the rows and the document."""
        for _ in range(TRIES):
            rows = load()
            found, torn = self._entries(rows, vouch([row.id for row in rows]))
            if not torn:
                break
            self.refresh(torn)
        return found

    def _entries(
        self,
        rows: Sequence[EntryRow],
        provenance: dict[str, ProvenanceRecord],
        held: Mapping[str, tuple[str, bytes]] = _NOTHING_HELD,
    ) -> tuple[list[Entry], list[str]]:
        """What the rows say, and the documents that are not any more as they were when these were made."""
        # one call of the decoder for all rows: a hundred thousand calls would cost half a second
        spans = json.loads(f"[{','.join(row.span for row in rows)}]")
        hashes = {one.path: one.hash for one in self._rows.documents(sorted({row.path for row in rows})).values()}
        found: list[Entry] = []
        torn: list[str] = []
        path, data, where, written = "", b"", place(""), sources_by_text(self.written)
        for row, span in zip(rows, spans, strict=True):
            if row.path != path:
                path, where = row.path, place(row.path)
                hashed, data = held[path] if path in held else self._read(path)
                torn += [path] if hashed != hashes.get(path) and path not in self.unread else []
            if path in self.unread and path not in held:
                continue
            record = provenance.get(row.id)
            vouched = record is not None and record.text == row.text_mac
            found.append(believed(row, span, data, where, record, () if vouched else written(row, where)))
        return found, torn

    def _find_readable(self, path: str) -> Document | None:
        """A document; none where it cannot be read, which is noted. One bad file must not hide all others."""
        try:
            found = self._find(path)
        except (DiskError, UnsafePath) as error:
            self.unread[path] = str(error)
            return None
        self.unread.pop(path, None)
        return found

    def _find(self, path: str) -> Document | None:
        """A document without what it only copies from another that is still there."""
        found = self._workspace.find(path)
        if found is None or not is_quarter(path) or COPY not in found.data:
            return found
        return replace(found, data=hide_copies(found.data, self._has_day))

    def _has_day(self, path: str) -> bool:
        stat = self._workspace.stat(path) if is_day(path) else None
        return stat is not None and stat.kind == "file"

    def _copies_of(self, days: Sequence[str]) -> list[FileStat]:
        """Archives that hold a copy of days that came or went."""
        marks = [day.encode("utf-8", "replace") for day in days if is_day(day)]
        found: list[FileStat] = []
        for path in filter(is_quarter, self._rows.documents(None)) if marks else ():
            stat = self._workspace.stat(path)
            document = self._workspace.find(path) if stat is not None and stat.kind == "file" else None
            if stat is not None and document is not None and COPY in document.data:
                found += [stat] if any(mark in document.data for mark in marks) else []
        return found

    def _read(self, path: str) -> tuple[str, bytes]:
        document = self._find_readable(path)
        data = b"" if document is None else document.data
        return digest(data), data


def _told(changed: Sequence[FileStat], progress: Progress | None) -> Iterator[FileStat]:
    """The documents one by one, with progress reports."""
    for number, one in enumerate(changed):
        if progress is not None:
            progress(number, len(changed))
        yield one
    if progress is not None and changed:
        progress(len(changed), len(changed))


def _is_current(row: DocumentRow) -> bool:
    return row.stamp.split()[5:] == [str(READING)]


def _hash_of(row: DocumentRow | None) -> str | None:
    """The hash of the bytes that the noted entries were read from, by a reader of this version."""
    return row.hash if row is not None and _is_current(row) else None
