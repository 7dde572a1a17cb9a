"""Targets of promoted entries, one page per category within the entry's scope; and who may promote an entry. Opens no document."""

from collections.abc import Sequence
from typing import Final, Literal

from everself.classify.topics import Category
from everself.errors import RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, HAND, PERSON, rank, weaker
from everself.memory.writing import CORE, HEADINGS
from everself.values import Entry, Tier
from everself.workspace.layout import Kind, Place, place

# found by searches again and again
Recalled = Literal["recalled"]

PAGES: Final[dict[Category | Recalled, str]] = {
    "decision": "memory/decisions.md",
    "architecture": "memory/architecture.md",
    "financial": "memory/finances.md",
    "legal": "memory/legal.md",
    "people": "memory/people.md",
    "milestone": "memory/milestones.md",
    "strategy": "memory/strategy.md",
    # explicit wishes and frequently needed entries go to the file that is part of every prompt
    "explicit": CORE,
    "recalled": CORE,
}
_CORES: Final = (Kind.CORE_MEMORY, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY)

# free: a keeper may promote it. confirm: it was added outside Everself, so the owner must agree. held: only if the owner names it.
PromotionRight = Literal["free", "confirm", "held"]


class PromotionPermission(Frozen):
    """`weakest` is the least trusted source of the moving entries; `why` is empty if promotion is free."""

    may: PromotionRight
    weakest: str
    why: str = ""


def target_for(path: str, category: Category | Recalled) -> str:
    """The page for an entry at `path`, within the memory of the same person or project."""
    where = place(path)
    scope = "/".join(path.split("/")[:2]) + "/" if where.person or where.project else ""
    return scope + PAGES[category]


def can_leave(path: str) -> bool:
    """Whether entries of a document may be promoted: working memory of people and the agent, except chronicles and bank pages."""
    where = place(path)
    return where.tier is Tier.WORKING and where.writer == "agent" and where.kind not in (Kind.CHRONICLE, Kind.BANK)


def permission_of(memory: Memory, moving: Sequence[Entry]) -> PromotionPermission:
    weakest = memory.trust(moving[0])
    for one in moving[1:]:
        weakest = weaker(weakest, memory.trust(one))
    if _is_outside(weakest, place(moving[0].path)):
        return PromotionPermission("held", weakest, f"it rests on an outside source ({weakest})")
    if weakest == HAND:
        return PromotionPermission(
            "confirm", weakest, "it was added outside Everself, and only the owner can say whose it is"
        )
    return PromotionPermission("free", weakest)


def check_target(target: str) -> str:
    """The path itself if it is core memory. Raises WrongUse if not."""
    where = place(target)
    if where.tier is Tier.CORE and where.writer == "agent" and target.endswith(".md") and where.kind is not Kind.BANK:
        return target
    words = (
        f"{target[:200]!r} is not core memory: entries are promoted to MEMORY.md or to an undated file under memory/."
    )
    raise WrongUse(words, mend="--target memory/legal.md")


def check_fit(entry: Entry, weakest: str, target: str) -> None:
    """Raise RefusedByRule if the entry would leave its scope, or outside text would enter every prompt."""
    here, there = place(entry.path), place(target)
    if here.scope != there.scope:
        raise RefusedByRule(f"{entry.id} belongs to another person or project than {target}.")
    if there.injected and _is_outside(weakest, there):
        words = f"{entry.id} rests on an outside source ({weakest}), and {target} is part of every prompt."
        raise RefusedByRule(words, mend=f"everself memory promote {entry.id} --apply --target memory/notes.md")


def _is_outside(source: str, where: Place) -> bool:
    """Whether a source is outside. In a person's own memory, that person is not."""
    return rank(source) < rank(AGENT) and not (where.person and source == f"{PERSON}{where.person}")


def heading_in(target: str, entry: Entry) -> str:
    """The heading for an item: by tag in MEMORY.md, by day on other pages."""
    if target.rpartition("/")[2] == CORE and place(target).kind in _CORES:
        return HEADINGS[entry.tag]
    return entry.day.isoformat() if entry.day is not None else title_of(target)


def title_of(target: str) -> str:
    """The title of a new page."""
    name = target.rpartition("/")[2]
    if name == CORE:
        return "Memory"
    words = name.removesuffix(".md").replace("-", " ").replace("_", " ").replace("#", " ").split()
    return " ".join(words).capitalize() or "Notes"
