"""The declaration of an operation, with everything that an interface needs to offer it.

Knows no particular operation and no interface. The command line, the model's tools, slash commands, HTTP routes and MCP tools are made from
these declarations. The fields of a `Request` carry an `Option` or an `Argument`.
"""

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller, nobody_agrees
from everself.operations.examples import split_examples
from everself.search.scopes import Scope, SessionKind

if TYPE_CHECKING:
    from everself.conversation.tools.protocol import Outcome
    from everself.operations.home import Home
    from everself.runtime import Runtime

Interface = Literal["cli", "tool", "slash", "http", "mcp"]
Effect = Literal["read", "write", "destructive"]
# receives the number of finished steps and the total
Tell = Callable[[int, int], None]
# a single callback for an operation with one label, else one per label
Telling = Tell | Sequence[Tell | None] | None

# an entry is a short text, not a document
MOST: Final = 256 * 1024

R = TypeVar("R")
T = TypeVar("T")


class Option(Frozen):
    """A field of a request: its meaning, its limits, and its names in the interfaces.

    `only`: the interfaces that offer it; empty means all. The others use the default. `needed`: the interfaces where it is required
    although it has a default. `slash`: in a chat it takes the text after the command. `stdin`: on the command line a single `-` reads
    standard input, of at most `most` characters.
    """

    help: str
    metavar: str = ""
    ge: float | None = None
    le: float | None = None
    cli: str = ""
    tool: str = ""
    only: tuple[Interface, ...] = ()
    needed: tuple[Interface, ...] = ()
    slash: bool = False
    stdin: bool = False
    most: int = MOST


class Argument(Option):
    """A positional field on the command line. `joined`: it takes any number of words as one text."""

    joined: bool = False


class Field(Frozen):
    """One field of a request, as interfaces see it. `kind` is its type without `| None`."""

    name: str
    kind: Any
    optional: bool
    default: Any
    option: Option

    def offered_by(self, interface: Interface) -> bool:
        return not self.option.only or interface in self.option.only

    def is_required(self, interface: Interface) -> bool:
        return not self.optional or interface in self.option.needed

    @property
    def many(self) -> bool:
        return typing.get_origin(self.kind) is tuple

    def check(self, value: object) -> None:
        """Raises WrongUse if a number is out of range."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        low, high = self.option.ge, self.option.le
        if (low is not None and value < low) or (high is not None and value > high):
            allowed = " and ".join(
                words for words, limit in ((f"at least {low}", low), (f"at most {high}", high)) if limit is not None
            )
            raise WrongUse(f"{self.name} is {value}, but must be {allowed}.")


@typing.dataclass_transform(frozen_default=True, kw_only_default=True)
class Request:
    """The base class of requests: subclasses become frozen dataclasses with keyword-only fields."""

    __dataclass_fields__: typing.ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class Result(Frozen):
    """The base class of an operation's result and its parts."""


class NoRequest(Request):
    """The request of an operation without parameters."""


def fields_of(request: type[Any]) -> Iterator[Field]:
    hints = typing.get_type_hints(request, include_extras=True)
    for one in fields(request):
        hint, *notes = typing.get_args(hints[one.name])
        option = next(note for note in notes if isinstance(note, Option))
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        kind = kinds[0] if type(None) in typing.get_args(hint) else hint
        required = one.default is MISSING and one.default_factory is MISSING
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        yield Field(one.name, kind, not required, None if required else default, option)


@dataclass(frozen=True)
class ToolOffer(Generic[T]):
    """The offer of an operation to the agent's own model: name, description, kinds of session, and how the result is shown.

    `where` restricts it further. Without `show`, the result counts as text from outside, because its source is unknown.
    """

    name: str
    help: str = ""
    sessions: frozenset[SessionKind] = OWNERS_SESSIONS
    where: "Callable[[Runtime, Scope], bool] | None" = None
    show: "Callable[[Runtime, Any, T], Outcome] | None" = None
    timeout: float | None = None


@dataclass(frozen=True)
class McpOffer(Generic[T]):
    """The offer of an operation to models of other programs over MCP. The help is short, because every client pays for it in every
    conversation. `show` renders the result for the model."""

    name: str
    help: str
    show: "Callable[[Runtime, Any, T], Outcome]"


