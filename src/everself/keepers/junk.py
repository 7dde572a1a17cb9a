"""Counts useless memories among mined ones, so that the miner can limit itself.

Counts only. The owner's words are never unsupported or useless, but repeated ones count as duplicates.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from everself.frozen import Frozen
from everself.keepers.keeper_context import KeeperContext, marks_of
from everself.memory.memory import Memory
from everself.memory.provenance import is_human
from everself.storage.state.database import State
from everself.text.normalise import fold
from everself.values import Entry
from everself.workspace.layout import place

CEILING: Final = 0.3
# minimum number for a meaningful share
FEWEST: Final = 20
# older memories are not counted again
WINDOW: Final = timedelta(days=90)
# days without a hit until a memory counts as unrecalled, if there were searches
PATIENCE: Final = timedelta(days=30)
FEWEST_SEARCHES: Final = 20


class Junk(Frozen):
    """The number of `mined` memories, and of `junk` among them: duplicates, unsupported ones, and those never recalled in a month."""

    mined: int = 0
    duplicates: int = 0
    unsupported: int = 0
    unrecalled: int = 0
    junk: int = 0

    @property
    def share(self) -> float:
        return self.junk / self.mined if self.mined else 0.0

    @property
    def too_much(self) -> bool:
        return self.mined >= FEWEST and self.share > CEILING

    @property
    def words(self) -> str:
        counts = f"{self.duplicates} said twice, {self.unsupported} without evidence, {self.unrecalled} never recalled"
        return f"{self.junk} of {self.mined} mined memories are junk ({counts})."


def count_junk(context: KeeperContext) -> Junk:
    return find_junk(context.memory, context.state, context.open_entries(), context.today).counted


class FoundJunk(Frozen):
    """The counts, and the ids of the mined memories and of the junk."""

    counted: Junk
    mined: tuple[Entry, ...] = ()
    junk: frozenset[str] = frozenset()


def find_junk(memory: Memory, state: State, entries: Iterable[Entry], today: date) -> FoundJunk:
    """Examine open entries within the window."""
    since = today - WINDOW
    mined = [one for one in entries if one.day is not None and one.day >= since and _is_mined(one)]
    if not mined:
        return FoundJunk(Junk())
    duplicates = _duplicates(mined)
    stale = memory.stale_among(mined)
    unsupported = {one.id for one in mined if not is_human(one.source) and (not one.lineage or one.id in stale)}
    unrecalled = _unrecalled(state, mined, today)
    junk = frozenset(duplicates | unsupported | unrecalled)
    counted = Junk(len(mined), len(duplicates), len(unsupported), len(unrecalled), len(junk))
    return FoundJunk(counted, tuple(mined), junk)


def _is_mined(entry: Entry) -> bool:
    """Whether a program wrote it, or extracted it from a conversation."""
    return not is_human(entry.source) or any(one.startswith("msg:") for one in entry.lineage)


def _duplicates(entries: list[Entry]) -> set[str]:
    """All but the first of entries that say the same within one scope."""
    seen = Counter[tuple[object, ...]]()
    found: set[str] = set()
    for one in entries:
        where = place(one.path)
        key = (where.person, where.project, frozenset(marks_of(one.text)) or fold(one.text), _digits(one.text))
        found |= {one.id} if seen[key] else set()
        seen[key] += 1
    return found


def _unrecalled(state: State, mined: list[Entry], today: date) -> set[str]:
    before = today - PATIENCE
    old = [one.id for one in mined if not is_human(one.source) and one.day is not None and one.day <= before]
    asked = state.searches.list(FEWEST_SEARCHES)
    # without searches nothing can be recalled
    if not old or len(asked) < FEWEST_SEARCHES:
        return set()
    return set(old) - state.searches.hits_of(old).keys()


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdecimal())
