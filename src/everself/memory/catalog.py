"""The catalog of entries: which exist, where each is, and what is known about it.

Stored beside the files and updated by comparing stamps: only changed documents are read again. It may be deleted; ids of text that
Everself never wrote are then derived again. Reads documents; writes rows only.
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
from everself.memory._survey import GRAIN_NS, READING, Survey, Surveyor, hash_of, is_current, stamp_of
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
# Larger documents, of more than thirty thousand lines or so, are not searched on every write: reading them takes seconds.
HUGE = 4 * 1024 * 1024
# for more entries, one query for all rows is faster than one for each
MANY = 500
_NOTHING_HELD: Mapping[str, tuple[str, bytes]] = {}
# one write folds the same text four times
_fold = lru_cache(maxsize=8)(fold)


PlacedEntry = tuple[RowPlace, Entry]


class PendingDocuments(NamedTuple):
    """The number and size of documents that are new, changed or gone since they were read, and the number of huge ones."""

    documents: int
    bytes: int
    huge: int


class Catalog:
    """The entries of an agent: finds them by id, document or text."""

    def __init__(self, workspace: Workspace, rows: EntryRows, provenance: ProvenanceRecords, clock: Clock) -> None:
        self._workspace = workspace
        self._rows = rows
        self._provenance = provenance
        self.written = provenance.written
        self._clock = clock
        self._surveyor = Surveyor(workspace, rows)
        # documents that cannot be read, with the reason: their entries are skipped, but not treated as gone
        self.unread: dict[str, str] = {}

    def refresh(
        self, paths: Sequence[str] | None = None, *, huge: bool = True, progress: Progress | None = None
    ) -> int:
        """Read changed documents: all, or the named ones. Returns the number of documents read.

        Without `huge`, documents over `HUGE` are not read again. `progress` receives the number read and the total.
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
            # a copy is interpreted differently now, though its file did not change
            anew = {one.path for one in copies}
            read = "read" if not (changed or missing) else self._read_again(told, missing, known, anew, whole=whole)
        if read == "raced":
            return self.refresh(paths, huge=huge, progress=progress)
        # an entry moved here may come from a huge document, and keeps its id
        return len(changed) + len(missing) if read == "read" else self.refresh(progress=progress)

    def refresh_shown(self, paths: Sequence[str] = ()) -> None:
        """Like `refresh`, for a view of few entries: all changed documents if any came, went or was replaced, else the named ones.

        An edit within another document waits for `refresh`. It can concern the view only if it adds an entry to it by a comment.
        """
        self.refresh(paths if self._surveyor.needs_only(paths) else None)

    def refresh_person(self, person: str) -> None:
        """`refresh_shown` for what is known about a person: documents of their folder. Others are read when an entry of them is shown."""
        self.refresh_shown([path for path in self._rows.documents_of_people() if place(path).person == person])

    def waiting(self) -> PendingDocuments:
        """The work that `refresh` would do."""
        changed, missing, known, _ = self._survey(None)
        # documents saved just before they were read are checked again, but not parsed again
        changed = [one for one in changed if one.path not in known or known[one.path].stamp != stamp_of(one)]
        sizes = [one.size for one in changed if one.size <= HUGE]
        return PendingDocuments(len(sizes) + len(missing), sum(sizes), len(changed) - len(sizes))

    def left_out(self, text: str, paths: Iterable[str], target: str) -> tuple[str, ...]:
        """The documents, of these and of those known to contain the text, that are too large to search on a write.

        The target is included only if it is too large to write: writing costs as much as reading.
        """
        asked = {*paths, *(row.path for row in self._rows.by_text(self.mac(text)))}
        stats = {path: self._workspace.stat(path) for path in sorted(asked)}
        sizes = {path: 0 if one is None else one.size for path, one in stats.items()}
        return tuple(path for path, size in sizes.items() if size > (READ_LIMIT if path == target else HUGE))

    def _survey(self, paths: Sequence[str] | None) -> Survey:
        if paths is not None:
            return self._surveyor.look_at(paths)
        found = self._surveyor.look()
        self.unread = dict.fromkeys(found.odd, "It is not a regular file.")
        return found

    def all(self) -> list[Entry]:
        """Every entry, in the order of the documents. Refreshes the catalog first."""
        self.refresh()
        with uncollected():
            return self._settled(self._rows.all_rows, lambda _: self._provenance.all())

    def stretch(self, wanted: RowFilter, below: RowPlace, rows: int) -> tuple[list[PlacedEntry], RowPlace]:
        """The entries of the next `rows` rows below a place that may match, newest first, and the place where these rows end.

        Does not refresh the catalog: call `refresh` once before reading several stretches.
        """
        end = self._rows.stretch(wanted, below, rows)
        return self._placed(lambda: self._rows.between(wanted, below, end)), end

    def under(self, path: str) -> list[PlacedEntry]:
        """The known entries of a document or folder, newest first."""
        return self._placed(lambda: self._rows.under(path))

    def apart(self, after: tuple[str, int], limit: int) -> list[PlacedEntry]:
        """The open entries in quarantine after the given document and ordinal, in document order."""
        return sorted(self._placed(lambda: self._rows.apart(after, limit)), key=lambda one: one[0][1:])

    def beginning(self, name: str) -> list[Entry]:
        """The known entries whose ids begin with `name`."""
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
        """The entries of a document with exactly these bytes."""
        hashed = digest(data)
        for _ in range(TRIES):
            self.refresh([path])
            if (row := self._rows.documents([path]).get(path)) is not None and row.hash == hashed:
                rows = self._rows.rows_of([path])
                provenance = self._provenance.find([one.id for one in rows])
                return self._entries(rows, provenance, {path: (hashed, data)})[0]
        # the file is being saved repeatedly: this content has no provenance
        where, written = place(path), sources_by_text(self.written)
        reads = read_document(data[: reach(data)])
        found = [row_of("", path, one, self._hashes(one), "") for one in reads]
        return [believed(one, json.loads(one.span), data, where, None, written(one, where)) for one in found]

    def at(
        self, asked: Mapping[str, set[int]], held: Mapping[str, tuple[str, bytes]] = _NOTHING_HELD
    ) -> dict[tuple[str, int], Entry]:
        """Entries by document and position. `held` contains the hash and bytes of documents that the caller has read."""
        wanted = [(path, ordinal) for path, places in asked.items() for ordinal in sorted(places)]
        rows = self._rows.rows_at(wanted)
        # read after the rows, so that rows of a document that was written meanwhile are noticed
        known = self._rows.documents(sorted(asked))
        # unchanged bytes need not be read again
        unsure = [path for path in asked if path not in held or hash_of(known.get(path)) != held[path][0]]
        if unsure:
            self.refresh(sorted(unsure))
            rows, known = self._rows.rows_at(wanted), self._rows.documents(sorted(asked))
        found, torn = self._entries(rows, self._provenance.find([row.id for row in rows]), held, known)
        rows = [row for row in rows if row.path not in self.unread or row.path in held]
        return {(row.path, row.ordinal): one for row, one in zip(rows, found, strict=True) if row.path not in torn}

    def find(self, identity: str) -> Entry | None:
        """The entry with that id, wherever it is now."""
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
        """Entries by id, each document read once; entries that moved are searched for one by one."""
        asked = list(dict.fromkeys(identities))
        self.refresh(sorted({row.path for row in self._rows.named(asked)}))
        known = {one.id: one for one in self.known(asked)}
        missing = [one for one in asked if one not in known]
        return known | {one: entry for one in missing if (entry := self.find(one)) is not None}

    def known(self, identities: Sequence[str]) -> list[Entry]:
        """The known entries with these ids, in document order; those that are gone are left out. Does not refresh the catalog."""
        return self._settled(lambda: self._rows.named(identities), self._provenance.find) if identities else []

    def find_even_gone(self, identity: str) -> Entry | None:
        """Like `find`; for an entry whose text is gone, its source and lineage from the provenance record."""
        found = self.find(identity)
        provenance_record = self._provenance.find([identity]).get(identity) if found is None else None
        if provenance_record is None:
            return found
        # the text may have been edited before it was removed
        same = self._rows.gone_by_text(provenance_record.text) == identity
        source = provenance_record.source if same else weaker(HAND, provenance_record.source)
        return Entry(identity, "", "", source=source, lineage=provenance_record.lineage)

    def get(self, name: str) -> Entry:
        """The entry with that id, or with the only id that begins so."""
        name = name.removeprefix("entry:").upper()
        found = self.find(name) if len(name) == 12 and name.isascii() else None
        if found is not None:
            return found
        self.refresh()
        # command-line input may be invalid text; ids are ASCII
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
        """Date all entries by when their lines were written. Entries without a known day become undated, which never counts as newer.

        An entry is as old as its newest line. Entries with a date in their comment keep it.
        """
        seen = {one.id: written_on(one, days.get(one.path, ())) for one in self.all()}
        self._rows.date({identity: (day, day) for identity, day in seen.items()})
        # the day follows from the lines only if the entry does not state it
        told = {one.id: one.day.isoformat() if one.day else "" for one in self.all()}
        self._rows.date({identity: (day, told[identity]) for identity, day in seen.items() if identity in told})

    def with_words(self, text: str, without: Collection[str] = ()) -> list[Entry]:
        """Entries with the same text, ignoring spacing, case and width; documents in `without` are skipped."""
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
        """Whether an entry with this text and this reference as evidence existed and was removed."""
        identity = self._rows.gone_by_text(self.mac(text))
        record = self._provenance.find([identity]).get(identity) if identity is not None else None
        return record is not None and reference in record.lineage

    def unbury(self, text: str) -> None:
        """Remove the tombstone of a text that the owner wants to remember again."""
        self._rows.unbury(self.mac(text))

    def mac(self, text: str) -> str:
        """The keyed hash of a text, as rows and records store it."""
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
        """Read documents and name their entries. "elsewhere": an entry came from a document that was not asked for, so all must be read.
        "raced": another process noted one of the documents meanwhile, so this reading may be outdated."""
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
            if hash_of(before) == row.hash:
                settled.add(one.path)
                # within the clock's granularity a document is checked repeatedly, which is not stored
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
        """Functions that find a gone entry by text, and whether an id is taken; for many entries they use one query."""
        if count < MANY:
            return self._rows.gone_by_text, lambda identity: self._rows.home_of(identity) is not None
        return self._rows.gone_texts().get, self._rows.ids().__contains__

    def foresee(self, path: str, data: bytes) -> list[tuple[str, ParsedEntry]]:
        """The entries that a document with these bytes would have, with the ids that reading would assign."""
        reads = read_document(data[: reach(data)])
        found = [FoundEntry(path, read, *self._hashes(read)) for read in reads]
        rows = self._rows.rows_of([path])
        known = [KnownEntry(row.id, row.path, row.ordinal, row.text_mac, row.words) for row in rows]
        return list(zip(name_entries(found, known, *self._memo(len(found))), reads, strict=True))

    def expect(self, draft: Draft, path: str) -> None:
        """Note the growth of a log together with the planned change, so that it need not be read afterwards."""
        grown = draft.growth(path)
        before, after, reads = grown or (b"", b"", ())
        names = {one.claim("id") for one in reads}
        # an entry without an id gets one when the document is read
        if grown is None or not holds_memory(path) or "" in names or len(names) < len(reads):
            return
        known = self._rows.documents([path]).get(path)
        if known is None or not is_current(known):
            return
        today = self._clock.today().isoformat()
        rows = [row_of(one.claim("id"), path, one, self._hashes(one), today) for one in reads]
        # never counts as fresh: the stamp of the file on disk is not known yet
        document = DocumentRow(path, f"0 0 {len(after)} 0 0 {READING}", digest(after), 0)
        self._rows.expect(ExpectedDocument(digest(before), document, rows))

    def _hashes(self, read: ParsedEntry) -> tuple[str, bytes]:
        return self.mac(read.text), sketch(_fold(read.text))

    def _growth(self, data: bytes, before: DocumentRow | None) -> tuple[ParsedEntry, ...] | None:
        """The entries added at the end of an otherwise unchanged document; None if it must be read again."""
        if before is None or not is_current(before):
            return None
        size = int(before.stamp.split()[2])
        if size >= len(data) or digest(data[:size]) != before.hash:
            return None
        return read_growth(data, size, self._rows.count_of(before.path))

    def _came_from_elsewhere(self, found: Sequence[FoundEntry], old: Sequence[EntryRow]) -> bool:
        """Whether a new entry was in another document when that was last read: moved by hand, it keeps its id."""
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
        """Rows with their text. Retried if a document was saved between reading the rows and the document."""
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
        known: Mapping[str, DocumentRow] | None = None,
    ) -> tuple[list[Entry], list[str]]:
        """The entries of the rows, and the documents that changed since the rows were made. `known` are the rows of the documents, if they
        were read after the rows."""
        # one call of the decoder for all rows: a hundred thousand calls would take half a second
        spans = json.loads(f"[{','.join(row.span for row in rows)}]")
        known = self._rows.documents(sorted({row.path for row in rows})) if known is None else known
        hashes = {one.path: one.hash for one in known.values()}
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
        """A document, or None if it cannot be read; the error is noted, so that one bad file does not hide the others."""
        try:
            found = self._find(path)
        except (DiskError, UnsafePath) as error:
            self.unread[path] = str(error)
            return None
        self.unread.pop(path, None)
        return found

    def _find(self, path: str) -> Document | None:
        """A document without copies of days whose originals still exist."""
        found = self._workspace.find(path)
        if found is None or not is_quarter(path) or COPY not in found.data:
            return found
        return replace(found, data=hide_copies(found.data, self._has_day))

    def _has_day(self, path: str) -> bool:
        stat = self._workspace.stat(path) if is_day(path) else None
        return stat is not None and stat.kind == "file"

    def _copies_of(self, days: Sequence[str]) -> list[FileStat]:
        """Archives that contain a copy of a day that appeared or disappeared."""
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
    """Yield the documents and report progress."""
    for number, one in enumerate(changed):
        if progress is not None:
            progress(number, len(changed))
        yield one
    if progress is not None and changed:
        progress(len(changed), len(changed))
