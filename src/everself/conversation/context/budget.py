"""Allocates the token budget among the slots of a prompt. Numbers in, numbers out.

Does not know what a slot contains or how tokens are counted. docs/decisions/0024 works out the rules by hand.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from everself.config.sections import Tunables
from everself.errors import ContextTooSmall, WrongUse
from everself.frozen import Frozen


class Slot(StrEnum):
    """From the highest priority to the lowest."""

    IDENTITY = "identity"
    USER = "user"
    CORRECTIONS = "corrections"
    RECENT = "recent"
    SEMANTIC = "semantic"
    CRM = "crm"
    LONGTERM = "longterm"
    EXTERNAL = "external"


SLOTS = tuple(Slot)
# how many times its budget a slot other than the soul may reach by taking room from others
_REACH: Final = 2


class Theft(Frozen):
    """Room that a higher-priority slot took from a lower-priority one. `used`: the lower slot would have filled it."""

    taker: Slot
    giver: Slot
    tokens: int
    used: bool = False


class Offer(Frozen):
    """Room that a higher-priority slot left empty; without a giver, room of the total that no budget claims."""

    giver: Slot | None
    taker: Slot
    tokens: int


class Allotment(Frozen):
    """The tokens of each slot. `own` is its budget, as far as the total allows; `given` is the final allotment."""

    given: Mapping[Slot, int]
    own: Mapping[Slot, int]
    stolen: tuple[Theft, ...]
    offered: tuple[Offer, ...]
    total: int

    @property
    def unused(self) -> int:
        return self.total - sum(self.given.values())


def budgets_of(tunables: Tunables) -> dict[Slot, int]:
    return {
        Slot.IDENTITY: tunables.identity_tokens,
        Slot.USER: tunables.user_profile_tokens,
        Slot.CORRECTIONS: tunables.corrections_tokens,
        Slot.RECENT: tunables.recent_memory_tokens,
        Slot.SEMANTIC: tunables.semantic_recall_tokens,
        Slot.CRM: tunables.crm_tokens,
        Slot.LONGTERM: tunables.longterm_memory_tokens,
        Slot.EXTERNAL: tunables.external_context_budget,
    }


def scaled(budgets: Mapping[Slot, int], total: int) -> dict[Slot, int]:
    """Scale budgets to fit into `total`, in the same proportions. The soul's budget stays, because it is never cut."""
    others = sum(tokens for slot, tokens in budgets.items() if slot is not Slot.IDENTITY)
    if others <= total:
        return dict(budgets)
    return {slot: tokens if slot is Slot.IDENTITY else tokens * total // others for slot, tokens in budgets.items()}


class Demands(Frozen):
    """`needs` are met at the cost of lower slots, `wants` only from room that would stay empty."""

    needs: Mapping[Slot, int]
    wants: Mapping[Slot, int]


def demands(whole: Mapping[Slot, int], budgets: Mapping[Slot, int], *, unverified: int = 0) -> Demands:
    """Which slots may take from others, given the full size of each. `unverified` is the size of the corrections not embedded again yet.

    The soul needs all of itself. The user's profile, and corrections that no search finds yet, need up to twice their budget. The other
    slots are packed by importance and can be searched, so they need their own budget and want more: a long diary must not empty MEMORY.md.
    """
    needs = {slot: min(whole.get(slot, 0), budgets.get(slot, 0)) for slot in SLOTS}
    needs[Slot.IDENTITY] = whole.get(Slot.IDENTITY, 0)
    for slot, size in ((Slot.USER, whole.get(Slot.USER, 0)), (Slot.CORRECTIONS, unverified)):
        needs[slot] = max(needs[slot], min(size, _REACH * budgets.get(slot, 0)))
    return Demands(MappingProxyType(needs), MappingProxyType({slot: whole.get(slot, 0) for slot in SLOTS}))


def allot(
    needs: Mapping[Slot, int], budgets: Mapping[Slot, int], total: int, *, wants: Mapping[Slot, int] | None = None
) -> Allotment:
    """Share `total` among the slots. A need is met at the cost of lower slots; a want only from unused room.

    Slots without an entry need nothing, have no budget, and want what they need. The soul gets its whole need, or this raises. A slot with
    an unlimited need empties all slots below it, whatever their budgets are; use `demands` to limit needs.
    """
    allocation = _Allocation(needs, budgets, total)
    for slot in SLOTS:
        allocation.take_unused(slot, allocation.needs[slot], _givers(slot))
        allocation.rob(slot)
    if allocation.given[Slot.IDENTITY] < allocation.needs[Slot.IDENTITY]:
        raise ContextTooSmall(
            f"The whole soul takes {allocation.needs[Slot.IDENTITY]} tokens, and there is room for {allocation.given[Slot.IDENTITY]}.",
            mend="Raise context_budget_tokens, or shorten SOUL.md.",
        )
    if wants:
        allocation.hand_down(wants)
    return Allotment(
        MappingProxyType(allocation.given),
        MappingProxyType(allocation.own),
        tuple(Theft(taker, giver, tokens, used) for (taker, giver, used), tokens in allocation.stolen.items()),
        tuple(Offer(giver, taker, tokens) for (giver, taker), tokens in allocation.offered.items()),
        max(0, total),
    )


class _Allocation:
    def __init__(self, needs: Mapping[Slot, int], budgets: Mapping[Slot, int], total: int) -> None:
        if any(tokens < 0 for tokens in (*needs.values(), *budgets.values())):
            raise WrongUse("Needs and budgets of slots cannot be negative.")
        self.needs = {slot: needs.get(slot, 0) for slot in SLOTS}
        self.unclaimed = max(0, total)
        self.own: dict[Slot, int] = {}
        # from the top: if the total is smaller than all budgets together, the lowest lose theirs first
        for slot in SLOTS:
            self.own[slot] = min(budgets.get(slot, 0), self.unclaimed)
            self.unclaimed -= self.own[slot]
        self.given = {slot: min(self.needs[slot], self.own[slot]) for slot in SLOTS}
        self.empty = {slot: self.own[slot] - self.given[slot] for slot in SLOTS}
        self.stolen: Counter[tuple[Slot, Slot, bool]] = Counter()
        self.offered: Counter[tuple[Slot | None, Slot]] = Counter()

    def hand_down(self, wants: Mapping[Slot, int]) -> None:
        """Offer each slot's unused room to the slots below it, in order; then offer the remaining room to all from the top."""
        for slot in SLOTS:
            self.take_unused(slot, wants.get(slot, 0), (slot,))
        for giver in SLOTS:
            for taker in _below(giver):
                self.take_unused(taker, wants.get(taker, 0), (giver,))
        for taker in SLOTS:
            self.take_unused(taker, wants.get(taker, 0), _givers(taker))

    def take_unused(self, taker: Slot, wanted: int, givers: Iterable[Slot | None]) -> None:
        """Give the taker unused room of the givers, in their order, until it has what it wants."""
        for giver in givers:
            there = self.unclaimed if giver is None else self.empty[giver]
            tokens = min(there, wanted - self.given[taker])
            if tokens <= 0:
                continue
            if giver is None:
                self.unclaimed -= tokens
            else:
                self.empty[giver] -= tokens
            self.given[taker] += tokens
            if giver is None or giver in _above(taker):
                self.offered[giver, taker] += tokens
            elif giver is not taker:
                self.stolen[taker, giver, False] += tokens

    def rob(self, taker: Slot) -> None:
        """Take used room of the lower slots, from the lowest upwards, until the need is met."""
        for giver in reversed(_below(taker)):
            tokens = min(self.given[giver], self.needs[taker] - self.given[taker])
            if tokens > 0:
                self.given[giver] -= tokens
                self.given[taker] += tokens
                self.stolen[taker, giver, True] += tokens


def _above(slot: Slot) -> tuple[Slot, ...]:
    return SLOTS[: SLOTS.index(slot)]


def _below(slot: Slot) -> tuple[Slot, ...]:
    return SLOTS[SLOTS.index(slot) + 1 :]


def _givers(taker: Slot) -> Iterator[Slot | None]:
    """Where a slot takes unused room from: itself, the unclaimed total, the slots above it, then the slots below it, lowest first."""
    yield taker
    yield None
    yield from _above(taker)
    yield from reversed(_below(taker))
