"""The request for a prompt, and what the assembler needs from other packages. Values and callables only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.clock import Clock
from everself.config.sections import ContextLimits, Tunables
from everself.conversation.context._slot_text import Count, Worth
from everself.conversation.context._sources import Find, ListPaths, Viewer
from everself.conversation.context.extensions import ProgramAnswer
from everself.conversation.context.framing import new_nonce
from everself.conversation.context.provenance import Passage
from everself.identity.persona import Speaker
from everself.memory.provenance import HAND
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import Run, SharingRules
from everself.text import tokens
from everself.values import Hit

if TYPE_CHECKING:
    from everself.conversation.context.prefix import Prefix
    from everself.search.recall import RecallRequest, SearchResult

# reserved in addition to the answer, for what a vendor adds around a prompt
HEADROOM: Final = 500
OWNER: Final = Scope(SessionKind.MAIN)
# a window below this many tokens gets the compact prompt, which takes at most so many beside memory
SMALL_WINDOW: Final = 16_000
COMPACT_TOKENS: Final = 1_200


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds for this turn alone."""

    host: str = ""
    model: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """One turn. `prefix` is what an earlier turn of the session gave back; without it the session begins.

    `window` is what the model takes in tokens, `other` what of it is spoken for: history, the message itself, tool schemas, the answer.
    `recorded`: the search is recorded, as for every answer that uses it.
    """

    scope: Scope = OWNER
    message: str = ""
    session: str = ""
    turn: int = 0
    run: Run = "ordinary"
    prefix: "Prefix | None" = None
    window: int | None = None
    other: int = 0
    extra: str = ""
    facts: Facts = field(default_factory=Facts)
    recorded: bool = True
    # whether the model is offered tools
    tools: bool = True

    @property
    def compact(self) -> bool:
        """Whether the window is so small that the prompt has to be."""
        return self.window is not None and self.window < SMALL_WINDOW


@dataclass(frozen=True, slots=True)
class Parts:
    """What is plugged in. `find` gives a document as it may be used; `look` tells of guarded files that changed outside Everself.

    `recall`, `crm` and `external` are None where the settings have none.
    """

    find: Find
    paths: ListPaths
    speak: Callable[[PromptRequest], Speaker]
    clock: Clock
    limits: ContextLimits
    tunables: Tunables
    rules: SharingRules = field(default_factory=SharingRules)
    look: Callable[[], tuple[str, ...]] = tuple
    recall: "Callable[[RecallRequest], SearchResult] | None" = None
    # the entries of a document as they stand in its bytes, and the source that each of them and what was recalled rests on
    passages: "Callable[[str, bytes], Sequence[Passage]]" = lambda _, __: ()
    sources: "Callable[[Sequence[Hit]], Sequence[str]]" = lambda hits: [HAND] * len(hits)
    worth: Worth | None = None
    crm: Callable[[str], ProgramAnswer] | None = None
    external: Callable[[], ProgramAnswer] | None = None
    nonce: Callable[[], str] = new_nonce
    # the nonce of a prefix, from the hash of what it is made of: the same for the same content, and unpredictable without the key
    seal: Callable[[str], str] = field(default_factory=lambda: lambda _: new_nonce())
    # counting costs more than all else here, and most of a prompt is the same from turn to turn
    count: Count = field(default_factory=lambda: lru_cache(maxsize=512)(tokens.count))

    def viewer(self, ask: PromptRequest, soul: str) -> Viewer:
        return Viewer(ask.scope, self.rules, ask.run, soul)


def room_for(ask: PromptRequest) -> int | None:
    """Tokens that the whole prompt may cost; None where no window was named."""
    return None if ask.window is None else ask.window - HEADROOM - ask.other
