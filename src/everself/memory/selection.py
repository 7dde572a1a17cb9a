"""Filters for entries, and the sources of search results. The filters are pure."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from datetime import date
from enum import StrEnum

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.catalog import PlacedEntry
from everself.memory.entries import TRANSCRIPT
from everself.memory.memory import Memory
from everself.memory.provenance import HAND, IMPORT, PERSON, confidence
from everself.memory.writing import is_quarantined
from everself.storage.state.entries import NEWEST, OLDEST, RowFilter, RowPlace
from everself.text.normalise import slug, without_surrogates
from everself.values import Entry, Hit, Tag, Tier
from everself.workspace.layout import place

LOGS = "memory"
# rows per query: fewer are not worth a query, more are not worth a page
_FEWEST_ROWS = 64
_MOST_ROWS = 2_000
# after every entry without a day, before every day
_UNDATED = RowPlace("0", "", 0)


class Standing(StrEnum):
    """Whether an entry still holds."""

    OPEN = "open"
    CLOSED = "closed"
    ANY = "any"


class Selection(Frozen):
    """Criteria for entries; an unset field matches all.

    `since` and `until` filter by the day of an entry; `as_of` is the day on which it was believed. `aside` includes raw lines of
    conversations and the quarantine. `path` is a document or a folder.
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


class ListedEntry(Frozen):
    """An entry with its confidence on the requested day, whether it rests on something closed, and its citation."""

    entry: Entry
    confidence: float
    stale: bool
    citation: str


def list_entries(memory: Memory, selection: Selection) -> list[ListedEntry]:
    """The matching entries, sorted by day, then by document."""
    entries = memory.catalog.all()
    stale = memory.stale(entries)
    day = selection.as_of or memory.clock.today()

    def sure(entry: Entry) -> float:
        return confidence(entry, day, memory.dynamics)

    chosen = sorted(select(entries, selection, sure, stale), key=lambda one: (one.day or date.min, one.path, one.start))
    return [ListedEntry(one, sure(one), one.id in stale, one.reference) for one in chosen]


class EntryPage(Frozen):
    """A page of the newest matching entries below a mark, oldest first. `before` is the mark of the next page, empty if there is none;
    `rows` is the number of rows read."""

    entries: tuple[ListedEntry, ...]
    before: str
    rows: int


class PageBounds(Frozen):
    """The length of a page, the mark of the previous page, and the limit of rows to read (None: no limit)."""

    limit: int
    before: str = ""
    most: int | None = None


def list_page(
    memory: Memory, selection: Selection, bounds: PageBounds, fits: Callable[[Entry], bool] = lambda _: True
) -> EntryPage:
    """Like `list_entries`, in pages. The cost depends on the page and on the rows skipped, not on the size of the memory."""
    if selection.person:
        memory.catalog.refresh_person(slug(selection.person.removeprefix(PERSON)))
    else:
        memory.catalog.refresh()
    day = selection.as_of or memory.clock.today()

    def sure(entry: Entry) -> float:
        return confidence(entry, day, memory.dynamics)

    found: list[PlacedEntry] = []
    passed, down_to = 0, OLDEST
    for placed, end, rows in _stretches(memory, selection, bounds):
        passed, down_to = passed + rows, end
        stale = memory.stale_among([one for _, one in placed]) if selection.stale else set()
        chosen = {one.id for one in select((one for _, one in placed), selection, sure, stale) if fits(one)}
        found += [one for one in placed if one[1].id in chosen]
        if len(found) > bounds.limit or (bounds.most is not None and passed >= bounds.most):
            break
    shown = [one for _, one in found[: bounds.limit]]
    stale = memory.stale_among(shown)
    listed = tuple(ListedEntry(one, sure(one), one.id in stale, one.reference) for one in reversed(shown))
    mark = (
        _mark(found[bounds.limit - 1][0]) if len(found) > bounds.limit else "" if down_to == OLDEST else _mark(down_to)
    )
    return EntryPage(listed, mark, passed)


def entries_since(memory: Memory, since: date, tier: Tier | None = None) -> list[Entry]:
    """The open entries since a day, newest first. Older rows are not read."""
    memory.catalog.refresh()
    return _all_of(memory, Selection(since=since, tier=tier), PageBounds(_MOST_ROWS))


def undated_entries(memory: Memory, tier: Tier | None = None) -> list[Entry]:
    """The open entries that belong to no known day. Does not refresh the catalog."""
    return _all_of(memory, Selection(tier=tier), PageBounds(_MOST_ROWS, _mark(_UNDATED)))


