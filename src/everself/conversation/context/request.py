"""The request for a prompt, and what the assembler needs from other packages."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from everself.clock import Clock
from everself.config.sections import ContextLimits, Tunables
from everself.conversation.context._slot_text import Count
from everself.conversation.context._sources import DocumentSource, Viewer
from everself.conversation.context.budget import Slot
from everself.conversation.context.extensions import ProgramAnswer
from everself.frozen import Frozen
from everself.identity.persona import Speaker
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import Run, SharingRules
from everself.text import tokens
from everself.values import Entry, Hit

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Prefix
    from everself.search.recall import RecallRequest, SearchResult

# reserved in addition to the answer, for what a vendor adds around a prompt
HEADROOM: Final = 500
OWNER: Final = Scope(SessionKind.MAIN)
# a window below this many tokens gets the compact prompt, which takes at most so many beside memory
SMALL_WINDOW: Final = 16_000
COMPACT_TOKENS: Final = 1_200


class Facts(Frozen):
    host: str = ""
    model: str = ""
    channel: str = ""


class PromptRequest(Frozen):
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
    # what the message may make wrong, for a model that can put it right
    suspects: "tuple[Entry, ...]" = ()

    @property
    def compact(self) -> bool:
        """Whether the window is so small that the prompt has to be."""
        return self.window is not None and self.window < SMALL_WINDOW


class PromptSources(DocumentSource, Protocol):
    """Where the text of prompts comes from. `optional` are the slots of each turn that the settings fill."""

    @property
    def optional(self) -> frozenset[Slot]: ...

    def speak(self, ask: PromptRequest) -> Speaker: ...

    def changed_outside(self) -> tuple[str, ...]:
        """What to tell of guarded files that changed outside Everself."""
        ...

    def recall(self, request: "RecallRequest") -> "SearchResult": ...

    def sources_of(self, hits: Sequence[Hit]) -> Sequence[str]:
        """The source that each hit rests on."""
        ...

    def worth(self, path: str) -> Mapping[int, float]:
        """What each entry of a document is worth where not all of it fits, by its first line."""
        ...

    def ask_crm(self, message: str) -> ProgramAnswer: ...

    def read_external(self) -> ProgramAnswer: ...

    def seal(self, made_of: str) -> str:
        """The nonce of a prefix, from the hash of its content: the same for the same content, and unpredictable without the key."""
        ...

    def nonce(self) -> str: ...


class PromptInputs(Frozen):
    sources: PromptSources
    clock: Clock
    limits: ContextLimits
    tunables: Tunables
    rules: SharingRules = field(default_factory=SharingRules)
    # counting costs more than all else here, and most of a prompt is the same from turn to turn
    count: Count = field(default_factory=lambda: lru_cache(maxsize=512)(tokens.count))

    def viewer(self, ask: PromptRequest, soul: str) -> Viewer:
        return Viewer(ask.scope, self.rules, ask.run, soul)


def reserve_of(window: int) -> int:
    """Tokens of a window that are kept free for the answer."""
    return min(20_000, window // 4)


def room_for(ask: PromptRequest) -> int | None:
    """Tokens that the whole prompt may cost; None where no window was named."""
    return None if ask.window is None else ask.window - HEADROOM - ask.other
