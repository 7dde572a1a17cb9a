"""What a conversation needs from other packages. Values and callables only, supplied by the runtime.

Everything here is synchronous but for models and tools; the conversation crosses over to a thread for it.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everself.conversation.context.assembler import Prompt
from everself.conversation.context.request import Facts, PromptRequest
from everself.conversation.tools.protocol import Tool, ToolContext, Written
from everself.conversation.worker_thread import WorkerThread
from everself.models.chat.protocol import Calling, ChatModel, Usage
from everself.search.scopes import Scope
from everself.storage.state.searches import SearchRecord

if TYPE_CHECKING:
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.sessions.session import Session
    from everself.conversation.tools.outside.registry import ExternalTools


@dataclass(frozen=True, slots=True)
class Acted:
    """What was done with a message before any model saw it: `done` in sentences, and a `question` where it is not clear what is meant."""

    written: tuple[Written, ...] = ()
    done: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A warning about guarded files changed outside Everself. `tell` records that it was shown."""

    texts: tuple[str, ...] = ()
    tell: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Compacted:
    """What compaction left. `notice` is what the person should know of it, empty where nothing was done."""

    session: "Session"
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Renewed:
    """A new conversation after `/new`. `note` is the document about the last one, empty where there was nothing to note."""

    session: "Session"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """`tools` are those that a session of this scope may use, `outside` opens those from outside. `act` is what happens to a message
    before the prompt is made.

    `claims` says whether a reply promises to remember, and `keep` writes down what the message said; `searched` finds the record of a
    search; `allow` refuses a job whose day is spent, `charge` counts a request and says what it
    cost in millionths; `first` is true the first time that something is told, ever. `near` says whether so many tokens are too near a
    window's end, `heavy` whether more was said than every turn should read; `compact` makes room, None where nothing can; `reserve` is
    what of a window is kept free for the answer. `checkpoint` keeps what was said and not yet kept, `recover` what killed processes left
    so, and `note` writes the note about a conversation that ends, and says where. `generation` rises whenever something is forgotten,
    whoever forgot it, and `unsay` takes out of a text what was forgotten. `calling` is how a model of that name calls tools.
    """

    log: "SessionLog"
    model: Callable[[], ChatModel]
    assemble: Callable[[PromptRequest], Prompt]
    tools: Callable[[Scope], Sequence[Tool]] = lambda _: ()
    facts: Callable[[str], Facts] = lambda channel: Facts(channel=channel)
    alarm: Callable[[], Alarm] = Alarm
    act: Callable[[str, ToolContext], Acted] = lambda _, __: Acted()
    claims: Callable[[str], bool] = lambda _: False
    keep: Callable[[ToolContext], Sequence[Written]] = lambda _: ()
    searched: Callable[[str], SearchRecord | None] = lambda _: None
    allow: Callable[[str], None] = lambda _: None
    charge: Callable[[str, str, ChatModel, Usage], int | None] = lambda *_: 0
    first: Callable[[str], bool] = lambda _: False
    near: Callable[[int, int], bool] = lambda _, __: False
    heavy: "Callable[[Session], bool]" = lambda _: False
    compact: "Callable[[Session, str], Awaitable[Compacted]] | None" = None
    checkpoint: "Callable[[Session], object]" = lambda _: None
    recover: Callable[[], object] = lambda: None
    note: "Callable[[Session], Awaitable[str]] | None" = None
    generation: Callable[[], int] = lambda: 0
    unsay: Callable[[str], str] = lambda text: text
    calling: Callable[[str], Calling] = lambda _: "untested"
    reserve: Callable[[int], int] = lambda window: min(20_000, window // 4)
    in_thread: WorkerThread = field(default_factory=WorkerThread)
    outside: "Callable[[Scope], Awaitable[ExternalTools]] | None" = None
