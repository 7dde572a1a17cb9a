"""Finds entries of working memory worth promoting, by their text or because searches find them often. Reads only."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from everself.classify.topics import Category
from everself.config.sections import Tunables
from everself.errors import ChangedMeanwhile
from everself.frozen import Frozen
from everself.memory.entries import TRANSCRIPT, quotes_a_talk
from everself.memory.memory import Memory
from everself.memory.promotion._sections import headed_alike, moving_along
from everself.memory.promotion.destinations import PromotionPermission, Recalled, can_leave, permission_of, target_for
from everself.memory.promotion.scoring import Judgement, judge
from everself.memory.provenance import AGENT, PERSON, is_human
from everself.memory.selection import entries_since, undated_entries
from everself.storage.state.database import State
from everself.storage.state.messages import Messages
from everself.storage.state.searches import EntryHits, Searches
from everself.text.markdown.blocks import scan
from everself.text.markdown.entries import EntryKind
from everself.values import Entry, Tier
from everself.workspace.layout import place

# score for being found in that many sessions: enough to be a candidate
_RECALLED: Final = 0.4
# categories of runtime notes about sessions, jobs and heartbeats
_RUNTIME: Final = frozenset({"session", "cron", "heartbeat"})


class CandidateQuery(Frozen):
    """`days` is the age limit for entries; `frequent`: only entries found in `sessions` sessions of the last `within` days."""

    days: int = 7
    least: float = 0.4
    frequent: bool = False
    sessions: int = 3
    within: int = 30


def asked_of(tunables: Tunables, days: int, *, frequent: bool = False, least: float | None = None) -> CandidateQuery:
    """The query with the values from an agent's settings."""
    sure = tunables.promotion_confidence if least is None else least
    return CandidateQuery(days, sure, frequent, tunables.promotion_sessions, tunables.promotion_window_days)


class Candidate(Frozen):
    """An entry worth promoting: the reasons, its target, and who may decide. `along` are the ids of entries that would move with it."""

    entry: Entry
    category: Category | Recalled
    confidence: float
    reasons: tuple[str, ...]
    target: str
    standing: PromotionPermission
    sessions: int = 0
    along: tuple[str, ...] = ()


def candidates(
    memory: Memory, state: State, asked: CandidateQuery | None = None, tell: Callable[[int, int], None] | None = None
) -> tuple[Candidate, ...]:
    """All candidates, highest confidence first. Excludes closed and stale entries, quarantine, and entries that neither the owner nor the
    owner's evidence states."""
    wish = asked or CandidateQuery()
    hits = state.searches.hits_since(_back(memory.clock.today(), wish.within))
    considered = _considered(memory, wish, hits)
    found: list[Candidate] = []
    for done, entry in enumerate(considered):
        if tell is not None and done % 256 == 0:
            tell(done, len(considered))
        candidate = _weigh(entry, hits.get(entry.id), wish)
        if candidate is not None and _is_told(memory, state.messages, entry):
            found.append(candidate)
    stale = memory.stale_among([one.entry for one in found])
    return _settled(memory, [one for one in found if one.entry.id not in stale])


def _considered(memory: Memory, wish: CandidateQuery, hits: Mapping[str, EntryHits]) -> list[Entry]:
    """The open entries that are recent, undated or often found. Reads only their documents: older memory costs nothing."""
    memory.catalog.refresh()
    recent: list[Entry] = []
    if not wish.frequent:
        oldest = _back(memory.clock.today(), wish.days)
        recent = [
            *entries_since(memory, oldest + timedelta(days=1), Tier.WORKING),
            *undated_entries(memory, Tier.WORKING),
        ]
    seen = {one.id for one in recent}
    often = [name for name, one in hits.items() if one.sessions >= wish.sessions and name not in seen]
    return [one for one in (*recent, *memory.catalog.known(often)) if not one.closed and can_leave(one.path)]


def explain(memory: Memory, searches: Searches, identity: str, asked: CandidateQuery | None = None) -> Candidate:
    """The candidate for one named entry, whatever its score."""
    wish = asked or CandidateQuery()
    entry = memory.catalog.get(identity)
    today = memory.clock.today()
    hits = searches.hits_of([entry.id], _back(today, wish.within)).get(entry.id)
    judged = judge(entry)
    made = _candidate(entry, judged[0] if judged else None, hits, wish)
    return _settled(memory, [made])[0]


