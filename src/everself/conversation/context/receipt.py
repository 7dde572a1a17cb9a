"""The receipt of a prompt: what it contains, what each slot cost, and what was omitted. Values only."""

from collections.abc import Mapping

from everself.config.sections import ContextProfile
from everself.conversation.context._sources import Source
from everself.conversation.context.budget import Offer, Slot, Theft
from everself.conversation.context.packing import Omission
from everself.frozen import Frozen
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import Run
from everself.storage.state.searches import LeftOut


class SlotUse(Frozen):
    """`whole` is the cost of the slot's full text, `given` its final allotment, `tokens` its cost in the prompt.

    For the slots that are filled at each turn (semantic, crm, external) `given` is reserved room.
    """

    slot: Slot
    budget: int
    whole: int
    given: int
    tokens: int


class ReceiptPart(Frozen):
    """A section of the prompt, or a file in it outside the slots."""

    name: str
    tokens: int


class Receipt(Frozen):
    """`total` is the cost of the whole prompt; `limit` is what the model's window leaves for it, None if no window was given.

    `memory` is the cost of all slots together, out of `memory_limit`. `search` is the id of the search record, for `memory why`.
    """

    kind: SessionKind
    person: str
    profile: ContextProfile
    soul: str
    parts: tuple[ReceiptPart, ...] = ()
    files: tuple[ReceiptPart, ...] = ()
    slots: tuple[SlotUse, ...] = ()
    stolen: tuple[Theft, ...] = ()
    offered: tuple[Offer, ...] = ()
    omissions: tuple[Omission, ...] = ()
    not_recalled: tuple[LeftOut, ...] = ()
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    memory: int = 0
    memory_limit: int = 0
    total: int = 0
    limit: int | None = None
    prefix_tokens: int = 0
    delta_tokens: int = 0
    prefix_hash: str = ""
    search: str = ""


class Prefix(Frozen):
    """`seen` are the documents as read, `words` the text of each in the prefix; `kept` is the room reserved for the slots of each turn.

    The receipt covers the prefix alone.
    """

    text: str
    hash: str
    tokens: int
    scope: Scope
    run: Run
    seen: tuple[Source, ...]
    words: tuple[tuple[str, str], ...]
    kept: Mapping[Slot, int]
    receipt: Receipt

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for one in self.seen for source in one.sources))
