"""The protocol of a chat model: a request in, parts of a reply out. Knows no vendor, no memory and no tool."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import field
from typing import Any, Literal, Protocol

from everself.frozen import Frozen

# How a model calls tools, as `model test` found: by its vendor's protocol, as JSON in its text, or not at all.
Calling = Literal["untested", "native", "text", "none"]

# A JSON schema, or arguments parsed from JSON. The vendor defines the shape.
JsonObject = Mapping[str, Any]


class ToolSpec(Frozen):
    """A tool as described to a model. `parameters` is the JSON schema of an object."""

    name: str
    description: str
    parameters: JsonObject


class ToolCall(Frozen):
    """A call that a model requested. `arguments` is JSON as received and may be invalid: `tools.calls` parses it."""

    id: str
    name: str
    arguments: str


class ToolReturn(Frozen):
    """The result of a call, as shown to the model."""

    id: str
    name: str
    content: str
    failed: bool = False


class Image(Frozen):
    """An image of a message. `data` is left out of the repr."""

    media_type: str
    data: bytes = field(repr=False)


class UserTurn(Frozen):
    """A message to the agent. `done` describes what the runtime did with it before any model saw it; `unclear` are questions to ask;
    `beside` is text that the client program added."""

    text: str
    done: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()


class ModelTurn(Frozen):
    """A reply. `vendor` is the data that the vendor wants back during the turn (see `ReplyEnd`); it is never stored."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    vendor: object = field(default=None, compare=False, repr=False)


class ToolTurn(Frozen):
    returns: tuple[ToolReturn, ...]


Turn = UserTurn | ModelTurn | ToolTurn


class ChatRequest(Frozen):
    """One step of a conversation. `prefix` is the same in every turn and worth caching; `delta` is for this turn only.

    With a `schema`, the answer is JSON of that shape, in `text`; tools may be called first. `must_call` names tools of which one must be
    called.
    """

    prefix: str
    delta: str
    turns: tuple[Turn, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    schema: JsonObject | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    must_call: tuple[str, ...] = ()
    # ignored by vendors that do not support them
    top_p: float | None = None
    seed: int | None = None
    parallel_tool_calls: bool | None = None


class Usage(Frozen):
    """The tokens of one request. `cached` were read from the vendor's cache, `stored` written to it; both are part of `sent`."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    stored: int = 0
    # False if the vendor reported nothing and the numbers are estimates
    told: bool = True

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.sent + other.sent,
            self.received + other.received,
            self.cached + other.cached,
            self.stored + other.stored,
            self.told and other.told,
        )


class ReplyText(Frozen):
    text: str


class ReplyThinking(Frozen):
    text: str


class ReplyCall(Frozen):
    """A complete call, joined from streamed fragments."""

    call: ToolCall


class ReplyEnd(Frozen):
    """The last part of every reply. `length`: cut off at the token limit; `refused`: stopped by the vendor's filter.

    `vendor` is the answer with its signed thinking, which some vendors expect back with the results of its tool calls. Only the model
    that produced it reads it.
    """

    usage: Usage = field(default_factory=Usage)
    why: Literal["stop", "tools", "length", "refused"] = "stop"
    vendor: object = field(default=None, compare=False, repr=False)


ReplyPart = ReplyText | ReplyThinking | ReplyCall | ReplyEnd


class ChatModel(Protocol):
    """Raises ModelFailed. A broken reply raises after the parts that were received; it is never restarted automatically."""

    @property
    def name(self) -> str:
        """The name in the settings: provider/name, or reflex."""

    @property
    def window(self) -> int:
        """The context window in tokens, including the answer."""

    @property
    def most_output(self) -> int:
        """The maximum number of tokens of one answer."""

    @property
    def paid(self) -> bool: ...

    def stream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]: ...


def takes_images(model: ChatModel) -> bool:
    """Whether images can be sent to a model; False if it does not say."""
    return bool(getattr(model, "takes_images", False))


async def whole_answer(model: ChatModel, request: ChatRequest) -> tuple[str, Usage]:
    """The text and the usage of a reply to a request without tools."""
    text, end = "", ReplyEnd()
    async for piece in model.stream(request):
        match piece:
            case ReplyText(said):
                text += said
            case ReplyEnd():
                end = piece
    return text, end.usage
