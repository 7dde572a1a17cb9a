"""A conversation as the program that leads it knows it: what was said, what was replied, which of its own tools were called. Pure.

The agent's own tools run inside a reply, so that the program hears one text where several steps are stored.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from everself.conversation.events import Ending
from everself.conversation.sessions.session import Message, calls_of
from everself.frozen import Frozen
from everself.models.chat.protocol import ToolCall, Usage

# where a result of a program's own tool came from
CLIENT: Final = "client"
# endings after which there is nothing more to come; others are answered when the same message is sent again
_WHOLE: Final[dict[str, Ending]] = {
    "stop": "stop",
    "length": "length",
    "refused": "refused",
    "steps": "steps",
    "tool_calls": "tool_calls",
}
_CUT: Final = ("cancelled", "failed")


class Heard(Frozen):
    """Something that was said before. Of an assistant `calls` are those of the program's own tools; what such a tool gave has the role
    `tool` and the id of its call. `cut`: it broke off, so that nobody knows how much of it was heard."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call: str = ""
    cut: bool = False

    def is_same(self, other: "Heard") -> bool:
        """Results are known by their calls: programs shorten old ones."""
        if self.role != other.role:
            return False
        if self.role == "tool":
            return self.call == other.call
        named, known = ([call.id for call in one.calls] for one in (self, other))
        alike = self.text == other.text or (other.cut and other.text.startswith(self.text))
        return alike and named == known


def may_go_on_from(last: Sequence[Message], wanted: Sequence[Heard]) -> bool:
    """Whether a conversation that ends with these messages may hold exactly what is wanted, or end with something that nobody answered."""
    if not last or last[-1].role != "assistant" or last[-1].meta.get("why") not in _WHOLE:
        return True
    return bool(wanted) and wanted[-1].text.endswith("".join(_told(last[-1])))


def strange_to(wanted: Sequence[Heard], heard: Sequence[Heard]) -> int | None:
    """How many of the first of these a conversation does not hold, where it holds all others, exactly and in their order; else None."""
    left = len(wanted)
    for one in reversed(heard):
        if left and wanted[left - 1].is_same(one):
            left -= 1
        elif not one.cut:
            return None
    return left


class StoredReply(Frozen):
    """What came of a message. `message` is the last part that is stored; `whole` where nothing more is to come."""

    message: str
    text: str
    why: Ending
    calls: tuple[ToolCall, ...]
    usage: Usage
    whole: bool


def heard_in(messages: Sequence[Message]) -> list[Heard]:
    """All of a conversation; the parts of a reply between which the agent's own tools were called are one."""
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
    """What was replied; `messages` are those that follow the one that is answered. None where nothing was."""
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
    """Those calls of a message that were left to the program."""
    left = message.meta.get("client")
    ids = left if isinstance(left, list | tuple) else ()
    return tuple(call for call in calls_of(message) if call.id in ids)


def is_result(message: Message) -> bool:
    """Whether it is what a tool of the program gave."""
    return message.role == "tool" and message.meta.get("origin") == CLIENT


def _effective(messages: Sequence[Message]) -> Iterator[Message]:
    """Without replies that broke off and were made anew."""
    replaced = {str(one.meta["instead"]) for one in messages if one.meta.get("instead")}
    return (one for one in messages if one.id not in replaced)


def _told(message: Message) -> list[str]:
    # of a reply that must be JSON the client was sent only the last step
    hidden = message.meta.get("shaped") and message.meta.get("calls")
    text = message.content.strip()
    return [text] if text and not hidden else []


def _brought(message: Message) -> list[Heard]:
    if message.role == "tool":
        return [Heard("tool", call=str(message.meta.get("call", "")))]
    if not message.meta.get("system"):
        return [Heard("user", message.content.strip())]
    # words of the program itself are left out on both sides, but for results of calls that no conversation held
    results = message.meta.get("results")
    return [Heard("tool", call=str(one)) for one in results] if isinstance(results, list | tuple) else []


def _usage(message: Message) -> Usage:
    found = message.meta.get("usage")
    known = {key: value for key, value in found.items() if isinstance(value, int)} if isinstance(found, dict) else {}
    sent, received, cached, stored = (int(known.get(name, 0)) for name in ("sent", "received", "cached", "stored"))
    return Usage(sent, received, cached, stored)
