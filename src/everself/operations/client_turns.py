"""What a program sends with a message, the choice of the session, and repeated requests. Knows no wire format."""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from everself.conversation.events import Accepted, Done, Event, Text, ToolCalled
from everself.conversation.sessions.heard import Heard, client_calls, heard_in, is_result, reply_after
from everself.conversation.sessions.log import clean, said_elsewhere
from everself.conversation.sessions.session import Message, Session
from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.models.chat.protocol import Image, ToolCall, ToolReturn, ToolSpec
from everself.operations.caller import Caller
from everself.runtime import Runtime

if TYPE_CHECKING:
    from everself.conversation.resources import TurnOptions

_MEDIA: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class ClientCall(Frozen):
    """A call of a program's own tool. `arguments` is JSON."""

    id: str
    name: str
    arguments: str = "{}"


class EarlierMessage(Frozen):
    """An earlier message, as the program reports it. With the role `tool` it is the result of the call `call`."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[ClientCall, ...] = ()
    call: str = ""


class ClientTool(Frozen):
    """A tool that the program runs itself. `parameters` is the JSON schema of an object.

    `operation` names the agent's operation that does the same. If the settings offer it to models, the agent runs it instead.
    """

    name: str
    parameters: dict[str, Any]
    description: str = ""
    operation: Literal["", "tool.memory"] = ""


class ClientResult(Frozen):
    """The result of a program's own tool."""

    call: str
    text: str
    failed: bool = False


class ClientImage(Frozen):
    """An image, its data in base 64."""

    media_type: str
    data: str

    def read(self) -> Image:
        """Raises WrongUse if it is not a valid image."""
        if self.media_type not in _MEDIA:
            known = ", ".join(sorted(_MEDIA))
            raise WrongUse(f"Images of the type {self.media_type[:40]} are not supported.", mend=f"Send {known}.")
        try:
            return Image(self.media_type, b64decode(self.data, validate=True))
        except (NotBase64, ValueError) as error:
            raise WrongUse(f"An image is not base 64: {error}.") from error


def tool_specs(tools: Sequence[ClientTool]) -> tuple[ToolSpec, ...]:
    """Raises WrongUse for invalid names and schemas."""
    names = [one.name for one in tools]
    for one in tools:
        if not is_tool_name(one.name):
            raise WrongUse(
                f'"{one.name[:64]}" is not a valid tool name.', mend="Use 1 to 128 of a-z, A-Z, 0-9, _ and -."
            )
        if names.count(one.name) > 1:
            raise WrongUse(f"Two tools have the same name: {one.name}.")
        if words := schema_fault(one.parameters):
            raise WrongUse(f"The parameters of {one.name} are not a valid JSON schema: {words}.")
        if one.parameters.get("type", "object") != "object":
            raise WrongUse(f"The parameters of {one.name} are not those of an object.")
    return tuple(ToolSpec(one.name, one.description, {"type": "object"} | one.parameters) for one in tools)


def is_tool_name(name: str) -> bool:
    return 0 < len(name) <= 128 and name.isascii() and all(char.isalnum() or char in "_-" for char in name)


_SCHEMAS: Final = ("additionalProperties", "items", "not", "if", "then", "else", "contains", "propertyNames")
_NAMED: Final = ("properties", "$defs", "definitions", "patternProperties")
_LISTED: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_DEEPEST: Final = 32


def schema_fault(schema: object, deep: int = 0) -> str:
    """Why it is not a valid JSON schema; empty if it may be one. Vendors' packages fail on invalid schemas."""
    if isinstance(schema, bool) and deep:
        return ""
    if not isinstance(schema, dict):
        return "a schema is an object"
    if deep > _DEEPEST:
        return f"it is nested more than {_DEEPEST} deep"
    if not isinstance(schema.get("$ref", ""), str):
        return "$ref is a text"
    kind = schema.get("type", "")
    if not isinstance(kind, str) and not (isinstance(kind, list) and all(isinstance(one, str) for one in kind)):
        return "type is a text or a list of texts"
    for name in ("required", "enum", *_LISTED):
        if not isinstance(schema.get(name, []), list):
            return f"{name} is a list"
    if not all(isinstance(one, str) for one in schema.get("required", [])):
        return "required is a list of texts"
    for name in _NAMED:
        if not isinstance(schema.get(name, {}), dict):
            return f"{name} is an object"
    inner = (schema_fault(one, deep + 1) for one in _inner(schema))
    return next((fault for fault in inner if fault), "")


def _inner(schema: Mapping[str, Any]) -> Iterator[object]:
    for name in _SCHEMAS:
        found = schema.get(name)
        if name in schema:
            yield from found if name == "items" and isinstance(found, list) else (found,)
    for name in _NAMED:
        yield from schema.get(name, {}).values()
    for name in _LISTED:
        yield from schema.get(name, [])


