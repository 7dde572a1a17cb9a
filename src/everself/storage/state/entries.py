"""Rows of entries and of the documents they were read from, and tombstones. Independent of Markdown: a span is opaque text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from everself.storage.engine import Engine, Row, Value, Writer
from everself.storage.state._queries import load_queries
from everself.storage.state.ledger import FileHashes
from everself.storage.state.provenance import mac_of

_SQL = load_queries("entry_rows")


class DocumentRow(NamedTuple):
    """A document in the state in which its entries were read."""

    path: str
    stamp: str
    hash: str
    read_at: int


class Facets(NamedTuple):
    """The columns that lists sort and filter by. `source` is the one to believe if there is no provenance record; `who`
    and `project` are slugs; `aside` is 1 for a raw line of a conversation, 2 in quarantine.
    """

    day: str = ""
    tier: str = ""
    source: str = ""
    who: str = ""
    project: str = ""
    closed: bool = False
    aside: Literal[0, 1, 2] = 0


class RowPlace(NamedTuple):
    """A position in the order of lists: by day, then document, then ordinal."""

    day: str
    path: str
    ordinal: int


# after every entry, because no day begins with a letter
NEWEST = RowPlace("~", "", 0)
OLDEST = RowPlace("", "", -1)


class RowFilter(NamedTuple):
    """Which rows are wanted; an empty field matches all. `closed`: only closed entries, or with False only open ones. `who` is a slug,
    `speaker` the same person's name."""

    since: str = ""
    tier: str = ""
    source: str = ""
    who: str = ""
    speaker: str = ""
    project: str = ""
    project_folder: str = ""
    closed: bool | None = None
    aside: bool = False
    unvouched: bool = False


class DayCount(NamedTuple):
    """The number of entries of one tier and source on a day."""

    day: str
    tier: str
    source: str
    entries: int


class EntryRow(NamedTuple):
    """One entry of a document. `span`: the parsed entry as text. Rows that are read have no facets."""

    id: str
    path: str
    ordinal: int
    span: str
    text_mac: str
    words: bytes
    first_seen: str
    facets: Facets = Facets()


class ExpectedDocument(NamedTuple):
    """The state that a document with the hash `base` is about to reach, and the entries appended to it, with ordinals from 0."""

    base: str
    document: DocumentRow
    rows: Sequence[EntryRow]


