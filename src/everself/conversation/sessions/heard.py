"""A conversation as the calling program knows it: what was said, what was replied, which of its own tools were called. Pure.

The agent's own tools run inside a reply, so the program receives one text where several steps are stored.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from everself.conversation.events import Ending
from everself.conversation.sessions.session import Message, calls_of
from everself.frozen import Frozen
from everself.models.chat.protocol import ToolCall, Usage

# the origin of results of a program's own tools
CLIENT: Final = "client"
# endings that are final; a message whose reply ended otherwise is answered when it is sent again
_WHOLE: Final[dict[str, Ending]] = {
    "stop": "stop",
    "length": "length",
    "refused": "refused",
    "steps": "steps",
    "tool_calls": "tool_calls",
}
_CUT: Final = ("cancelled", "failed")


class Heard(Frozen):
    """One earlier message. `calls` of an assistant are those of the program's own tools; a result of such a tool has the role `tool` and
    the id of its call. `cut`: it broke off, so it is not known how much of it the program received."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call: str = ""
    cut: bool = False

    def is_same(self, other: "Heard") -> bool:
        """Whether both are the same message. Results are compared by the id of their call, because programs shorten old ones."""
        if self.role != other.role:
            return False
        if self.role == "tool":
            return self.call == other.call
        named, known = ([call.id for call in one.calls] for one in (self, other))
        alike = self.text == other.text or (other.cut and other.text.startswith(self.text))
        return alike and named == known


def may_go_on_from(last: Sequence[Message], wanted: Sequence[Heard]) -> bool:
    """Whether a conversation that ends with these messages can end with what is wanted, or ends with a message that nobody answered."""
    if not last or last[-1].role != "assistant" or last[-1].meta.get("why") not in _WHOLE:
        return True
    return bool(wanted) and wanted[-1].text.endswith("".join(_told(last[-1])))


def strange_to(wanted: Sequence[Heard], heard: Sequence[Heard]) -> int | None:
    """How many of the first of these messages a conversation does not contain, if it contains all the others exactly and in order; else
    None."""
    left = len(wanted)
    for one in reversed(heard):
        if left and wanted[left - 1].is_same(one):
            left -= 1
        elif not one.cut:
            return None
    return left


class StoredReply(Frozen):
    """The reply to a message. `message` is the id of its last stored part; `whole`: the reply is complete."""

    message: str
    text: str
    why: Ending
    calls: tuple[ToolCall, ...]
    usage: Usage
    whole: bool


def heard_in(messages: Sequence[Message]) -> list[Heard]:
    """All messages of a conversation; parts of a reply separated only by calls of the agent's own tools are joined."""
    heard: list[Heard] = []
    parts: list[str] = []
    cut = False
    for one in _effective(messages):
        if one.role == "assistant":
            parts += _told(one)
            cut = one.meta.get("why") in _CUT
            if one.meta.get("why") == "tool_calls":
                heard.append(Heard("assistant", "\n\n".join(parts), client_calls(one)))
                parts = []
        elif one.role == "user" or is_result(one):
            heard += [Heard("assistant", "\n\n".join(parts), cut=cut)] if parts else []
            parts = []
            heard += _brought(one)
    return [*heard, *([Heard("assistant", "\n\n".join(parts), cut=cut)] if parts else [])]


def reply_after(messages: Sequence[Message]) -> StoredReply | None:
    """The reply in the messages that follow the answered one; None if there is none."""
    answered: list[Message] = []
    for one in _effective(messages):
        if answered and (one.role == "user" or is_result(one)):
            break
        answered += [one] if one.role == "assistant" else []
    if not answered:
        return None
    last = answered[-1]
    why = _WHOLE.get(str(last.meta.get("why", "")))
    text = "\n\n".join(part for one in answered for part in _told(one))
    usage = sum((_usage(one) for one in answered), Usage())
    return StoredReply(last.id, text, why or "failed", client_calls(last), usage, why is not None)


def client_calls(message: Message) -> tuple[ToolCall, ...]:
    """The calls of a message that were left to the calling program."""
    left = message.meta.get("client")
    ids = left if isinstance(left, list | tuple) else ()
    return tuple(call for call in calls_of(message) if call.id in ids)


def is_result(message: Message) -> bool:
    """Whether the message is a result of the program's own tool."""
    return message.role == "tool" and message.meta.get("origin") == CLIENT


def _effective(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages without replies that broke off and were replaced."""
    replaced = {str(one.meta["instead"]) for one in messages if one.meta.get("instead")}
    return (one for one in messages if one.id not in replaced)


def _told(message: Message) -> list[str]:
    # the client was sent only the last step of a reply that must be JSON
    hidden = message.meta.get("shaped") and message.meta.get("calls")
    text = message.content.strip()
    return [text] if text and not hidden else []


def _brought(message: Message) -> list[Heard]:
    if message.role == "tool":
        return [Heard("tool", call=str(message.meta.get("call", "")))]
    if not message.meta.get("system"):
        return [Heard("user", message.content.strip())]
    # the program's own text is ignored on both sides, except for results of calls that no stored conversation contains
    results = message.meta.get("results")
    return [Heard("tool", call=str(one)) for one in results] if isinstance(results, list | tuple) else []


def _usage(message: Message) -> Usage:
    found = message.meta.get("usage")
    known = {key: value for key, value in found.items() if isinstance(value, int)} if isinstance(found, dict) else {}
    sent, received, cached, stored = (int(known.get(name, 0)) for name in ("sent", "received", "cached", "stored"))
    return Usage(sent, received, cached, stored)
