"""The protocol of a chat model: a request in, parts of a reply out. Knows no vendor, no memory and no tool."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

# How a model calls tools, as `model test` found: as its vendor means it, as JSON in its text, or not at all.
Calling = Literal["untested", "native", "text", "none"]

# A JSON schema, or arguments that were read from JSON: a shape that the vendor's wire decides, not we.
JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as described to a model. `parameters` is the JSON schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asked for. `arguments` is JSON as it came, which may be invalid: `tools.calls` parses it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolReturn:
    """What a call gave, in the words that the model is shown."""

    id: str
    name: str
    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that came with a message. `data` is left out of what is printed."""

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class UserTurn:
    """Something that was said to the agent. `done` are sentences about what was done with it already, before any model saw it; `unclear`
    are questions to ask where nothing could be done; `beside` is what the program through which it was said added of its own."""

    text: str
    done: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """`vendor` is what the answer came with that the vendor wants back while the turn goes on (see `ReplyEnd`); it is never stored."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    vendor: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolTurn:
    returns: tuple[ToolReturn, ...]


Turn = UserTurn | ModelTurn | ToolTurn


@dataclass(frozen=True, slots=True)
class ChatRequest:
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


@dataclass(frozen=True, slots=True)
class Usage:
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


@dataclass(frozen=True, slots=True)
class ReplyText:
    text: str


@dataclass(frozen=True, slots=True)
class ReplyThinking:
    text: str


@dataclass(frozen=True, slots=True)
class ReplyCall:
    """A complete call. Vendors stream calls in fragments; these are joined first."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ReplyEnd:
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