class Place(Frozen):
    """The session of a message. `earlier` is earlier text that the session does not contain; `results` belong to calls of the session."""

    session: Session
    earlier: str = ""
    results: tuple[ToolReturn, ...] = ()
    # results of unknown calls; shown as words of the program
    strange: tuple[ClientResult, ...] = ()
    # the id of the message if it was sent before and not answered
    message: str = ""


def find_place(
    runtime: Runtime,
    caller: Caller,
    named: tuple[str, str],
    earlier: Sequence[EarlierMessage],
    results: Sequence[ClientResult],
    text: str,
) -> Place:
    """Choose the session: the named one, that of an earlier reply, the one that contains the earlier messages, or a new one.

    `named` are the id of a session and of the message of an earlier turn.
    """
    chat, scope, channel = runtime.chat, caller.scope, caller.channel
    session, after = named
    heard = [Heard(one.role, one.text, _calls(one), one.call) for one in earlier]
    strange = ""
    if session:
        place = chat.begin(scope, channel, session)
    elif after:
        place, strange = _after(runtime, caller, after, heard)
    else:
        # clients send a message again after a model failed; it is stored once
        again = "" if results else text
        found = runtime.log.continued(heard, scope, channel, again, skip=chat.running)
        if found is not None and found[1]:
            return Place(chat.begin(scope, channel, found[0].id), message=found[1])
        place = chat.begin(scope, channel, found[0].id if found is not None else "")
        strange = "" if found is not None else said_elsewhere(heard)
    known = _pending(runtime, place) if results else {}
    returned = tuple(
        ToolReturn(one.call, known[one.call], one.text, one.failed) for one in results if one.call in known
    )
    return Place(place, strange, returned, tuple(one for one in results if one.call not in known))


def _calls(one: EarlierMessage) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(call.id, call.name, call.arguments) for call in one.calls)


def _after(runtime: Runtime, caller: Caller, name: str, more: list[Heard]) -> tuple[Session, str]:
    """The session of an earlier turn. If messages followed that turn, a new session starts with the messages up to it."""
    log, chat = runtime.log, runtime.chat
    message = log.message(name)
    session = log.find(message.session) if message is not None else None
    if message is None or session is None or session.scope != caller.scope:
        raise NotFound(f'reply with the id "{name[:40]}".', mend="Send the conversation, without the id.")
    messages = log.messages(session)
    rest = [one for one in messages if one.seq > message.seq]
    replied = next((at for at, one in enumerate(rest) if one.role == "assistant"), len(rest))
    newer = next((one.seq for one in rest[replied:] if one.role == "user" or is_result(one)), None)
    if newer is None and not session.ended and not more:
        return chat.begin(caller.scope, caller.channel, session.id), ""
    heard = heard_in([one for one in messages if newer is None or one.seq < newer])
    before = [Heard("user", session.summary)] if session.summary else []
    return chat.begin(caller.scope, caller.channel), said_elsewhere([*before, *heard, *more])


def _pending(runtime: Runtime, session: Session) -> dict[str, str]:
    """The names of tools whose calls were left to the program in this session, by call id."""
    return {call.id: call.name for one in runtime.log.messages(session) for call in client_calls(one)}


def find_reply(runtime: Runtime, identity: str, text: str, results: Sequence[ClientResult]) -> list[Event] | None:
    """The events of the reply to a message that was sent before under this id; None if there is none. Raises WrongUse if the message
    differs."""
    known = runtime.log.message(identity) if identity else None
    if known is None:
        return None
    _need_same(known, text, results)
    reply = reply_after(runtime.log.messages(known.session, known.seq))
    if reply is None or not reply.whole:
        return None
    said = [Text(reply.text)] if reply.text else []
    called = [ToolCalled(call.id, call.name, call.arguments, client=True) for call in reply.calls]
    accepted, done = Accepted(known.session, known.id), Done(reply.message, reply.text, reply.why, reply.usage, 0.0)
    return [accepted, *said, *called, done]


def session_of_message(runtime: Runtime, identity: str) -> str:
    """The session that contains the message with this id; empty if there is none."""
    known = runtime.log.message(identity)
    return known.session if known is not None else ""


def _need_same(known: Message, text: str, results: Sequence[ClientResult]) -> None:
    from everself.memory.forgetting.forgotten_words import FORGOTTEN

    words = text if known.role == "user" else results[0].text if results else ""
    same = " ".join(known.content.split()) == " ".join(clean(words).split())
    if not same and FORGOTTEN not in known.content and not known.meta.get("results"):
        raise WrongUse("This id was given to another message.", mend="Give each message its own id.")


def with_strange(text: str, place: Place, options: "TurnOptions") -> "tuple[str, TurnOptions]":
    """Add the results of unknown calls as words of the program: beside the message, or instead of it."""
    if not place.strange:
        return text, options
    told = tuple(f"[result of the call {one.call}] {one.text}" for one in place.strange)
    if text.strip():
        return text, replace(options, beside=(*told, *options.beside))
    ids = tuple(one.call for one in place.strange)
    return "\n\n".join(told), replace(options, by_program=True, answers=ids)