class EntryRows:
    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key
        self._expected: ExpectedDocument | None = None
        self._holding: tuple[tuple[int, ...], list[str], list[str]] | None = None

    def mac(self, text_hash: str) -> str:
        """The keyed hash that rows store for a text's plain hash."""
        return mac_of(self._key, text_hash)

    def documents(self, paths: Sequence[str] | None = None) -> dict[str, DocumentRow]:
        """The rows of all documents, or of the given ones, by path."""
        if paths is None:
            found = self._engine.read(_SQL["documents"])
        else:
            found = self._engine.read(_SQL["documents_of"], (json.dumps(list(paths)),))
        return {str(row[0]): DocumentRow(*row) for row in found}

    def documents_mark(self) -> tuple[int, ...]:
        """A value that changes whenever any process writes or removes a row of a document."""
        count, newest, mixed = self._engine.read(_SQL["documents_mark"])[0]
        return int(count), int(newest), int(mixed)

    def all_rows(self) -> list[EntryRow]:
        return [EntryRow(*row) for row in self._engine.read(_SQL["all_rows"])]

    def rows_of(self, paths: Sequence[str]) -> list[EntryRow]:
        return _rows(self._engine.read(_SQL["rows_of"], (json.dumps(list(paths)),))) if paths else []

    def rows_at(self, places: Sequence[tuple[str, int]]) -> list[EntryRow]:
        """The rows at these (document, ordinal) pairs, in document order."""
        return _rows(self._engine.read(_SQL["rows_at"], (json.dumps(places),)))

    def find(self, identity: str) -> EntryRow | None:
        found = self._engine.read(_SQL["row"], (identity,))
        return EntryRow(*found[0]) if found else None

    def named(self, identities: Sequence[str]) -> list[EntryRow]:
        """The rows with these ids, in document order."""
        return _rows(self._engine.read(_SQL["rows_named"], (json.dumps(identities),)))

    def by_prefix(self, prefix: str) -> list[EntryRow]:
        return _rows(self._engine.read(_SQL["rows_by_prefix"], {"prefix": prefix}))

    def by_text(self, text_mac: str) -> list[EntryRow]:
        return _rows(self._engine.read(_SQL["rows_by_text"], (text_mac,)))

    def gone_by_text(self, text_mac: str) -> str | None:
        found = self._engine.read(_SQL["gone_by_text"], (text_mac,))
        return str(found[0][0]) if found else None

    def gone_texts(self) -> dict[str, str]:
        """The same as `gone_by_text`, for all texts of entries that are gone."""
        return {str(text): str(identity) for text, identity in self._engine.read(_SQL["gone_texts"])}

    def ids(self) -> set[str]:
        """The ids of all entries that are in a document."""
        return {str(row[0]) for row in self._engine.read(_SQL["ids"])}

    def home_of(self, identity: str) -> str | None:
        """The document that contains the entry; None if no document does."""
        found = self._engine.read(_SQL["home_of"], (identity,))
        return None if not found or found[0][0] is None else str(found[0][0])

    def count_of(self, path: str) -> int:
        return int(self._engine.read(_SQL["count_of"], (path,))[0][0])

    def resting_on(self, identities: Iterable[str]) -> list[str]:
        """Ids of entries that may name one of these as evidence, in document order."""
        references = json.dumps([f"entry:{one}" for one in identities])
        return [str(row[0]) for row in self._engine.read(_SQL["resting_on"], (references,))]

    def naming(self, reference: str) -> list[str]:
        """Ids of entries that may name this reference (a message, for example) as evidence, in document order."""
        return [str(row[0]) for row in self._engine.read(_SQL["naming"], (reference,))]

    def counts(self, paths: Sequence[str] | None = None) -> Mapping[str, int]:
        """The number of entries of each document, or of the given ones, that has any."""
        found = self._engine.read(
            _SQL["counts"] if paths is None else _SQL["counts_of"], () if paths is None else (json.dumps(paths),)
        )
        return {str(path): int(count) for path, count in found}

    def holding(self) -> list[str]:
        """The documents that have entries, sorted. Counts none of them, and looks again only if a row of a document changed."""
        return list(self._kinds()[0])

    def not_holding(self) -> list[str]:
        """The documents that have none."""
        return list(self._kinds()[1])

    def _kinds(self) -> tuple[list[str], list[str]]:
        mark, known = self.documents_mark(), self._holding
        if known is None or known[0] != mark:
            some, none = self._engine.read(_SQL["holding"]), self._engine.read(_SQL["not_holding"])
            known = self._holding = mark, [str(row[0]) for row in some], [str(row[0]) for row in none]
        return known[1], known[2]

    def documents_of_people(self) -> list[str]:
        """The documents in the folders of people, with and without entries."""
        return [str(row[0]) for row in self._engine.read(_SQL["documents_of_people"])]

    def total(self) -> int:
        """The number of entries of all documents."""
        return int(self._engine.read(_SQL["total"])[0][0])

    def stretch(self, wanted: RowFilter, below: RowPlace, rows: int) -> RowPlace:
        """The position of the last of the next `rows` rows below a position; `OLDEST` if fewer are left."""
        asked: dict[str, Value] = {**below._asdict(), "since": wanted.since, "rows": rows}
        if wanted.tier:
            found = self._engine.read(_SQL["tier_boundary"], asked | {"tier": wanted.tier})
        elif wanted.who:
            found = self._engine.read(_SQL["who_boundary"], asked | {"who": wanted.who, "speaker": wanted.speaker})
        else:
            found = self._engine.read(_SQL["boundary"], asked)
        return RowPlace(*found[0]) if found else OLDEST._replace(day=wanted.since)

    def between(self, wanted: RowFilter, below: RowPlace, down_to: RowPlace) -> list[EntryRow]:
        """The rows between two positions that may match the filter, in document order."""
        low = {f"low_{name}": value for name, value in down_to._asdict().items()}
        closed = -1 if wanted.closed is None else int(wanted.closed)
        asked: dict[str, Value] = {**below._asdict(), **low, "closed": closed, "aside": wanted.aside}
        if wanted.tier:
            return _rows(self._engine.read(_SQL["tier_between"], asked | {"tier": wanted.tier}))
        if wanted.who:
            people = {"who": wanted.who, "speaker": wanted.speaker}
            return _rows(self._engine.read(_SQL["who_between"], asked | people))
        names = ("source", "project", "project_folder", "unvouched")
        return _rows(self._engine.read(_SQL["between"], asked | {name: getattr(wanted, name) for name in names}))

    def under(self, path: str) -> list[EntryRow]:
        """The rows of a document, or of all documents in a folder."""
        return _rows(self._engine.read(_SQL["under"], {"document": path, **_folder(path)}))

    def apart(self, after: tuple[str, int], limit: int) -> list[EntryRow]:
        """Open entries in quarantine after the given (document, ordinal), in document order."""
        return _rows(self._engine.read(_SQL["apart"], {"path": after[0], "ordinal": after[1], "limit": limit}))

    def unowned(self, kind: str, tiers: tuple[str, str], limit: int) -> list[str]:
        """Ids of open entries of these tiers with the source `hand` and no provenance record, newest first.

        Entries that a review of this `kind` already asks about are left out.
        """
        return [str(row[0]) for row in self._engine.read(_SQL["unowned"], (kind, *tiers, limit))]

    def count_unowned(self, kind: str, tiers: tuple[str, str], most: int) -> int:
        """The number of those entries, counted up to `most`."""
        return int(self._engine.read(_SQL["count_unowned"], (kind, *tiers, most))[0][0])

    def count_apart(self, kind: str) -> int:
        """The number of open entries in quarantine that no review of this `kind` asks about."""
        return int(self._engine.read(_SQL["count_apart"], (kind,))[0][0])

    def by_day(self, since: str, until: str) -> list[DayCount]:
        return [DayCount(*row) for row in self._engine.read(_SQL["by_day"], (since, until))]

    def closed(self) -> list[str]:
        """Ids of closed entries."""
        return [str(row[0]) for row in self._engine.read(_SQL["closed"])]

    def unvouched(self) -> int:
        """The number of entries without a provenance record."""
        return int(self._engine.read(_SQL["unvouched"])[0][0])

    def derived(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Id, source and evidence of entries derived from others; the source is empty without a provenance record."""
        found = []
        for identity, source, lineage, claims in self._engine.read(_SQL["derived"]):
            evidence = json.loads(lineage) if lineage else dict(json.loads(claims)).get("from", "").split(",")
            found.append((str(identity), str(source or ""), tuple(evidence)))
        return found

    def replace(
        self,
        documents: Iterable[DocumentRow],
        removed: Iterable[str],
        rows: Iterable[EntryRow],
        gone: Iterable[str],
        day: str,
        bases: Mapping[str, str | None] | None = None,
    ) -> bool:
        """Replace the rows of documents that were read again, in one transaction.

        `bases`: the hash that the store had for each document before it was read (None: no row). Returns False and
        replaces nothing if another process has stored one of them since: it may have read a newer state, and rows of
        two states must not be mixed.
        """

        def work(writer: Writer) -> bool:
            if bases is not None:
                noted: dict[object, object] = dict(writer.rows(_SQL["hashes_of"], (json.dumps(list(bases)),)))
                if any(noted.get(path) != base for path, base in bases.items()):
                    return False
            for identity in gone:
                writer.run(_SQL["mark_gone"], (identity, day))
            for row in rows:
                writer.run(_SQL["put_row"], _values(row))
            for document in documents:
                writer.run(_SQL["put_document"], document)
            for path in removed:
                writer.run(_SQL["drop_document"], (path,))
            return True

        return self._engine.write(work, durable=False)

    def date(self, days: Mapping[str, tuple[str, str]]) -> None:
        """Store when entries were first seen and which day they belong to, by id; empty if unknown."""

        def work(writer: Writer) -> None:
            for identity, (first_seen, day) in days.items():
                writer.run(_SQL["date_row"], (identity, first_seen, day))

        self._engine.write(work)

    def expect(self, found: ExpectedDocument) -> None:
        """Announce what the planned change will make of a document. Replaces an earlier announcement."""
        self._expected = found

    def note_expected(self, writer: Writer, files: Iterable[FileHashes]) -> None:
        """Store the announced rows in the transaction that records the change, so that the document need not be read again.

        Only if the document became exactly what was announced, and the stored rows belong to its previous content.
        """
        found, self._expected = self._expected, None
        now = {path: after for path, _, after in files}
        if found is None or now.get(found.document.path) != found.document.hash:
            return
        names = json.dumps([row.id for row in found.rows])
        if writer.run(_SQL["grow_document"], (*found.document, found.base, names)):
            count = writer.rows(_SQL["count_of"], (found.document.path,))[0][0]
            for row in found.rows:
                writer.run(_SQL["put_row"], _values(row._replace(ordinal=count + row.ordinal)))

    def has_buried(self) -> bool:
        return bool(self._engine.read(_SQL["any_buried"]))

    def is_buried(self, text_mac: str, identity: str = "") -> bool:
        return bool(self._engine.read(_SQL["is_buried"], (text_mac, identity)))

    def unbury(self, text_mac: str) -> None:
        """Remove the tombstone of a text, because the owner stated it again."""
        self._engine.write(lambda writer: writer.run(_SQL["raise_tombstone"], (text_mac,)))

    def forget(self, identities: Sequence[str]) -> int:
        return self._engine.write(lambda writer: writer.run(_SQL["forget_rows"], (json.dumps(list(identities)),)))


def _folder(path: str) -> dict[str, str]:
    """Query parameters for a folder: its path with a slash, and the first name that sorts after everything in it."""
    return {"folder": f"{path.rstrip('/')}/", "beyond": f"{path.rstrip('/')}0"}


def _values(row: EntryRow) -> tuple[Value, ...]:
    return (*row[:-1], *row.facets)


def _rows(found: Iterable[Row]) -> list[EntryRow]:
    return [EntryRow(*row) for row in found]
