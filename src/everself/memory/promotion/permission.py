"""Who may promote an entry: a keeper, only the owner, or only the owner by naming it. The least trusted part decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, HAND, PERSON, rank, weaker
from everself.values import Entry
from everself.workspace.layout import place

# free: a keeper may promote it. confirm: it was added outside Everself, so the owner must agree. held: only if the owner names it.
PromotionRight = Literal["free", "confirm", "held"]


@dataclass(frozen=True, slots=True)
class PromotionPermission:
    """`weakest` is the least trusted source that what moves rests on; `why` is empty where it is free."""

    may: PromotionRight
    weakest: str
    why: str = ""


def permission_of(memory: Memory, moving: Sequence[Entry]) -> PromotionPermission:
    weakest = memory.trust(moving[0])
    for one in moving[1:]:
        weakest = weaker(weakest, memory.trust(one))
    person = place(moving[0].path).person
    if rank(weakest) < rank(AGENT) and not (person and weakest == f"{PERSON}{person}"):
        return PromotionPermission("held", weakest, f"it rests on an outside source ({weakest})")
    if weakest == HAND:
        return PromotionPermission(
            "confirm", weakest, "it was added outside Everself, and only the owner can say whose it is"
        )
    return PromotionPermission("free", weakest)