def _weigh(entry: Entry, hits: EntryHits | None, wish: CandidateQuery) -> Candidate | None:
    recalled = hits is not None and hits.sessions >= wish.sessions
    if wish.frequent and not recalled:
        return None
    judged = judge(entry)
    best = judged[0] if judged and judged[0].confidence >= wish.least else None
    if best is None and not recalled:
        return None
    return _candidate(entry, best, hits, wish)


def _candidate(entry: Entry, best: Judgement | None, hits: EntryHits | None, wish: CandidateQuery) -> Candidate:
    sessions = hits.sessions if hits is not None else 0
    recalled = sessions >= wish.sessions
    category: Category | Recalled = best.category if best is not None else "recalled"
    sure = best.confidence if best is not None else 0.0
    reasons = best.reasons if best is not None else ()
    if recalled:
        sure = round(min(0.99, 1 - (1 - sure) * (1 - _RECALLED)), 2)
        reasons = (*reasons, f"it was found in {sessions} sessions of the last {wish.within} days")
    nobody = PromotionPermission("held", entry.source)
    return Candidate(entry, category, sure, reasons, target_for(entry.path, category), nobody, sessions)


def _settled(memory: Memory, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with the entries that move along, minus those that already move along with another candidate."""
    # only a section takes others along
    shared = {one.entry.path for one in found if one.entry.kind == EntryKind.SECTION.value}
    documents = {path: memory.catalog.of(path) for path in shared}
    settled: list[Candidate] = []
    for one in found:
        moving = _moving(memory, one.entry, documents.get(one.entry.path, []))
        along = tuple(entry.id for entry in moving[1:])
        standing = permission_of(memory, moving)
        parts = (one.entry, one.category, one.confidence, one.reasons, one.target)
        settled.append(Candidate(*parts, standing, one.sessions, along))
    carried = {identity for one in settled for identity in one.along}
    left = [one for one in settled if one.entry.id not in carried]
    return tuple(sorted(left, key=lambda one: (-one.confidence, one.entry.path, one.entry.start)))


def _moving(memory: Memory, entry: Entry, neighbours: Sequence[Entry]) -> tuple[Entry, ...]:
    # reading the document's structure again for each entry would cost more than all else
    if entry.kind != EntryKind.SECTION.value or not headed_alike(entry, neighbours):
        return (entry,)
    document = memory.workspace.find(entry.path)
    try:
        return moving_along(scan(document.data if document is not None else b""), entry, neighbours)
    except ChangedMeanwhile:
        # the file was saved just now; `plan_moves` reads it again
        return (entry,)


def _back(today: date, days: int) -> date:
    return today - timedelta(days=min(days, (today - date.min).days))


def _is_told(memory: Memory, messages: Messages, entry: Entry) -> bool:
    """Whether the owner said it (or the person, in their own memory), or its evidence is what they said.

    Session notes, replies of the agent and job output are its own words; promotion would turn them into beliefs.
    """
    if entry.kind == TRANSCRIPT or quotes_a_talk(entry.text):
        return False
    if entry.category in _RUNTIME and not is_human(entry.source):
        return False
    trust = memory.trust(entry)
    if trust.startswith(PERSON):
        return trust == f"{PERSON}{place(entry.path).person}"
    return is_human(trust) or (trust == AGENT and _has_evidence(memory, messages, entry))


def _has_evidence(memory: Memory, messages: Messages, entry: Entry) -> bool:
    """Whether all its evidence was said by a person in a conversation, or is an entry with such evidence."""
    left, seen = [entry], {entry.id}
    while left:
        one = left.pop()
        if is_human(one.source):
            continue
        if not one.lineage:
            return False
        for reference in one.lineage:
            kind, _, name = reference.partition(":")
            if kind == "entry":
                found = memory.catalog.find_even_gone(name)
                if found is None:
                    return False
                left += [found] if found.id not in seen else []
                seen.add(found.id)
            elif kind != "msg" or not messages.is_told(name):
                return False
    return True
