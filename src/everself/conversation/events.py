"""The closed set of events that a conversation emits. Interfaces render them; nothing else is exchanged."""

from dataclasses import field
from typing import Literal

from everself.conversation.tools.protocol import Stamp, Written
from everself.frozen import Frozen
from everself.models.chat.protocol import Usage

Level = Literal["info", "warning"]
# `tool_calls`: tools of the program that asks were called, and their results are awaited
Ending = Literal["stop", "length", "refused", "cancelled", "failed", "steps", "tool_calls"]


class Accepted(Frozen):
    """The message is durable; whatever happens now, it is not lost. Always the first event of a turn."""

    session: str
    message: str


class Text(Frozen):
    """A part of the reply, to be shown as it arrives."""

    text: str


class Thinking(Frozen):
    text: str


class ToolCalled(Frozen):
    """`client`: it is the program that asks which has to run it."""

    id: str
    name: str
    arguments: str
    client: bool = False


class ToolReturned(Frozen):
    id: str
    name: str
    content: str
    failed: bool = False
    stamp: Stamp = "own"
    seconds: float = 0.0


class MemoryWritten(Frozen):
    """`told`: the reply itself says so, and nobody needs to hear it twice."""

    written: Written
    told: bool = False


class Notice(Frozen):
    """Something the person should know that is no part of the reply."""

    text: str
    level: Level = "info"
    mend: str = ""


class Done(Frozen):
    """The last event of a turn. `message` is the stored reply, empty where there was none; `filled` the share of the window in use."""

    message: str
    text: str
    why: Ending = "stop"
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    filled: float = 0.0


Event = Accepted | Text | Thinking | ToolCalled | ToolReturned | MemoryWritten | Notice | Done
