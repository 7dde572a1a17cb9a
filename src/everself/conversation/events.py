"""The closed set of events that a conversation emits. Interfaces render them; nothing else is exchanged."""

from dataclasses import dataclass, field
from typing import Literal

from everself.conversation.tools.protocol import Stamp, Written
from everself.models.chat.protocol import Usage

Level = Literal["info", "warning"]
# `tool_calls`: tools of the program that asks were called, and their results are awaited
Ending = Literal["stop", "length", "refused", "cancelled", "failed", "steps", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message is durable; whatever happens now, it is not lost. Always the first event of a turn."""

    session: str
    message: str


@dataclass(frozen=True, slots=True)
class Text:
    """A part of the reply, to be shown as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """`client`: it is the program that asks which has to run it."""

    id: str
    name: str
    arguments: str
    client: bool = False


@dataclass(frozen=True, slots=True)
class ToolReturned:
    id: str
    name: str
    content: str
    failed: bool = False
    stamp: Stamp = "own"
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryWritten:
    """`told`: the reply itself says so, and nobody needs to hear it twice."""

    written: Written
    told: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know that is no part of the reply."""

    text: str
    level: Level = "info"
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The last event of a turn. `message` is the stored reply, empty where there was none; `filled` the share of the window in use."""

    message: str
    text: str
    why: Ending = "stop"
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    filled: float = 0.0


Event = Accepted | Text | Thinking | ToolCalled | ToolReturned | MemoryWritten | Notice | Done
