"""Operations that read entries: list selected ones, and explain one.

The explanation covers origin, confidence, dependent entries and history.
"""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated, Final, Literal

from everself.errors import Damaged, NotFound
from everself.memory.entries import read_document
from everself.memory.memory import Memory
from everself.memory.provenance import CEILING, CORRECTION, DEEPEST, source_of_reference
from everself.memory.selection import ListedEntry, PageBounds, Selection, Standing, list_page
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, owner_reads
from everself.runtime import Runtime
from everself.storage.state.entries import EntryRows
from everself.text.normalise import fold
from everself.values import Entry, Tag, Tier

# older changes can be found in the history
CHANGES = 20
# maximum number of dependent entries
RESTING = 20
_TIERS: Final = {"T1": Tier.CORE, "T2": Tier.WORKING, "core": Tier.CORE, "working": Tier.WORKING}


class Reckoning(Result):
    """The calculation of confidence: base, gain by mentions, loss by time, and bounds."""

    base: float
    mentions: int
    gained: float
    days: int
    lost: float
    floor: float
    ceiling: float
    result: float


class Evidence(Result):
    """Evidence of an entry, direct (`depth` 1) or indirect, with its source."""

    reference: str
    source: str
    depth: int
    text: str = ""


class Touch(Result):
    """A change of the entry. `words` is its text afterwards; None if it was gone."""

    change: str
    at: datetime
    author: str
    reason: str
    words: str | None


class Resting(Result):
    """An entry that depends on another, with its text."""

    entry: str
    text: str


class Account(Result):
    """Everything about one entry. `derived` are the ids of all entries that depend on it, `resting` the first of them with their text."""

    entry: Entry
    citation: str
    confidence: Reckoning
    trust: str
    evidence: tuple[Evidence, ...]
    stale: bool
    derived: tuple[str, ...]
    changes: tuple[Touch, ...]
    resting: tuple[Resting, ...] = ()


class Listing(Result):
    """A page of entries, oldest first. `before` is the mark of the previous page, empty if there is none; `today` is the owner's day."""

    entries: tuple[ListedEntry, ...]
    before: str
    today: date


class ListRequest(Request):
    tier: Annotated[Literal["T1", "T2", "core", "working"] | None, Option("Core (T1) or working (T2) memory.")] = None
    tag: Annotated[
        Literal["event", "knowledge", "skill", "decision", "correction"] | None, Option("Only entries with this tag.")
    ] = None
    source: Annotated[str, Option("owner, person, hand, correction, agent, tool, web, import.", "SOURCE")] = ""
    person: Annotated[str, Option("Said by, about or belonging to this person.", "NAME")] = ""
    project: Annotated[str, Option("Only entries of this project.", "NAME")] = ""
    since: Annotated[date | None, Option("Entries of this day and later.")] = None
    until: Annotated[date | None, Option("Entries of this day and earlier.")] = None
    as_of: Annotated[date | None, Option("What was believed on this day.")] = None
    min_confidence: Annotated[float, Option("At least this sure.", ge=0, le=1)] = 0.0
    max_confidence: Annotated[float, Option("At most this sure.", ge=0, le=1)] = 1.0
    path: Annotated[str, Option("Only this file or folder of the workspace.", "PATH")] = ""
    closed: Annotated[bool, Option("Only what no longer holds.")] = False
    everything: Annotated[bool, Option("Closed, quarantined and transcripts too.", cli="--all")] = False
    stale: Annotated[bool, Option("Only what rests on something that no longer holds.")] = False
    unvouched: Annotated[bool, Option("Only entries without a confirmed source.")] = False
    words: Annotated[str, Option("Only entries with these words.", "WORDS", slash=True, only=("slash",))] = ""
    limit: Annotated[int, Option("How many at most; the newest are listed.", ge=1)] = 50
    before: Annotated[str, Option("The page before the one that gave this mark.", "MARK")] = ""
    rows: Annotated[int | None, Option("Scan at most this many rows for one page.", ge=1, only=("http",))] = None


