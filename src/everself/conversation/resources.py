"""What turns of a conversation use of an agent, and what they leave. Opened in the first turn, after its message is durable."""

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
    """What a program adds to a message that it passes on. The words are from outside: shown to the model, and never remembered.

    `earlier` was said elsewhere, before the first message of the session (see `said_elsewhere`); `system` are the program's instructions
    for this reply, `beside` words that it added to the message. `results` are what its own `tools` gave when they were called.
    """

    earlier: str = ""
    system: str = ""
    max_tokens: int | None = None
    # a program asks on behalf of somebody, and nobody sees what it costs
    unwatched: bool = False
    # the id of the message, which makes it count once
    identity: str = ""
    beside: tuple[str, ...] = ()
    # the words are the program's own: nobody said them
    by_program: bool = False
    # ids of calls that no conversation held, where their results are what the program says
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
    # the files of which kind of run the prompt holds
    run: Run = "ordinary"
    # the message is a prompt of Everself's own, in which nobody is quoted
    own_prompt: bool = False
    # where the message itself comes from, where that is neither the owner nor the person who speaks
    stamp: Stamp = OWN


PLAIN_TURN: Final = TurnOptions()


class Acted(Frozen):
    """What was done with a message before any model saw it: `done` in sentences, and a `question` where it is not clear what is meant."""

    written: tuple[Written, ...] = ()
    done: tuple[str, ...] = ()
    question: str = ""

    @property
    def unclear(self) -> tuple[str, ...]:
        return (self.question,) if self.question else ()

    @property
    def notes(self) -> dict[str, object]:
        """What the model was told beside the message. Kept with its answer, so that the history reads as it was sent."""
        found = {"done": list(self.done), "unclear": list(self.unclear)}
        return {name: sentences for name, sentences in found.items() if sentences}


class CompactionResult(Frozen):
    """What compaction left. `notice` is what the person should know of it, empty where nothing was done.

    `entries` are those the checkpoint wrote, `flushed` how many memories the model stored, `dropped` how many messages the summary
    stands for now.
    """

    session: "Session"
    notice: str = ""
    entries: tuple[str, ...] = ()
    flushed: int = 0
    summary: str = ""
    dropped: int = 0


class Renewed(Frozen):
    """A new conversation after `/new`. `note` is the document about the last one, empty where there was nothing to note."""

    session: "Session"
    note: str = ""


class Compactor(Protocol):
    """Makes room in a long conversation, and writes the note about one that ends."""

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
