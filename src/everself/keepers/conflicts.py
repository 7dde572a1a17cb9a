"""The Conflict Detector: compares new entries with similar ones and asks the owner. It closes an entry only if a later statement replaces
it.

Nothing is closed by a guess. Without a model it asks only about statements that differ in one number, date or name. A model finds more, and
may name a replacement if both quotes support it. Proposes only.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from everself.classify.difference import find_difference
from everself.classify.openers import bare
from everself.keepers._conflict_judge import ConflictCandidate, EntryConflict, judge
from everself.keepers.conflict_questions import about_both, which_holds
from everself.keepers.keeper import CloseEntry, KeeperProposal, Note, Planned, Progress, Tell, referenced
from everself.keepers.keeper_context import KeeperContext
from everself.memory.provenance import AGENT, CORRECTION, OWNER, is_correction
from everself.text.normalise import one_line
from everself.values import Entry
from everself.workspace.layout import Kind, place

NAME: Final = "conflict-detector"
ALIKE: Final = 0.8
RECENT: Final = timedelta(days=1)
# limit of questions a day: a person who is asked more answers none
MOST_ASKED: Final = 5
_RECORDS: Final = frozenset({Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.CHRONICLE})
_SHOWN: Final = 160


class Detector:
    name = NAME
    title = "Conflict Detector"
    schedule = "cron_conflict_detector"

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        since = _since(context)
        fresh = list(_fresh(context, since))
        doubts: list[ConflictCandidate] = []
        tell(Progress(0, len(fresh), "entries"))
        for number, entry in enumerate(fresh, 1):
            tell(Progress(number, len(fresh), "entries"))
            doubts += [one for one in _doubts(context, entry) if not _is_asked(context, one)]
        doubts = list({about_both(one.older.id, one.newer.id): one for one in doubts}.values())
        judged = await judge(context, doubts)
        found = list(judged.found)
        # pairs that the model has answered
        found += [
            EntryConflict(one.older, one.newer, one.why, 1.0) for one in doubts if one.why and one not in judged.asked
        ]
        planned, left = _settled(context, found)
        notes = (*judged.notes, *((f"{left} more to ask about; {MOST_ASKED} a day are asked.",) if left else ()))
        return KeeperProposal(tuple(planned), notes, (since if left else context.today).isoformat())


def _since(context: KeeperContext) -> date:
    """A day ago, the last run if that is longer ago, or the day of the oldest postponed pair."""
    last, begun = context.last_run(), context.now - RECENT
    if last is not None:
        begun = min(begun, datetime.fromisoformat(last.at))
    since, upto = context.clock.day_of(begun), context.upto()
    return min(since, date.fromisoformat(upto)) if upto else since


def _fresh(context: KeeperContext, since: date) -> Iterator[Entry]:
    """Entries written or mentioned since then."""
    for one in context.open_entries():
        newest = max((day for day in (one.day, one.seen) if day is not None), default=None)
        if newest is not None and newest >= since and place(one.path).kind not in _RECORDS:
            yield one


def _doubts(context: KeeperContext, entry: Entry) -> Iterator[ConflictCandidate]:
    """Pairs that differ in one value; for a model also very similar pairs."""
    alike = {one.entry.id: one.entry for one in context.similar(entry.text, ALIKE)} if context.has_model() else {}
    others = {one.id: one for one in (*alike.values(), *context.related(entry.text))}
    for other in others.values():
        if not _is_comparable(entry, other):
            continue
        older, newer = _in_order(entry, other)
        found = find_difference(bare(older.text), bare(newer.text))
        if found is not None or other.id in alike:
            why = f"They differ in one {found.kind}: {found.one} or {found.other}." if found is not None else ""
            yield ConflictCandidate(older, newer, why, _is_own(context, older, newer))


def _is_comparable(entry: Entry, other: Entry) -> bool:
    if (
        other.id == entry.id
        or other.closed
        or place(other.path).kind in _RECORDS
        or place(other.path).scope != place(entry.path).scope
    ):
        return False
    return f"entry:{other.id}" not in entry.lineage and f"entry:{entry.id}" not in other.lineage


def _is_own(context: KeeperContext, older: Entry, newer: Entry) -> bool:
    """Whether the newer is the owner's later statement and neither contains text from outside, which could manipulate a model."""
    if context.trust(newer) not in (OWNER, CORRECTION) or context.trust(older) not in (AGENT, OWNER, CORRECTION):
        return False
    if older.day is None or newer.day is None or (is_correction(older) and not is_correction(newer)):
        return False
    return (older.day, older.time) < (newer.day, newer.time)


