"""The Memory Compactor: archives old days, corrections and souls, writes the monthly chronicle, merges and fades lines of MEMORY.md.

Proposes only; `memory.archive` executes. With a model, the chronicle summarises each day; a summary must cite entries of its day.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date
from typing import Final, TypeVar

from everself.errors import RefusedByRule
from everself.identity.versions import find_old_souls, thin_souls
from everself.keepers._model_answers import list_schema
from everself.keepers.keeper import (
    Archive,
    Ask,
    Choice,
    CloseEntry,
    KeeperProposal,
    Merge,
    Planned,
    Progress,
    Tell,
    referenced,
)
from everself.keepers.keeper_context import KeeperContext
from everself.memory.archive.chronicle import LONGEST, ChronicleText, first_sentence, tells
from everself.memory.archive.corrections import archive_corrections, find_old_corrections
from everself.memory.archive.days import OldDay, archive_days, find_old_days
from everself.memory.archive.faded_lines import archive_lines, find_faded, is_faded, merge_lines
from everself.memory.archive.similar_lines import near_pairs, same_words
from everself.memory.memory import Memory
from everself.memory.provenance import rank
from everself.values import Author, Entry, ended_words
from everself.workspace.layout import Kind, place

T = TypeVar("T")
NAME: Final = "memory-compactor"
SAME: Final = 0.9
# a person should be able to read what a change did
MOST_A_CHANGE: Final = 92
MOST_ASKED: Final = 10
# number of lines in one request
_MOST_LINES: Final = 120
_SCHEMA: Final = list_schema(
    "days",
    31,
    {
        "day": {"type": "string", "maxLength": 10},
        "story": {"type": "string", "maxLength": 2_000},
        "entries": {"type": "array", "maxItems": 200, "items": {"type": "string", "maxLength": 20}},
    },
)


class Compactor:
    name = NAME
    title = "Memory Compactor"
    schedule = "cron_compactor_weekly"

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        operations: list[Planned] = []
        notes: list[str] = []
        old = find_old_days(context.memory, context.tunables.compaction_age_days)
        notes += [f"{one.path} stays: {one.why}." for one in old.held]
        groups = list(_groups(old.days))
        for number, days in enumerate(groups, 1):
            tell(Progress(number, len(groups), "quarters"))
            operations.append(await _archive(context, days, notes))
        operations += _merges(context)
        operations += _faded(context)
        operations += _corrections(context)
        operations += _souls(context)
        return KeeperProposal(tuple(operations), tuple(notes))


def put_away(memory: Memory, planned: Planned) -> str:
    """Execute `Archive`. Returns the id of the change, empty if there was nothing to do."""
    match planned.operation:
        case Archive("days", names, told):
            stories = [ChronicleText(date.fromisoformat(day), text, tuple(ids.split(","))) for day, text, ids in told]
            return archive_days(
                memory, names, remove=True, chronicled=True, stories=stories, author=Author.KEEPER
            ).change
        case Archive("lines", names):
            return archive_lines(memory, names)
        case Archive("duplicates", (keep, drop)):
            return merge_lines(memory, keep, drop)
        case Archive("corrections", (days,)) if days.isascii() and days.isdigit():
            return archive_corrections(memory, int(days))
        case Archive("souls", names):
            return thin_souls(memory, names)
    raise RefusedByRule("This cannot be archived here.")


def _groups(days: Sequence[OldDay]) -> Iterator[tuple[OldDay, ...]]:
    """The days grouped by quarter and owner, in order: one change per month would read the archive three times as often."""
    quarters: dict[str, list[OldDay]] = defaultdict(list)
    for one in days:
        quarters[one.to].append(one)
    for _, found in sorted(quarters.items()):
        yield from _batches(found, MOST_A_CHANGE)


async def _archive(context: KeeperContext, days: Sequence[OldDay], notes: list[str]) -> Planned:
    names = tuple(one.path for one in days)
    told: tuple[tuple[str, str, str], ...] = ()
    where = place(names[0])
    if context.has_model() and not (where.person or where.project):
        told = tuple([one async for one in _tell_of(context, names, notes)])
    reason = f"{len(names)} {'day' if len(names) == 1 else 'days'} to {days[0].to}"
    return Planned(Archive("days", names, told), tuple(f"file:{path}" for path in names), reason)


async def _tell_of(
    context: KeeperContext, paths: Sequence[str], notes: list[str]
) -> AsyncIterator[tuple[str, str, str]]:
    """The model's summaries of days, if they cite only entries of their day."""
    known: dict[str, set[str]] = defaultdict(set)
    lines: list[str] = []
    for path in paths:
        day = place(path).day
        for entry in context.memory.catalog.of(path):
            if day is not None and tells(entry, context.trust(entry)):
                known[day.isoformat()].add(entry.id)
                ended = f" ({ended_words(entry.until, context.memory.words_now(entry))})" if entry.closed else ""
                lines.append(f"{day.isoformat()} [{entry.id}] {' '.join(entry.text.split())[: 4 * LONGEST]}{ended}")
    for some in _batches(lines, _MOST_LINES):
        answered = await context.answer("\n".join(some), _SCHEMA)
        if answered.value is None:
            notes += [f"The chronicle was written by rules: {answered.why}"] if answered.why else []
            return
        for one in answered.value["days"]:
            day, ids = one["day"], [name.removeprefix("entry:") for name in one["entries"]]
            if ids and known.get(day, set()).issuperset(ids) and one["story"].strip():
                yield day, one["story"], ",".join(ids)