def _all_of(memory: Memory, selection: Selection, bounds: PageBounds) -> list[Entry]:
    found = [one for placed, _, _ in _stretches(memory, selection, bounds) for _, one in placed]
    return select(found, selection, lambda _: 1.0)


def _stretches(
    memory: Memory, selection: Selection, bounds: PageBounds
) -> Iterator[tuple[list[PlacedEntry], RowPlace, int]]:
    """Entries that may match, newest first, with the place where their rows end and the number of rows."""
    below = _place_marked(bounds.before) if bounds.before else _newest(selection)
    path = selection.path.rstrip("/")
    if path and path != LOGS:
        # a document or a small folder is sorted at once
        under = memory.catalog.under(path)
        yield [one for one in under if one[0] < below], OLDEST, len(under)
        return
    wanted = _row_filter(selection)
    rows = max(_FEWEST_ROWS, bounds.limit + 1)
    while True:
        placed, end = memory.catalog.stretch(wanted, below, rows)
        over = end.path == "" and end.ordinal < 0
        yield placed, OLDEST if over else end, rows
        if over:
            return
        below, rows = end, min(2 * rows, _MOST_ROWS)


def _newest(selection: Selection) -> RowPlace:
    """A place after the newest entry that can match."""
    days = [one for one in (selection.until, selection.as_of) if one is not None]
    # entries without a day sort first, so a filter by day excludes them
    return RowPlace(f"{min(days).isoformat()}~", "", 0) if days else NEWEST


def _row_filter(selection: Selection) -> RowFilter:
    closed = None if selection.standing is Standing.ANY else selection.standing is Standing.CLOSED
    project = slug(selection.project) if selection.project else ""
    speaker = selection.person.removeprefix(PERSON)
    return RowFilter(
        since=selection.since.isoformat() if selection.since is not None else "",
        tier=selection.tier.value if selection.tier is not None else "",
        source=selection.source,
        who=slug(speaker) if speaker else "",
        speaker=without_surrogates(speaker),
        project=project,
        project_folder=f"projects/{project}/" if project else "",
        # on an earlier day another entry may have been valid
        closed=None if selection.as_of is not None else closed,
        aside=selection.aside,
        unvouched=selection.unvouched,
    )


def _mark(where: RowPlace) -> str:
    """An opaque page mark, so that nobody uses it as a path. It contains no text of an entry."""
    return base64.urlsafe_b64encode(json.dumps(where, ensure_ascii=False).encode("utf-8", "surrogatepass")).decode()


def _place_marked(mark: str) -> RowPlace:
    try:
        day, path, ordinal = json.loads(base64.urlsafe_b64decode(mark.encode("ascii")).decode("utf-8", "surrogatepass"))
        where = RowPlace(str(day), str(path), int(ordinal))
    except (ValueError, TypeError) as error:
        raise WrongUse("Unknown page mark. Use one that a list returned.", mend="everself memory list") from error
    return where


def select(
    entries: Iterable[Entry], selection: Selection, sure: Callable[[Entry], float], stale: Set[str] = frozenset()
) -> list[Entry]:
    """The entries that match; `stale` are the ids of those that rest on something closed."""
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
    """Whether an entry was said by the person, is about them or belongs to them."""
    names = {person.removeprefix(PERSON), slug(person.removeprefix(PERSON))}
    known = {place(entry.path).person, entry.who.removeprefix(PERSON), slug(entry.who.removeprefix(PERSON))}
    if entry.source.startswith(PERSON):
        known.add(entry.source.removeprefix(PERSON))
    return not names.isdisjoint(known)


def sources_of_lines(memory: Memory, path: str, first: int, last: int) -> list[str]:
    """The sources that the entries in these lines rest on, and those of other lines written by a tool; each once."""
    entries = [one for one in memory.catalog.of(path) if one.first_line <= last and one.last_line >= first]
    found = memory.workspace.find(path)
    lines = found.data.split(b"\n")[first - 1 : last] if found is not None else []
    written = [one for many in memory.catalog.written.of_lines(path, lines).values() for one in many]
    return list(dict.fromkeys((*(memory.trust(one) for one in entries), *written)))


def sources_of_hits(memory: Memory, hits: Sequence[Hit]) -> list[str]:
    """The least trusted source of each hit."""
    entries = memory.catalog.named([hit.entry for hit in hits if hit.entry])

    def source(hit: Hit) -> str:
        if hit.imported:
            return IMPORT
        entry = entries.get(hit.entry)
        return memory.trust(entry) if entry is not None else HAND

    return [source(hit) for hit in hits]
