"""Finds what the owner said repeatedly about the agent's behaviour: wishes, corrections, praise, abilities. Reads only.

Only the owner's own verified words to the agent count. Pages, tools, guests, imports, summaries and unverified text never change a soul,
however often they repeat. A model's note counts by the sentence it was made from. Facts belong to memory.
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
# share of common words that suffices without embeddings, calibrated to .85
SHARED: Final = 0.6
COOL: Final = timedelta(hours=24)
TWICE: Final = 2
# number of entries to compare, newest first
MOST: Final = 300
LONGEST: Final = 200
# number of themes to compare an entry with, by shared words: detecting a contradiction takes a millisecond
_COMPARED: Final = 3
QUOTE: Final = "quote"
_RECORDS: Final = frozenset({Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.CHRONICLE})


class Theme(Frozen):
    """Entries that say the same, newest first."""

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
        """The owner's words: those of the open correction, or the newest."""
        told = next((one.text for one in self.entries if one.source == CORRECTION), self.entries[0].text)
        return one_line(bare(told), 10 * LONGEST)


def evidence_of(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Each entry, or the message that it quotes."""
    found = (one.lineage[0] if one.category == QUOTE else f"entry:{one.id}" for one in entries)
    return tuple(dict.fromkeys(found))


def find_themes(context: KeeperContext) -> list[Theme]:
    """All themes, newest first, including recent ones."""
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
    """Whether they say the same, by keywords or similarity; never if they contradict each other."""
    shared = overlap(_held(one), _held(other))
    if shared < SHARED and (shared == 0.0 or context.alike(bare(one), bare(other)) < SAME):
        return False
    return agree(one, other)


def agree(one: str, other: str) -> bool:
    """Whether both can hold. "Tuesday, not Monday" contains Monday, and still agrees with "Tuesday"."""
    if not contradicts(one, other):
        return True
    held, held_too = _held(one), _held(other)
    return bool(held and held_too) and (held <= held_too or held_too <= held)


@lru_cache(maxsize=4 * MOST)
def _held(text: str) -> frozenset[str]:
    """The words of a statement without those that it rejects."""
    told = find_correction(text)
    return words_of(bare(text)) - (words_of(told.old) - words_of(told.new) if told is not None else frozenset())


def is_ripe(context: KeeperContext, theme: Theme) -> bool:
    """Whether it was said twice, and not within the last day: a statement made in anger does not change the soul."""
    return theme.times >= TWICE and all(is_cool(context, one) for one in theme.entries)


def is_cool(context: KeeperContext, entry: Entry) -> bool:
    last = last_said(context, entry)
    return last is not None and context.now - last >= COOL


def last_said(context: KeeperContext, entry: Entry) -> datetime | None:
    """The latest possible time of the last statement; None if unknown."""
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
    """Whether the owner said it to the agent, and not about another person."""
    where = place(entry.path)
    if entry.closed or not entry.vouched or where.person or where.project or where.kind in _RECORDS:
        return False
    return rank(entry.source) >= rank(OWNER) and rank(context.trust(entry)) >= rank(OWNER)


def is_correction(entry: Entry) -> bool:
    return provenance.is_correction(entry) or entry.category == "correction"


def own_words(context: KeeperContext, entry: Entry) -> Iterator[Entry]:
    """The entry if it is the owner's, otherwise their sentences behind a model's note, each with its message as evidence."""
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
    """The aspect of the agent's behaviour that the entry concerns; None for everything else, including corrected facts."""
    told = entry.text[: 2 * LONGEST]
    if not is_correction(entry):
        about: About | None = "welcome" if says(told, "welcome") else "ability" if says(told, "ability") else None
        if about is not None:
            return about
    return "correction" if score(bare(told)).says("wish") else None