def _merges(context: KeeperContext) -> Iterator[Planned]:
    """Lines of MEMORY.md that say the same. Identical ones are merged; similar ones are left to a human."""
    lines = [one for one in context.open_entries() if place(one.path).kind is Kind.CORE_MEMORY]
    gone: set[str] = set()
    for one, other in near_pairs(lines):
        exact = same_words(one, other)
        if gone & {one.id, other.id} or (not exact and context.alike(one.text, other.text) < SAME):
            continue
        keep, drop = _order(context, one, other)
        gone.add(drop.id)
        words = f"“{first_sentence(drop.text)}” says the same as “{first_sentence(keep.text)}”"
        both = (keep.id, drop.id)
        yield Planned(Archive("duplicates", both) if exact else Merge(*both), referenced(both), words, review=not exact)


def _faded(context: KeeperContext) -> Iterator[Planned]:
    faded = find_faded(context.memory, context.open_entries())
    for some in _batches(faded, MOST_A_CHANGE):
        names = tuple(one.id for one in some)
        yield Planned(Archive("lines", names), referenced(names), f"{len(names)} faded lines of MEMORY.md")
    lines = {one.id for one in faded}
    asked = 0
    for one in context.open_entries():
        # a human judges the agent's guesses on its own page
        if one.id in lines or asked >= MOST_ASKED or not is_faded(context.memory, one):
            continue
        asked += 1
        words = f"Nobody has mentioned this since {one.seen}: “{first_sentence(one.text)}” ({one.path})"
        choices = (Choice("It no longer holds", (CloseEntry(one.id),)), Choice("Keep it"))
        yield Planned(Ask("stale", one.id, words, choices), referenced((one.id,)), "not mentioned for long")


def _corrections(context: KeeperContext) -> Iterator[Planned]:
    days = context.tunables.correction_archive_days
    count = find_old_corrections(context.memory, days)
    if count:
        reason = f"{count} {'record' if count == 1 else 'records'} of corrections older than {days} days"
        yield Planned(Archive("corrections", (str(days),)), ("file:CORRECTIONS.md",), reason)


def _souls(context: KeeperContext) -> Iterator[Planned]:
    days = context.tunables.soul_history_retention_days
    needed = [one.base for one in context.state.proposals.list("open", 1_000)]
    for some in _batches(find_old_souls(context.memory, days, needed), MOST_A_CHANGE):
        evidence = tuple(f"file:{path}" for path in some)
        yield Planned(Archive("souls", some), evidence, f"{len(some)} earlier souls older than {days} days")


def _order(context: KeeperContext, one: Entry, other: Entry) -> tuple[Entry, Entry]:
    """Sort key for the line to keep: more trusted, then mentioned more often, then older."""

    def worth(entry: Entry) -> tuple[int, int, int]:
        return rank(context.trust(entry)), entry.mentions, -(entry.day or date.max).toordinal()

    return (one, other) if worth(one) >= worth(other) else (other, one)


def _batches(found: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    yield from (tuple(found[at : at + size]) for at in range(0, len(found), size))
