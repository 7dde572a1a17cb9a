"""Finds what the owner said repeatedly of how the agent should behave: wishes, corrections, welcome behaviour, abilities. Reads only.

Only their own words count, said to the agent and vouched for: no page, tool, guest, import, summary or text of unknown hand is a reason
for a soul to change, however often it is repeated. Of what a model noted, the sentence counts that it noted it from. Facts are memory's.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final, Literal

from everself.classify.contradiction import contradicts
from everself.classify.corrections import find_correction
from everself.classify.coverage import shares_words
from everself.classify.model import score
from everself.classify.openers import bare
from everself.classify.topics import says
from everself.frozen import Frozen
from everself.keepers.keeper_context import KeeperContext
from everself.memory import provenance
from everself.memory.provenance import AGENT, CORRECTION, OWNER, rank
from everself.memory.statements import stated
from everself.search.similarity import overlap, words_of
from everself.text.normalise import one_line
from everself.values import Entry
from everself.workspace.layout import Kind, place

About = Literal["correction", "welcome", "ability"]

SAME: Final = 0.9
# the share of common words that is enough without it: a calibrated .85
SHARED: Final = 0.6
COOL: Final = timedelta(hours=24)
TWICE: Final = 2
# entries that are compared, the newest first; a soul does not grow from what was said years ago
MOST: Final = 300
LONGEST: Final = 200
# themes that an entry is held against, those with most words in common: telling a contradiction takes a millisecond
_COMPARED: Final = 3
QUOTE: Final = "quote"
_RECORDS: Final = frozenset({Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.CHRONICLE})


class Theme(Frozen):
    """Entries that say the same, the newest first."""

    about: About
    entries: tuple[Entry, ...]

    @property
    def times(self) -> int:
        return sum(max(1, one.mentions) for one in self.entries)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one.id for one in self.entries)

    @property
    def evidence(self) -> tuple[str, ...]:
        return evidence_of(self.entries)

    @property
    def words(self) -> str:
        """In the owner's words: those of the correction that stands, or of the newest."""
        told = next((one.text for one in self.entries if one.source == CORRECTION), self.entries[0].text)
        return one_line(bare(told), 10 * LONGEST)


def evidence_of(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Each entry, or the message that is quoted in its place."""
    found = (one.lineage[0] if one.category == QUOTE else f"entry:{one.id}" for one in entries)
    return tuple(dict.fromkeys(found))


def find_themes(context: KeeperContext) -> list[Theme]:
    """The newest first, whether ripe or not."""
    groups: list[tuple[About, list[Entry]]] = []
    for about, entry in _told(context):
        held = _held(entry.text)
        nearest = sorted(
            (found for kind, found in groups if kind == about), key=lambda found: -overlap(held, _held(found[0].text))
        )
        near = [found for found in nearest[:_COMPARED] if say_same(context, entry.text, found[0].text)]
        if near:
            near[0].append(entry)
        else:
            groups.append((about, [entry]))
    return [Theme(about, tuple(found)) for about, found in groups]


def say_same(context: KeeperContext, one: str, other: str) -> bool:
    """By keywords, or by likeness where other words say it; never where they contradict each other."""
    shared = overlap(_held(one), _held(other))
    if shared < SHARED and (shared == 0.0 or context.alike(bare(one), bare(other)) < SAME):
        return False
    return agree(one, other)


def agree(one: str, other: str) -> bool:
    """Whether both can hold. "Tuesday, not Monday" holds Monday too, and still says the same as "Tuesday"."""
    if not contradicts(one, other):
        return True
    held, held_too = _held(one), _held(other)
    return bool(held and held_too) and (held <= held_too or held_too <= held)


@lru_cache(maxsize=4 * MOST)
def _held(text: str) -> frozenset[str]:
    """The words of a statement, without those that it calls wrong."""
    told = find_correction(text)
    return words_of(bare(text)) - (words_of(told.old) - words_of(told.new) if told is not None else frozenset())


def is_ripe(context: KeeperContext, theme: Theme) -> bool:
    """Said twice, and not within the last day: a statement made in anger does not change the soul."""
    return theme.times >= TWICE and all(is_cool(context, one) for one in theme.entries)


def is_cool(context: KeeperContext, entry: Entry) -> bool:
    last = last_said(context, entry)
    return last is not None and context.now - last >= COOL


def last_said(context: KeeperContext, entry: Entry) -> datetime | None:
    """When it was last said, rather too late than too early; None where nobody knows."""
    days = [day for day in (entry.day, entry.seen) if day is not None]
    if not days:
        return None
    if entry.time and max(days) == entry.day:
        try:
            return datetime.combine(max(days), time.fromisoformat(entry.time), context.clock.zone)
        except ValueError:
            pass
    return datetime.combine(max(days) + timedelta(days=1), time(), context.clock.zone)


def is_evidence(context: KeeperContext, entry: Entry) -> bool:
    """Whether the owner said it to the agent, as itself and about nobody else."""
    where = place(entry.path)
    if entry.closed or not entry.vouched or where.person or where.project or where.kind in _RECORDS:
        return False
    return rank(entry.source) >= rank(OWNER) and rank(context.trust(entry)) >= rank(OWNER)


def is_correction(entry: Entry) -> bool:
    return provenance.is_correction(entry) or entry.category == "correction"


def own_words(context: KeeperContext, entry: Entry) -> Iterator[Entry]:
    """The entry, where the owner said it; else the sentences of theirs that a model noted it from, each with its message as evidence."""
    if is_evidence(context, entry):
        yield entry
        return
    where = place(entry.path)
    if entry.source != AGENT or entry.closed or not entry.vouched or where.person or where.project:
        return
    for reference in entry.lineage:
        kind, _, name = reference.partition(":")
        message = context.log.message(name) if kind == "msg" else None
        if message is None or context.source_of(message) != OWNER:
            continue
        for sentence in stated(message.content):
            if shares_words(entry.text, (sentence,)):
                at = message.at.astimezone(context.clock.zone)
                quote = entry._replace(text=sentence, source=OWNER, lineage=(reference,), category=QUOTE, mentions=1)
                yield quote._replace(day=context.clock.day_of(message.at), seen=None, time=at.strftime("%H:%M:%S"))


def _told(context: KeeperContext) -> Iterator[tuple[About, Entry]]:
    found = sorted(context.open_entries(), key=lambda one: (str(one.day or ""), one.time), reverse=True)
    count = 0
    for entry in found:
        if count >= MOST:
            return
        for said in own_words(context, entry):
            about = about_of(said)
            if about is not None:
                count += 1
                yield about, said


def about_of(entry: Entry) -> About | None:
    """What of the agent's behaviour an entry is about; None for all else, a fact that was put right included."""
    told = entry.text[: 2 * LONGEST]
    if not is_correction(entry):
        about: About | None = "welcome" if says(told, "welcome") else "ability" if says(told, "ability") else None
        if about is not None:
            return about
    return "correction" if score(bare(told)).says("wish") else None
