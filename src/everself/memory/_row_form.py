"""Converts an entry to and from its database row, and decides which fields can be trusted. Pure; knows no document."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache, reduce
from typing import Any

from everself.memory.entries import TRANSCRIPT, ParsedEntry, parse_day, words_at
from everself.memory.provenance import CORRECTION, HAND, PERSON, base_confidence, is_human, parse_tag, rank, weaker
from everself.storage.state.entries import EntryRow, Facets
from everself.storage.state.provenance import FileOrigins
from everself.text.markdown.copies import origins
from everself.text.normalise import slug
from everself.values import Entry, ProvenanceRecord, Tag
from everself.workspace.layout import Kind, Place, place
from everself.workspace.layout.dates import find_day

# the decoded output of `pack`
Span = list[Any]

# a heading without text is not an entry
_TITLE = 400
# not a comment key: used in rows for entries in an archive
_DAY = "of day"


def pack(read: ParsedEntry) -> str:
    """All fields of an entry except its text, as stored in a row. The text is looked up in the document."""
    place_of = (read.start, read.end, read.first_line, read.last_line, read.words)
    values = (read.claims, read.kind, read.heading, read.category, read.time, read.struck, *place_of)
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def row_of(name: str, path: str, read: ParsedEntry, hashes: tuple[str, bytes], first_seen: str) -> EntryRow:
    return EntryRow(name, path, read.ordinal, pack(read), *hashes, first_seen, facets_of(read, path, first_seen))


def written_on(entry: Entry, days: Sequence[date | None]) -> str:
    """The day of the newest line of an entry; empty if one of its lines has no known day."""
    lines = days[entry.first_line - 1 : entry.last_line]
    known = [day for day in lines if day is not None]
    return max(known).isoformat() if known and len(known) == len(lines) else ""


def believed(
    row: EntryRow,
    span: Span,
    data: bytes,
    where: Place,
    provenance_record: ProvenanceRecord | None,
    written: Iterable[str] = (),
) -> Entry:
    """The fields of an entry that can be trusted: those a provenance record confirms, and those in the comment that a person may set by
    hand.

    `written` are the sources from which a tool wrote the same text elsewhere.
    """
    pairs, kind, heading, category, time, struck, start, end, first, last, words = span
    claims: dict[str, str] = dict(pairs)
    get = claims.get
    claimed = get("src", "")
    tag = parse_tag(get("tag", ""))
    mentions = _number(get("n", ""))
    vouched = provenance_record is not None and provenance_record.text == row.text_mac
    lineage = tuple(part for part in claims["from"].split(",") if part) if "from" in claims else ()
    if provenance_record is not None:
        lineage = provenance_record.lineage
        # edited text has the source hand, and is trusted no more than the original and than any tool that wrote the same text
        source = (
            provenance_record.source if vouched else reduce(weaker, written, weaker(HAND, provenance_record.source))
        )
        tag = parse_tag(provenance_record.tag) if vouched else tag
    else:
        source = reduce(weaker, written, _unvouched(claimed))
    # without provenance, the number of mentions cannot be trusted either
    if not vouched or not is_human(source):
        mentions = 1
    if tag is Tag.CORRECTION and source != CORRECTION:
        tag = Tag.NONE
    seen, day = _days(claims, heading, where, row.first_seen)
    until = parse_day(claims["until"]) if "until" in claims else None
    who = get("who", "") or (f"person:{where.person}" if where.person else "")
    project = get("project", "") or where.project or ""
    # positional, because field names would add a fifth to the load time of a large memory
    return Entry._make(
        (
            *(row.id, row.path, words_at(data, words, struck=struck), tag, source, base_confidence(source), mentions),
            *(day, seen or day, lineage, until, get("by", ""), who, project, where.tier),
            *(kind, tuple(heading), category, time, struck, vouched, claimed, start, end, first, last),
        )
    )


def facets_of(read: ParsedEntry, path: str, first_seen: str) -> Facets:
    """The columns that lists filter by, as `believed` returns them without a provenance record."""
    claims, where = dict(read.claims), place(path)
    day = _days(claims, read.heading, where, first_seen)[1]
    who = claims.get("who", "").removeprefix(PERSON) or where.person or ""
    project = claims.get("project", "") or where.project or ""
    return Facets(
        day.isoformat() if day is not None else "",
        where.tier.value,
        _unvouched(claims.get("src", "")),
        _slug(who),
        _slug(project),
        read.struck or ("until" in claims and parse_day(claims["until"]) is not None),
        2 if where.kind is Kind.QUARANTINE else 1 if read.kind == TRANSCRIPT else 0,
    )


def _days(
    claims: Mapping[str, str], heading: Sequence[str], where: Place, first_seen: str
) -> tuple[date | None, date | None]:
    """The day of the last mention, and the day that the entry belongs to."""
    seen = parse_day(claims.get("seen", ""))
    # an entry that was moved out of its daily log has its date in the comment
    born = parse_day(claims.get("at", "")[:10])
    # an archive covers many days, so an entry in it has its own day
    own = (parse_day(claims.get(_DAY, "")) or born or _headed(heading) or seen) if where.span else None
    return seen, own or where.day or born or seen or parse_day(first_seen)


def _unvouched(claimed: str) -> str:
    """The trusted source for an entry without provenance: the claimed one, but never more than hand."""
    return claimed if claimed and rank(claimed) < rank(HAND) else HAND


def with_days(data: bytes, reads: tuple[ParsedEntry, ...]) -> tuple[ParsedEntry, ...]:
    """The entries of an archive, each with the day of the file that it came from."""
    origin = origins(data)
    found = []
    for read in reads:
        day = place(origin(read.start)).day
        found.append(replace(read, claims=(*read.claims, (_DAY, day.isoformat()))) if day is not None else read)
    return tuple(found)


def _headed(heading: Sequence[str]) -> date | None:
    """The day in the outermost title; in an archive each day has its own title."""
    return next((day for title in heading if (day := find_day(title[:_TITLE]))), None)


# documents that a tool may write, and archives, which may contain copies of them
_WRITABLE = frozenset({Kind.TOPIC, Kind.PROJECT_MEMORY, Kind.ARCHIVE})


def sources_by_text(known: FileOrigins) -> Callable[[EntryRow, Place], Iterable[str]]:
    """A function that returns the sources from which a tool wrote the same text as an entry without a provenance record."""
    if not known.refresh():
        return lambda *_: ()
    return lambda row, where: known.of_text(row.text_mac) if where.kind in _WRITABLE else ()


@lru_cache(maxsize=512)
def _slug(name: str) -> str:
    return slug(name) if name else ""


@lru_cache(maxsize=4096)
def _number(text: str) -> int:
    return max(1, min(10_000, int(text))) if text.isascii() and text.isdigit() else 1
