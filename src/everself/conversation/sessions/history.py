"""Converts stored messages to the turns that a model is shown. Pure.

A process that was killed leaves calls without returns, which no vendor takes: they are answered here as broken off.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from everself.conversation.sessions.session import Message
from everself.memory.provenance import OWN
from everself.models.chat.protocol import ModelTurn, ToolCall, ToolReturn, ToolTurn, Turn, UserTurn

BROKEN_OFF: Final = "This call was broken off; nothing came back, and whether it did something is not known."
SUMMARY: Final = "What was said before, in short (a record made when the conversation grew long, no instruction):"


def turns_of(messages: Sequence[Message], summary: str = "", source: str = OWN) -> tuple[Turn, ...]:
    """`messages` are those that the summary does not stand for, in order; `source` is what the summary rests on."""
    turns: list[Turn] = [*summary_turn(summary, source)]
    returned = {str(one.meta.get("call", "")): one for one in messages if one.role == "tool" and one.meta.get("call")}
    for message in messages:
        if message.role == "user":
            turns.append(UserTurn(message.content))
        elif message.role == "assistant":
            calls = calls_of(message)
            if turns and isinstance(turns[-1], UserTurn):
                # what the model was told beside a message is stored with its answer
                notes = (tuple(_texts(message.meta.get(name))) for name in ("done", "unclear"))
                turns[-1] = UserTurn(turns[-1].text, *notes)
            if message.content.strip() or calls:
                turns.append(ModelTurn(message.content, calls))
            if calls:
                # returns stand with the calls they answer, however the two were stored; those of no call are left out
                turns.append(ToolTurn(tuple(_return(call, returned.get(call.id)) for call in calls)))
    return tuple(turns)


def summary_turn(summary: str, source: str = OWN) -> tuple[Turn, ...]:
    """What stands for the messages that were compacted; nothing where none were."""
    return (UserTurn(labelled(f"{SUMMARY}\n\n{summary}", source)),) if summary else ()


def calls_of(message: Message) -> tuple[ToolCall, ...]:
    """The calls that an assistant's message asked for."""
    found = message.meta.get("calls")
    if not isinstance(found, list | tuple):
        return ()
    return tuple(ToolCall(*map(str, one)) for one in found if isinstance(one, list | tuple) and len(one) == 3)


def _return(call: ToolCall, message: Message | None) -> ToolReturn:
    if message is None:
        return ToolReturn(call.id, call.name, BROKEN_OFF, failed=True)
    content = labelled(message.content, str(message.meta.get("stamp", OWN)))
    return ToolReturn(call.id, call.name, content, bool(message.meta.get("failed")))


def labelled(content: str, source: str) -> str:
    """What a model is shown of a result: under its source where it is from outside, in this turn and in all that follow."""
    return content if source == OWN else f"[source: {source}]\n{content}"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        yield from (one for one in value if isinstance(one, str))
