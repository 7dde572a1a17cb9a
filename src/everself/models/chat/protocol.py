"""The protocol of a chat model: a request in, parts of a reply out. Knows no vendor, no memory and no tool."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import field
from typing import Any, Literal, Protocol

from everself.frozen import Frozen

# How a model calls tools, as `model test` found: as its vendor means it, as JSON in its text, or not at all.
Calling = Literal["untested", "native", "text", "none"]

# A JSON schema, or arguments that were read from JSON: a shape that the vendor's wire decides, not we.
JsonObject = Mapping[str, Any]


class ToolSpec(Frozen):
    """A tool as described to a model. `parameters` is the JSON schema of an object."""

    name: str
    description: str
    parameters: JsonObject


class ToolCall(Frozen):
    """A call that a model asked for. `arguments` is JSON as it came, which may be invalid: `tools.calls` parses it."""

    id: str
    name: str
    arguments: str


class ToolReturn(Frozen):
    """What a call gave, in the words that the model is shown."""

    id: str
    name: str
    content: str
    failed: bool = False


class Image(Frozen):
    """A picture that came with a message. `data` is left out of what is printed."""

    media_type: str
    data: bytes = field(repr=False)


class UserTurn(Frozen):
    """Something that was said to the agent. `done` are sentences about what was done with it already, before any model saw it; `unclear`
    are questions to ask where nothing could be done; `beside` is what the program through which it was said added of its own."""

    text: str
    done: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()


class ModelTurn(Frozen):
    """`vendor` is what the answer came with that the vendor wants back while the turn goes on (see `ReplyEnd`); it is never stored."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    vendor: object = field(default=None, compare=False, repr=False)


class ToolTurn(Frozen):
    returns: tuple[ToolReturn, ...]


Turn = UserTurn | ModelTurn | ToolTurn


class ChatRequest(Frozen):
    """One step of a conversation. `prefix` stays the same from turn to turn and is worth caching; `delta` holds for this turn only.

    With a `schema` the answer is JSON of that shape, in `text`; tools may be called before it. `must_call` names the tools one of which
    has to be called.
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
    # vendors that do not know one of these leave it out
    top_p: float | None = None
    seed: int | None = None
    parallel_tool_calls: bool | None = None


class Usage(Frozen):
    """Tokens of one request. `cached` were read from the vendor's cache and `stored` written to it; both are part of `sent`."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    stored: int = 0
    # False where the numbers are ours because the vendor gave none
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
    """A complete call. Vendors stream calls in fragments; these are joined first."""

    call: ToolCall


class ReplyEnd(Frozen):
    """The last part, always. `length`: it was cut at the limit of tokens; `refused`: the vendor's filter stopped it.

    `vendor` is the answer with its signed thinking, which some vendors expect back with the results of the tools that it called. Only the
    model that gave it reads it.
    """

    usage: Usage = field(default_factory=Usage)
    why: Literal["stop", "tools", "length", "refused"] = "stop"
    vendor: object = field(default=None, compare=False, repr=False)


ReplyPart = ReplyText | ReplyThinking | ReplyCall | ReplyEnd


class ChatModel(Protocol):
    """Raises ModelFailed. A reply that breaks off raises after the parts that were received; it is never restarted automatically."""

    @property
    def name(self) -> str:
        """As in the settings: provider/name, or reflex."""

    @property
    def window(self) -> int:
        """Tokens that it takes in all, the answer included."""

    @property
    def most_output(self) -> int:
        """Tokens that it gives at most in one answer."""

    @property
    def paid(self) -> bool: ...

    def stream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]: ...


def takes_images(model: ChatModel) -> bool:
    """Whether images can be sent to it. One that does not say so takes none."""
    return bool(getattr(model, "takes_images", False))


async def whole_answer(model: ChatModel, request: ChatRequest) -> tuple[str, Usage]:
    """The text of a reply to a request without tools, and what it took."""
    text, end = "", ReplyEnd()
    async for piece in model.stream(request):
        match piece:
            case ReplyText(said):
                text += said
            case ReplyEnd():
                end = piece
    return text, end.usage
