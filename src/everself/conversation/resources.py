"""What a turn uses of an agent, and what it returns. Opened in the first turn, after its message is durable."""

from typing import TYPE_CHECKING, Final, Protocol

from everself.conversation.context.request import Facts
from everself.conversation.tools.protocol import Stamp, Written
from everself.frozen import Frozen
from everself.memory.provenance import OWN
from everself.search.sharing import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from everself.conversation.context.assembler import Assembler
    from everself.conversation.sessions.session import Session
    from everself.conversation.suspects import Suspect
    from everself.conversation.tools.protocol import ToolContext
    from everself.identity.integrity import Integrity
    from everself.memory.memory import Memory
    from everself.models.chat.protocol import Image, JsonObject, ToolReturn, ToolSpec


class TurnOptions(Frozen):
    """What a program adds to a message that it passes on. The added texts come from outside: they are shown to the model and never
    remembered.

    `earlier` was said elsewhere, before the first message of the session (see `said_elsewhere`). `system` are the program's instructions
    for this reply; `beside` is text that it added to the message. `results` are the results of its own `tools`.
    """

    earlier: str = ""
    system: str = ""
    max_tokens: int | None = None
    # the request comes from a program, and nobody watches its cost
    unwatched: bool = False
    # the id of the message: a message with the same id is stored once
    identity: str = ""
    beside: tuple[str, ...] = ()
    # the message was written by the program, not by a person
    by_program: bool = False
    # ids of tool calls that no stored conversation contains; their results come from the calling program
    answers: tuple[str, ...] = ()
    images: "tuple[Image, ...]" = ()
    tools: "tuple[ToolSpec, ...]" = ()
    results: "tuple[ToolReturn, ...]" = ()
    must_call: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    parallel_tool_calls: bool | None = None
    stop: tuple[str, ...] = ()
    schema: "JsonObject | None" = None
    # which files the prompt contains, by the kind of run
    run: Run = "ordinary"
    # the message is one of Everself's own prompts and quotes nobody
    own_prompt: bool = False
    # the source of the message itself, if that is neither the owner nor the speaker
    stamp: Stamp = OWN


PLAIN_TURN: Final = TurnOptions()


class Acted(Frozen):
    """What was done with a message before any model saw it: `done` as sentences, and a `question` if its meaning is unclear."""

    written: tuple[Written, ...] = ()
    done: tuple[str, ...] = ()
    question: str = ""

    @property
    def unclear(self) -> tuple[str, ...]:
        return (self.question,) if self.question else ()

    @property
    def notes(self) -> dict[str, object]:
        """What the model was told in addition to the message. Stored with its answer, so that the history reads as it was sent."""
        found = {"done": list(self.done), "unclear": list(self.unclear)}
        return {name: sentences for name, sentences in found.items() if sentences}


class CompactionResult(Frozen):
    """The outcome of compaction. `notice` is for the person; empty if nothing was done.

    `entries` are the entries the checkpoint wrote, `flushed` is the number of memories the model stored, `dropped` the number of messages
    that the summary replaces.
    """

    session: "Session"
    notice: str = ""
    entries: tuple[str, ...] = ()
    flushed: int = 0
    summary: str = ""
    dropped: int = 0


class Renewed(Frozen):
    """A new conversation after `/new`. `note` is the path of the note about the last one, empty if there was nothing to note."""

    session: "Session"
    note: str = ""


class Compactor(Protocol):
    """Compacts a long conversation, and writes the note about one that ends."""

    def is_near(self, used: int, window: int) -> bool: ...

    def is_heavy(self, session: "Session") -> bool: ...

    async def compact(self, session: "Session", why: str) -> CompactionResult: ...

    async def note(self, session: "Session") -> str: ...


class TurnResources(Frozen):
    """`actions` acts on a message before any model sees it; `suspects` names the entries that the message may make wrong. `facts` holds for
    every turn; a turn adds its channel."""

    memory: "Memory"
    integrity: "Integrity"
    assembler: "Assembler"
    compactor: Compactor
    actions: "Callable[[str, ToolContext], Acted]"
    suspects: "Callable[[str, ToolContext], tuple[Suspect, ...]]"
    facts: Facts
