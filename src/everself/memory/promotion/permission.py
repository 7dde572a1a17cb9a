"""Who may promote an entry: a keeper by itself, only the owner, or only the owner who names it. Trust is the least of all that moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, HAND, PERSON, rank, weaker
from everself.values import Entry
from everself.workspace.layout import place

# free: whoever may promote. confirm: a hand wrote it, so the owner has to agree. held: nobody, unless the owner names it.
May = Literal["free", "confirm", "held"]


@dataclass(frozen=True, slots=True)
class Standing:
    """`weakest` is the least trusted source that what moves rests on; `why` is empty where it is free."""

    may: May
    weakest: str
    why: str = ""


def standing_of(memory: Memory, moving: Sequence[Entry]) -> Standing:
    weakest = memory.trust(moving[0])
    for one in moving[1:]:
        weakest = weaker(weakest, memory.trust(one))
    person = place(moving[0].path).person
    if rank(weakest) < rank(AGENT) and not (person and weakest == f"{PERSON}{person}"):
        return Standing("held", weakest, f"it rests on what came from outside ({weakest})")
    if weakest == HAND:
        return Standing("confirm", weakest, "a hand wrote it, and only the owner can say whose")
    return Standing("free", weakest)
