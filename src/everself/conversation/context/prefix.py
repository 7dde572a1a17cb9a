"""The prefix: the part of a prompt that stays byte-identical for a whole conversation, so that vendors can cache it."""

from collections.abc import Mapping
from dataclasses import dataclass

from everself.conversation.context._sources import Source
from everself.conversation.context.budget import Slot
from everself.conversation.context.receipt import Receipt
from everself.search.scopes import Scope
from everself.search.sharing import Run


@dataclass(frozen=True, slots=True)
class Prefix:
    """`seen` are the documents as they were, `words` what stands here of each; `kept` is the room that the slots of each turn have.

    The receipt is of the prefix alone.
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
        """Of all that stands here."""
        return tuple(dict.fromkeys(source for one in self.seen for source in one.sources))