@owner_reads("memory.list", slash="/memory")
def list_memory(runtime: Runtime, _: Caller, request: ListRequest) -> Listing:
    """List what is remembered, oldest first.

    $ everself memory list --tag decision --since 2026-03-01  # what was decided since March
    $ everself memory list --as-of 2026-03-01  # what was believed on that day
    $ everself memory list --path quarantine  # what is kept apart until you have looked at it
    """
    standing = Standing.ANY if request.everything else Standing.CLOSED if request.closed else Standing.OPEN
    selection = Selection(
        tier=_TIERS[request.tier] if request.tier else None,
        tag=Tag(request.tag) if request.tag else None,
        source=request.source,
        person=request.person,
        project=request.project,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
        at_least=request.min_confidence,
        at_most=request.max_confidence,
        path=request.path.removeprefix(f"{runtime.agent.workspace}/").removeprefix("./"),
        standing=standing,
        stale=request.stale,
        unvouched=request.unvouched,
        aside=request.everything,
    )
    words = fold(request.words)
    bounds = PageBounds(request.limit, request.before, request.rows)
    found = list_page(runtime.memory, selection, bounds, lambda one: words in fold(one.text))
    return Listing(found.entries, found.before, runtime.clock.today())


class ShowRequest(Request):
    entry: Annotated[str, Argument("The id of the entry, or its beginning.", "ID")]


@owner_reads("memory.show")
def show_entry(runtime: Runtime, _: Caller, request: ShowRequest) -> Account:
    """Show one entry: its words, origin, confidence and history.

    $ everself memory show 7K3QX9M2ABCD  # everything about one entry; the beginning of its id will do
    """
    return account_of(runtime.memory, runtime.state.entries, request.entry)


def account_of(memory: Memory, rows: EntryRows, identity: str) -> Account:
    """Explain the entry with this id or unique id prefix."""
    # what is found here is read again by `get` and `named`
    memory.catalog.refresh_shown()
    entry = memory.catalog.get(identity)
    near = memory.catalog.named(rows.resting_on([entry.id])).values()
    resting = [one for one in near if f"entry:{entry.id}" in one.lineage]
    return Account(
        entry=entry,
        citation=entry.reference,
        confidence=_reckon(memory, entry),
        trust=memory.trust(entry),
        evidence=tuple(_evidence(memory, entry)),
        stale=entry.id in memory.stale_among([entry]),
        derived=tuple(one.id for one in resting),
        resting=tuple(Resting(one.id, one.text) for one in resting[:RESTING]),
        changes=tuple(_touches(memory, entry)),
    )


def _reckon(memory: Memory, entry: Entry) -> Reckoning:
    rules, today = memory.dynamics, memory.clock.today()
    fixed = entry.source == CORRECTION
    days = max(0, (today - entry.seen).days) if entry.seen is not None else 0
    return Reckoning(
        base=entry.base,
        mentions=entry.mentions,
        gained=round(rules.boost * (entry.mentions - 1), 6),
        days=days,
        lost=0.0 if fixed else round(rules.loss * (days // rules.days), 6),
        floor=rules.floor,
        ceiling=1.0 if fixed else CEILING,
        result=memory.confidence(entry),
    )


def _evidence(memory: Memory, entry: Entry) -> Iterator[Evidence]:
    seen = {f"entry:{entry.id}"}
    level, depth = list(entry.lineage), 1
    while level and depth <= DEEPEST:
        deeper: list[str] = []
        known = memory.catalog.named([one.removeprefix("entry:") for one in level if one.startswith("entry:")])
        for reference in level:
            if reference in seen:
                continue
            seen.add(reference)
            kind, _, name = reference.partition(":")
            found = known.get(name) if kind == "entry" else None
            if found is not None:
                deeper += found.lineage
                yield Evidence(reference, found.source, depth, found.text)
            else:
                yield Evidence(reference, source_of_reference(kind), depth)
        level, depth = deeper, depth + 1


def _touches(memory: Memory, entry: Entry) -> Iterator[Touch]:
    """Changes of the document that altered this entry, newest first. Text without an id cannot be tracked."""
    for record in memory.workspace.changes(CHANGES, entry.path):
        try:
            _, files = memory.workspace.record(record.id)
        except (NotFound, Damaged):
            # the history may be off, shortened or damaged
            continue
        file = next((one for one in files if one.path == entry.path), None)
        if file is None or entry.id.encode() not in (file.before or b"") + (file.after or b""):
            continue
        before, after = _state(file.before, entry.id), _state(file.after, entry.id)
        if before != after:
            words = after[0] if after is not None else None
            yield Touch(record.id, record.at, record.author.value, record.reason, words)


def _state(data: bytes | None, identity: str) -> tuple[str, tuple[tuple[str, str], ...], bool] | None:
    for read in read_document(data or b""):
        if read.claim("id") == identity:
            return read.text, read.claims, read.struck
    return None
