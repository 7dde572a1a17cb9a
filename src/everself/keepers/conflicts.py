"""The Conflict Detector: what is new against what resembles it; two that cannot both be true are settled by rule, or asked about.

Contradictions are found by rules, and by a model where there is one. The loser is closed, never removed; what was derived from it is
stale from then on, which memory works out by itself and the record names. Proposes only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from everself.contradiction import attributes_of, contradicts
from everself.entries.trust import CORRECTION, is_human, rank
from everself.keepers.judging import Doubt, judge
from everself.keepers.shape import Ask, Choice, CloseEntry, Note, Planned, Progress, Proposal, Tell, referenced
from everself.keepers.world import World
from everself.layout import Kind, place
from everself.text.normalise import one_line
from everself.values import Entry, Tag

NAME: Final = "conflict-detector"
ALIKE: Final = 0.8
RECENT: Final = timedelta(days=1)
# so much later, the newer of two facts holds
LATER: Final = timedelta(days=30)
_DATED: Final = frozenset({Tag.EVENT, Tag.KNOWLEDGE, Tag.DECISION})
_RECORDS: Final = frozenset({Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.CHRONICLE})
# entries on one attribute that a new one is held against, the newest first
_MOST_ON_ONE: Final = 40
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two entries that cannot both hold, and why; `sure` as whoever found it is."""

    older: Entry
    newer: Entry
    why: str
    sure: float


class Detector:
    name = NAME
    title = "Conflict Detector"
    schedule = "cron_conflict_detector"

    async def propose(self, world: World, tell: Tell) -> Proposal:
        fresh = list(_fresh(world))
        conflicts: list[Conflict] = []
        doubts: list[Doubt] = []
        tell(Progress(0, len(fresh), "entries"))
        topics = _Topics(world.open_entries()) if fresh else None
        for number, entry in enumerate(fresh, 1):
            tell(Progress(number, len(fresh), "entries"))
            for other, alike in _resembling(world, entry, topics):
                older, newer = _in_order(entry, other)
                if world.state.reviews.about("conflict", _about(older, newer)) is not None:
                    continue
                verdict = contradicts(older.text, newer.text)
                if verdict:
                    conflicts.append(Conflict(older, newer, f"{verdict.kind}: {verdict.why}", verdict.sure))
                elif alike:
                    doubts.append(Doubt(older, newer))
        judged = await judge(world, _once(doubts))
        conflicts += [Conflict(one.doubt.older, one.doubt.newer, one.why, one.sure) for one in judged.found]
        planned = [each for one in _unique(conflicts) for each in _settled(world, one)]
        return Proposal(tuple(planned), judged.notes)


def _fresh(world: World) -> Iterator[Entry]:
    """What was written or mentioned within a day, or since the last run where that is longer ago."""
    last = world.last_run()
    begun = world.now - RECENT
    if last is not None:
        begun = min(begun, datetime.fromisoformat(last.at))
    since = world.clock.day_of(begun)
    for one in world.open_entries():
        newest = max((day for day in (one.day, one.seen) if day is not None), default=None)
        if newest is not None and newest >= since and place(one.path).kind not in _RECORDS:
            yield one