def _is_asked(context: KeeperContext, doubt: ConflictCandidate) -> bool:
    return context.state.reviews.about("conflict", about_both(doubt.older.id, doubt.newer.id)) is not None


def _when(entry: Entry) -> tuple[date, str, str, int]:
    return (entry.day or date.min, entry.time, entry.path, entry.start)


def _in_order(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    return (one, other) if _when(one) <= _when(other) else (other, one)


def _settled(context: KeeperContext, conflicts: Sequence[EntryConflict]) -> tuple[list[Planned], int]:
    """The actions for the conflicts, and the number of postponed ones."""
    may_ask = MOST_ASKED - context.state.reviews.count("conflict", context.today.isoformat())
    planned: list[Planned] = []
    closed: set[str] = set()
    left = 0
    # closing first: closed entries need no question
    for one in sorted(conflicts, key=lambda found: not found.replaces):
        if closed & {one.older.id, one.newer.id}:
            continue
        if one.replaces:
            closed.add(one.older.id)
        elif may_ask <= 0:
            left += 1
            continue
        else:
            may_ask -= 1
        planned += _planned(context, one)
    return planned, left


def _planned(context: KeeperContext, conflict: EntryConflict) -> Iterator[Planned]:
    """The record comes first: after a crash between the two, the next run completes the action."""
    evidence = referenced((conflict.older.id, conflict.newer.id))
    title = "Conflict settled" if conflict.replaces else "Conflict open"
    note = Note("CONFLICTS.md", _record(context, conflict))
    # a model words its reason differently each time; record a conflict once
    yield Planned(
        note, evidence, title, conflict.sure, key=f"conflict {about_both(conflict.older.id, conflict.newer.id)}"
    )
    if conflict.replaces:
        before, now = conflict.quotes
        reason = f"“{one_line(now, _SHOWN)}” replaces “{one_line(before, _SHOWN)}”"
        yield Planned(CloseEntry(conflict.older.id, conflict.newer.id), evidence, reason, conflict.sure)
    else:
        yield Planned(which_holds(conflict.older, conflict.newer), evidence, conflict.why[:300], conflict.sure)


def _record(context: KeeperContext, conflict: EntryConflict) -> str:
    older, newer = conflict.older, conflict.newer
    lines = [
        f"- older: {_described(context, older)}",
        f"- newer: {_described(context, newer)}",
        f"- found: {one_line(conflict.why, _SHOWN)}",
    ]
    if not conflict.replaces:
        return "\n".join([*lines, "- open: The owner is asked."]) + "\n"
    before, now = (one_line(one, _SHOWN) for one in conflict.quotes)
    lines.append(f"- settled: The owner's later statement “{now}” replaces “{before}”. {older.id} is closed.")
    stale = _derived(context, older)
    lines += [f"- stale from now on: {', '.join(stale)}"] if stale else []
    return "\n".join(lines) + "\n"


def _described(context: KeeperContext, entry: Entry) -> str:
    day = entry.day.isoformat() if entry.day is not None else "no day"
    return f"{entry.id} ({day}, {context.trust(entry)}): {one_line(entry.text, _SHOWN)}"


def _derived(context: KeeperContext, loser: Entry) -> list[str]:
    """Open entries that depend on the losing entry, directly or indirectly."""
    entries = context.open_entries()
    closed = [one._replace(until=context.today) if one.id == loser.id else one for one in entries]
    found = context.memory.stale(closed) - context.memory.stale(entries)
    return sorted(one.id for one in entries if one.id in found)
