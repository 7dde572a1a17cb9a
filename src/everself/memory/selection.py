"""Filters for entries, and the sources that what was found rests on. The filters are pure."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from everself.memory.entries import TRANSCRIPT
from everself.memory.memory import Memory
from everself.memory.provenance import HAND, IMPORT, PERSON, confidence
from everself.memory.writing import is_quarantined
from everself.text.normalise import slug
from everself.values import Entry, Hit, Tag, Tier
from everself.workspace.layout import place


class Standing(StrEnum):
    """Whether what an entry says still holds."""

    OPEN = "open"
    CLOSED = "closed"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Selection:
    """What an entry must be to be meant; what is not set, any will do.

    `since` and `until` are about the day an entry belongs to, `as_of` about the day on which it was believed. `aside` takes in what
    is left out otherwise: raw lines of conversations, and what stands in quarantine. A `path` is a document or a folder.
    """

    tier: Tier | None = None
    tag: Tag | None = None
    source: str = ""
    person: str = ""
    project: str = ""
    since: date | None = None
    until: date | None = None
    as_of: date | None = None
    at_least: float = 0.0
    at_most: float = 1.0
    path: str = ""
    standing: Standing = Standing.OPEN
    stale: bool = False
    unvouched: bool = False
    aside: bool = False


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry with how sure it is (on the day that was asked for), whether it rests on something closed, and how to cite it."""

    entry: Entry
    confidence: float
    stale: bool
    citation: str


def list_entries(memory: Memory, selection: Selection) -> list[ListedEntry]:
    """The entries that are meant, in the order of their days, then of their documents."""
    entries = memory.catalog.all()
    stale = memory.stale(entries)
    day = selection.as_of or memory.clock.today()

    def sure(entry: Entry) -> float:
        return confidence(entry, day, memory.dynamics)

    chosen = sorted(select(entries, selection, sure, stale), key=lambda one: (one.day or date.min, one.path, one.start))
    return [ListedEntry(one, sure(one), one.id in stale, one.reference) for one in chosen]


def select(
    entries: Iterable[Entry], selection: Selection, sure: Callable[[Entry], float], stale: Set[str] = frozenset()
) -> list[Entry]:
    """Those of the entries that are meant; `stale` are the ids of those that rest on something closed."""
    found = []
    for entry in entries:
        if not (_is_shown(entry, selection) and _holds(entry, selection) and _is_meant(entry, selection)):
            continue
        if selection.stale and entry.id not in stale:
            continue
        if selection.at_least <= sure(entry) <= selection.at_most:
            found.append(entry)
    return found


def _is_shown(entry: Entry, selection: Selection) -> bool:
    if selection.aside:
        return True
    if entry.kind == TRANSCRIPT:
        return False
    return not is_quarantined(entry.path) or is_quarantined(f"{selection.path.rstrip('/')}/x.md")


def _holds(entry: Entry, selection: Selection) -> bool:
    day = selection.as_of
    if day is not None:
        # a struck-through entry has no end date: it counts as closed for long
        known = entry.day is None or entry.day <= day
        closed = entry.until <= day if entry.until is not None else entry.struck
        return known and (selection.standing is Standing.ANY or closed is (selection.standing is Standing.CLOSED))
    return selection.standing is Standing.ANY or entry.closed is (selection.standing is Standing.CLOSED)


def _is_meant(entry: Entry, selection: Selection) -> bool:
    wanted = selection
    return (
        (wanted.tier is None or entry.tier is wanted.tier)
        and (wanted.tag is None or entry.tag is wanted.tag)
        and (not wanted.source or wanted.source in (entry.source, entry.source.partition(":")[0]))
        and (not wanted.person or _is_about(entry, wanted.person))
        and (not wanted.project or slug(wanted.project) in (slug(entry.project), place(entry.path).project))
        and (wanted.since is None or (entry.day is not None and entry.day >= wanted.since))
        and (wanted.until is None or (entry.day is not None and entry.day <= wanted.until))
        and (not wanted.path or entry.path == wanted.path or entry.path.startswith(f"{wanted.path.rstrip('/')}/"))
        and not (wanted.unvouched and entry.vouched)
    )


def _is_about(entry: Entry, person: str) -> bool:
    """Said by them, about them, or belonging to them."""
    names = {person.removeprefix(PERSON), slug(person.removeprefix(PERSON))}
    known = {place(entry.path).person, entry.who.removeprefix(PERSON), slug(entry.who.removeprefix(PERSON))}
    if entry.source.startswith(PERSON):
        known.add(entry.source.removeprefix(PERSON))
    return not names.isdisjoint(known)


def sources_of_lines(memory: Memory, path: str, first: int, last: int) -> list[str]:
    """The sources that the entries in these lines rest on, and those of headings and the like that a tool wrote; each once."""
    entries = [one for one in memory.catalog.of(path) if one.first_line <= last and one.last_line >= first]
    found = memory.workspace.find(path)
    written = memory.catalog.written_in(path, found.data, first, last) if found is not None else []
    return list(dict.fromkeys((*(memory.trust(one) for one in entries), *written)))


def sources_of_hits(memory: Memory, hits: Sequence[Hit]) -> list[str]:
    """The least trusted source that each of what was found rests on."""
    entries = memory.catalog.named([hit.entry for hit in hits if hit.entry])

    def source(hit: Hit) -> str:
        if hit.imported:
            return IMPORT
        entry = entries.get(hit.entry)
        return memory.trust(entry) if entry is not None else HAND

    return [source(hit) for hit in hits]