class _Topics:
    """Open entries by the exclusive attributes they speak of: who says "we moved to Leeds" shares no word with "I live in York"."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._by_name: dict[str, list[Entry]] = {}
        for one in sorted(entries, key=_when, reverse=True):
            for name in attributes_of(one.text):
                self._by_name.setdefault(name, []).append(one)

    def beside(self, entry: Entry) -> Iterator[Entry]:
        for name in attributes_of(entry.text):
            yield from self._by_name.get(name, ())[:_MOST_ON_ONE]


def _resembling(world: World, entry: Entry, topics: _Topics | None) -> Iterator[tuple[Entry, bool]]:
    """What to hold an entry against, and whether it is so much alike that a model is worth asking."""
    alike = {one.entry.id: one.entry for one in world.similar(entry.text, ALIKE)}
    others = [*alike.values(), *world.related(entry.text), *(topics.beside(entry) if topics is not None else ())]
    for other in {one.id: one for one in others}.values():
        if other.id == entry.id or other.closed or place(other.path).kind in _RECORDS:
            continue
        if _scope(other) == _scope(entry) and f"entry:{other.id}" not in entry.lineage:
            yield other, other.id in alike


def _scope(entry: Entry) -> tuple[str | None, str | None]:
    where = place(entry.path)
    return where.person, where.project


def _when(entry: Entry) -> tuple[date, str, str, int]:
    return (entry.day or date.min, entry.time, entry.path, entry.start)


def _in_order(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    return (one, other) if _when(one) <= _when(other) else (other, one)


def _once(doubts: Sequence[Doubt]) -> list[Doubt]:
    return list({(one.older.id, one.newer.id): one for one in doubts}.values())


def _unique(conflicts: Sequence[Conflict]) -> list[Conflict]:
    """Each pair once, and of an entry that loses twice only the first: closed is closed."""
    return list({(one.older.id, one.newer.id): one for one in reversed(conflicts)}.values())[::-1]


@dataclass(frozen=True, slots=True)
class _Ruling:
    """`loser` is None where a human decides."""

    loser: Entry | None
    winner: Entry | None
    rule: str


def _rule(world: World, conflict: Conflict) -> _Ruling:
    older, newer = conflict.older, conflict.newer
    corrections = [one for one in (older, newer) if _is_correction(one)]
    if corrections:
        winner = corrections[-1]
        loser = older if winner is newer else newer
        return _Ruling(loser, winner, "A correction by the owner wins.")
    trusts = world.trust(older), world.trust(newer)
    if rank(trusts[1]) < rank(trusts[0]):
        return _Ruling(None, None, "The newer is less trusted than the older.")
    told = is_human(trusts[1])
    dated = older.tag in _DATED and newer.tag in _DATED
    if told and dated and older.day is not None and newer.day is not None and newer.day - older.day >= LATER:
        return _Ruling(older, newer, f"The newer was said {(newer.day - older.day).days} days later.")
    near = "Both were said within 30 days." if told and dated else "No rule settles this."
    return _Ruling(None, None, near)


def _is_correction(entry: Entry) -> bool:
    return entry.tag is Tag.CORRECTION or entry.source == CORRECTION


def _settled(world: World, conflict: Conflict) -> Iterator[Planned]:
    """The record first: killed between the two, the next run finds the record made and does the rest."""
    ruling = _rule(world, conflict)
    evidence = referenced((conflict.older.id, conflict.newer.id))
    title = "Conflict settled" if ruling.loser is not None else "Conflict open"
    note = Note("CONFLICTS.md", _record(world, conflict, ruling))
    # a model says why in other words each time, and the same conflict is told once
    yield Planned(note, evidence, title, conflict.sure, key=f"conflict {_about(conflict.older, conflict.newer)}")
    if ruling.loser is not None and ruling.winner is not None:
        close = CloseEntry(ruling.loser.id, ruling.winner.id)
        yield Planned(close, evidence, f"{ruling.rule} {conflict.why}"[:300], conflict.sure)
        return
    yield Planned(_question(conflict), evidence, f"{ruling.rule} {conflict.why}"[:300], conflict.sure)


def _question(conflict: Conflict) -> Ask:
    older, newer = conflict.older, conflict.newer
    words = f"Which holds: {_said(newer)} or, earlier, {_said(older)}?"
    choices = (
        Choice("the newer", (CloseEntry(older.id, newer.id),)),
        Choice("the older", (CloseEntry(newer.id, older.id),)),
        Choice("both"),
    )
    return Ask("conflict", _about(older, newer), words, choices)


def _about(older: Entry, newer: Entry) -> str:
    return " ".join(sorted((older.id, newer.id)))


def _said(entry: Entry) -> str:
    return f"“{one_line(entry.text, _SHOWN)}”" + (f" ({entry.day.isoformat()})" if entry.day is not None else "")


def _record(world: World, conflict: Conflict, ruling: _Ruling) -> str:
    lines = [
        f"- older: {_described(world, conflict.older)}",
        f"- newer: {_described(world, conflict.newer)}",
        f"- found: {one_line(conflict.why, _SHOWN)}",
    ]
    if ruling.loser is None:
        return "\n".join([*lines, f"- open: {ruling.rule} The owner is asked."]) + "\n"
    lines.append(f"- settled: {ruling.rule} {ruling.loser.id} is closed.")
    stale = _derived(world, ruling.loser)
    lines += [f"- stale from now on: {', '.join(stale)}"] if stale else []
    return "\n".join(lines) + "\n"


def _described(world: World, entry: Entry) -> str:
    day = entry.day.isoformat() if entry.day is not None else "no day"
    return f"{entry.id} ({day}, {world.trust(entry)}): {one_line(entry.text, _SHOWN)}"


def _derived(world: World, loser: Entry) -> list[str]:
    """What rests on the loser and holds otherwise, through however many steps."""
    entries = world.open_entries()
    closed = [one._replace(until=world.today) if one.id == loser.id else one for one in entries]
    found = world.memory.stale(closed) - world.memory.stale(entries)
    return sorted(one.id for one in entries if one.id in found)
