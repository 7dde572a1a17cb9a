"""The closed set of events that a conversation emits. Interfaces render them; nothing else is exchanged."""

from dataclasses import field
from typing import Literal

from everself.conversation.tools.protocol import Stamp, Written
from everself.frozen import Frozen
from everself.models.chat.protocol import Usage

Level = Literal["info", "warning"]
# `tool_calls`: tools of the calling program were called, and their results are awaited
Ending = Literal["stop", "length", "refused", "cancelled", "failed", "steps", "tool_calls"]


class Accepted(Frozen):
    """The message is durable and cannot be lost any more. Always the first event of a turn."""

    session: str
    message: str


class Text(Frozen):
    """A part of the reply, to be shown as it arrives."""

    text: str


class Thinking(Frozen):
    text: str


class ToolCalled(Frozen):
    """`client`: the calling program has to run the tool."""

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
    """`told`: the reply itself reports it, so interfaces need not repeat it."""

    written: Written
    told: bool = False


class Notice(Frozen):
    """Something the person should know that is not part of the reply."""

    text: str
    level: Level = "info"
    mend: str = ""


class Done(Frozen):
    """The last event of a turn. `message` is the id of the stored reply, empty if there was none; `filled` is the share of the window in
    use."""

    message: str
    text: str
    why: Ending = "stop"
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    filled: float = 0.0


Event = Accepted | Text | Thinking | ToolCalled | ToolReturned | MemoryWritten | Notice | Done
