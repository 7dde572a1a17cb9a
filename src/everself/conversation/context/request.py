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

# reserved in addition to the answer, for tokens that a vendor adds around a prompt
HEADROOM: Final = 500
OWNER: Final = Scope(SessionKind.MAIN)
# a smaller window gets the compact prompt, which takes at most `COMPACT_TOKENS` in addition to memory
SMALL_WINDOW: Final = 16_000
COMPACT_TOKENS: Final = 1_200


class Facts(Frozen):
    host: str = ""
    model: str = ""
    channel: str = ""


class PromptRequest(Frozen):
    """One turn. `prefix` was returned by an earlier turn of the session; without it a session begins.

    `window` is the size of the model's window in tokens; `other` is the part of it already taken by history, the message itself, tool
    schemas and the answer. `recorded`: record the search, as for every answer that uses it.
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
    # the entries that the message may make wrong, for a model that can correct them
    suspects: "tuple[Entry, ...]" = ()

    @property
    def compact(self) -> bool:
        """Whether the window is so small that the prompt has to be compact."""
        return self.window is not None and self.window < SMALL_WINDOW


class PromptSources(DocumentSource, Protocol):
    """Where the text of prompts comes from. `optional` are the slots filled at each turn that the settings enable."""

    @property
    def optional(self) -> frozenset[Slot]: ...

    def speak(self, ask: PromptRequest) -> Speaker: ...

    def changed_outside(self) -> tuple[str, ...]:
        """Warnings about guarded files that changed outside Everself."""
        ...

    def recall(self, request: "RecallRequest") -> "SearchResult": ...

    def sources_of(self, hits: Sequence[Hit]) -> Sequence[str]:
        """The source that each hit rests on."""
        ...

    def worth(self, path: str) -> Mapping[int, float]:
        """The worth of each entry of a document, by its first line, for use when not all of it fits."""
        ...

    def ask_crm(self, message: str) -> ProgramAnswer: ...

    def read_external(self) -> ProgramAnswer: ...

    def seal(self, made_of: str) -> str:
        """The nonce of a prefix, made from the hash of its content: the same for the same content, and unpredictable without the key."""
        ...

    def nonce(self) -> str: ...


class PromptInputs(Frozen):
    sources: PromptSources
    clock: Clock
    limits: ContextLimits
    tunables: Tunables
    rules: SharingRules = field(default_factory=SharingRules)
    # cached: counting is the most expensive step, and most of a prompt is the same from turn to turn
    count: Count = field(default_factory=lambda: lru_cache(maxsize=512)(tokens.count))

    def viewer(self, ask: PromptRequest, soul: str) -> Viewer:
        return Viewer(ask.scope, self.rules, ask.run, soul)


def reserve_of(window: int) -> int:
    """The number of tokens of a window reserved for the answer."""
    return min(20_000, window // 4)


def room_for(ask: PromptRequest) -> int | None:
    """The number of tokens that the whole prompt may cost; None if no window was given."""
    return None if ask.window is None else ask.window - HEADROOM - ask.other
