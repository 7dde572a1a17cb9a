"""Everything there is to say about one entry: where it comes from, how sure it is and why, what rests on it, what happened to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from everself.errors import Damaged, NotFound
from everself.memory.entries import read_document
from everself.memory.memory import Memory
from everself.memory.provenance import CEILING, CORRECTION, DEEPEST, source_of_reference
from everself.values import Entry

# further back, a person looks into the history itself
CHANGES = 20


@dataclass(frozen=True, slots=True)
class Reckoning:
    """How confidence is worked out: base, what mentions add, what time takes, and the bounds it is kept in."""

    base: float
    mentions: int
    gained: float
    days: int
    lost: float
    floor: float
    ceiling: float
    result: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that an entry rests on, directly (`depth` 1) or through others, and how far that is trusted."""

    reference: str
    source: str
    depth: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Touch:
    """A change that altered the entry. `words` is what it said afterwards; None when it was not there any more."""

    change: str
    at: datetime
    author: str
    reason: str
    words: str | None


@dataclass(frozen=True, slots=True)
class Account:
    entry: Entry
    citation: str
    confidence: Reckoning
    trust: str
    evidence: tuple[Evidence, ...]
    stale: bool
    derived: tuple[str, ...]
    changes: tuple[Touch, ...]


def account_of(memory: Memory, identity: str) -> Account:
    """Look everything up about the entry of that id, or of the only id that begins so."""
    entry = memory.catalog.get(identity)
    entries = memory.catalog.all()
    return Account(
        entry=entry,
        citation=entry.reference,
        confidence=_reckon(memory, entry),
        trust=memory.trust(entry),
        evidence=tuple(_evidence({one.id: one for one in entries}, entry)),
        stale=entry.id in memory.stale(entries),
        derived=tuple(one.id for one in entries if f"entry:{entry.id}" in one.lineage),
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


def _evidence(known: dict[str, Entry], entry: Entry) -> Iterator[Evidence]:
    seen = {f"entry:{entry.id}"}
    level, depth = list(entry.lineage), 1
    while level and depth <= DEEPEST:
        deeper: list[str] = []
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
    """Changes of the document that altered this entry, newest first. Text without a comment cannot be followed."""
    for record in memory.workspace.changes(CHANGES, entry.path):
        try:
            _, files = memory.workspace.record(record.id)
        except (NotFound, Damaged):
            # the history may be off, cut short or damaged; what it cannot tell is left out
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