@dataclass(frozen=True)
class Operation(Generic[R, T]):
    """`name` has dots: `memory.search` is the command `memory search`.

    `help` is one line; `details` is the rest of the docstring without its `examples`. `progress` is the label of the progress bar, which
    may name a field as `{request.name}`, or several labels. `tool`, `mcp` and `slash` offer it to the agent's model, to other programs'
    models and in a chat. `command`: it is a command. `on`: it needs an opened agent, or only the home folder. `makes_agent`: the command
    creates a missing agent. `question` is asked before it runs, and may contain a field of the plan as `{plan.folder}`; the operation shows
    the plan to `caller.agree`. `agreed_by` is the flag that answers the question, with its help. `needs_yes`: why it is refused if nobody
    can be asked; a destructive operation is always refused then. `stream`: it returns the events of a conversation. `http`: the gateway
    offers it.
    """

    name: str
    run: Callable[..., T]
    request: type[R]
    audience: Audience
    effect: Effect
    help: str
    details: str = ""
    idempotent: bool = False
    progress: str | tuple[str, ...] = ""
    tool: ToolOffer[T] | None = None
    mcp: McpOffer[T] | None = None
    slash: str = ""
    command: bool = True
    question: str = ""
    agreed_by: tuple[str, str] = ("yes", "Do not ask.")
    needs_yes: str = ""
    stream: bool = False
    http: bool = True
    on: Literal["agent", "home"] = "agent"
    makes_agent: bool = False
    examples: tuple[tuple[str, str], ...] = ()
    fields: tuple[Field, ...] = field(default=(), repr=False)

    @property
    def module(self) -> str:
        """The name of the declaring module within `everself.operations`."""
        return self.run.__module__.removeprefix("everself.operations.")

    @property
    def argument(self) -> Field | None:
        """The field that takes the text after the command."""
        arguments = (one for one in self.fields if isinstance(one.option, Argument))
        return next((one for one in self.fields if one.option.slash), None) or next(arguments, None)

    @property
    def takes(self) -> str:
        """The placeholder of the argument in help texts."""
        found = self.argument
        if found is None:
            return ""
        name = found.option.metavar or found.name.upper()
        return name if found.is_required("slash") or name.startswith("[") else f"[{name}]"

    def __call__(self, runtime: "Runtime | Home", caller: Caller, request: R, tell: Telling = None) -> T:
        """Run it for this caller. Raises RefusedByRule if the caller lacks the rights."""
        caller.need(self.audience)
        for one in self.fields:
            one.check(getattr(request, one.name))
        if self.effect != "destructive" and not self.needs_yes and caller.agree is nobody_agrees:
            # a change that can be undone needs no confirmation if nobody is present
            caller = replace(caller, agree=lambda _: None)
        return self.run(runtime, caller, request, tell) if self.progress else self.run(runtime, caller, request)

    def read(self, given: Mapping[str, object], interface: Interface) -> R:
        """Parse a request from JSON with the interface's field names. Raises WrongUse that names the field."""
        # imported here: the command line has typed values and starts without it
        import msgspec

        offered = {one.option.tool or one.name: one for one in self.fields if one.offered_by(interface)}
        if unknown := [name for name in given if name not in offered]:
            raise WrongUse(f"Unknown field: {unknown[0][:60]}. Known are {', '.join(offered)}.")
        values = {
            # models write a single text instead of a list, and null for a missing value
            offered[name].name: [value] if offered[name].many and isinstance(value, str) else value
            for name, value in given.items()
            if value is not None
        }
        for name, one in offered.items():
            if one.is_required(interface) and not str(values.get(one.name, "")).strip():
                raise WrongUse(f"`{name}` is missing or empty.")
        try:
            # not strict: models write "5" and 5.0 for 5
            return msgspec.convert(values, self.request, strict=False)
        except msgspec.ValidationError as error:
            raise WrongUse(f"{error}.") from error

    def schema(self, interface: Interface) -> dict[str, object]:
        """The JSON Schema of the request for this interface."""
        found = _SCHEMAS.get((self.request, interface))
        if found is None:
            found = _SCHEMAS[self.request, interface] = _schema(self.request, interface)
        return found


# cached: each turn sends about thirty of them to a model
_SCHEMAS: Final[dict[tuple[type[Any], Interface], dict[str, object]]] = {}


def _schema(request: type[Any], interface: Interface) -> dict[str, object]:
    import msgspec

    known = _properties(msgspec.json.schema(request))
    offered = [one for one in fields_of(request) if one.offered_by(interface)]
    return {
        "type": "object",
        "properties": {one.option.tool or one.name: _property(one, known[one.name]) for one in offered},
        "required": [one.option.tool or one.name for one in offered if one.is_required(interface)],
        "additionalProperties": False,
    }


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties of the object that the schema describes, with references resolved."""
    definitions = schema.get("$defs", {})
    top = definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    def whole(part: Any) -> Any:
        if isinstance(part, dict):
            if "$ref" in part:
                return whole(definitions[part["$ref"].rpartition("/")[2]])
            return {key: whole(value) for key, value in part.items() if key != "title"}
        return [whole(one) for one in part] if isinstance(part, list) else part

    found: Mapping[str, Any] = whole(top["properties"])
    return found


def _property(one: Field, known: Mapping[str, Any]) -> dict[str, Any]:
    kinds = known.get("anyOf")
    # an optional field is one that may be left out, not one that may be null
    plain = next(kind for kind in kinds if kind.get("type") != "null") if kinds else known
    limits = {"minimum": one.option.ge, "maximum": one.option.le}
    # an empty default is not worth a model's tokens
    shown = {key: value for key, value in plain.items() if key != "default" or value}
    return {
        **shown,
        **{key: value for key, value in limits.items() if value is not None},
        "description": one.option.help,
    }


_DECLARED: Final[dict[str, Operation[Any, Any]]] = {}


def declared() -> dict[str, Operation[Any, Any]]:
    """All operations whose modules were imported, by name."""
    return dict(_DECLARED)


def operation(
    name: str, *, audience: Audience, effect: Effect, **more: Any
) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare the decorated function as an operation `(runtime, caller, request) -> result`. `more` are fields of `Operation`."""

    def declare(run: Callable[..., T]) -> Operation[Any, T]:
        if name in _DECLARED:
            raise ValueError(f"the operation {name} is declared twice")
        prose, examples = split_examples(inspect.getdoc(run) or "")
        summary, _, details = prose.partition("\n")
        request = run.__annotations__.get("request", NoRequest)
        more.update(details=details.strip(), examples=examples, fields=tuple(fields_of(request)))
        made = Operation(name, run, request, audience, effect, summary, **more)
        _DECLARED[name] = made
        return made

    return declare


# the same for the owner, and for the owner at a terminal only; what they declare changes nothing, or changes something
owner_reads = partial(operation, audience=Audience.OWNER, effect="read")
owner_writes = partial(operation, audience=Audience.OWNER, effect="write")
terminal_reads = partial(operation, audience=Audience.OWNER_AT_TERMINAL, effect="read")
terminal_writes = partial(operation, audience=Audience.OWNER_AT_TERMINAL, effect="write")
