"""How an operation is declared: once, with all that an interface needs to offer it.

Knows no particular operation and no interface. The command line, the model's tools, slash commands, HTTP routes and MCP tools are made
from these declarations. The fields of a `Request` carry an `Option` or an `Argument`.
"""

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller, nobody_agrees
from everself.operations.examples import split_examples

if TYPE_CHECKING:
    from everself.conversation.tools.protocol import Outcome
    from everself.operations.home import Home
    from everself.runtime import Runtime
    from everself.search.scopes import Scope, SessionKind

Interface = Literal["cli", "tool", "slash", "http", "mcp"]
Effect = Literal["read", "write", "destructive"]
# told how much of a long step is done, of how much
Tell = Callable[[int, int], None]
# one where an operation has one label, as many as it has labels otherwise
Telling = Tell | Sequence[Tell | None] | None

# a memory is a thought, not a book
MOST: Final = 256 * 1024

R = TypeVar("R")
T = TypeVar("T")


class Option(Frozen):
    """A field of a request: what it means, its limits, and what it is called elsewhere than in Python.

    `only`: the interfaces that offer it; the others leave it at its default. Nothing: all of them. `needed`: the interfaces where it has
    to be given although it has a default. `slash`: in a chat it takes what follows the name of the command. `stdin`: on a command line
    a single `-` is read from standard input; the text has at most `most` characters there.
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
    """A field that the command line takes by its place. `joined`: any number of words, which become one text."""

    joined: bool = False


class Field(Frozen):
    """One field of a request as an interface sees it. `kind` is its type without `| None`."""

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
        """Raises WrongUse for a number beyond the limits."""
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
    """What an operation is asked for: its subclasses are frozen dataclasses, whose fields are given by name."""

    __dataclass_fields__: typing.ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class Result(Frozen):
    """What an operation gives, or a part of it."""


class NoRequest(Request):
    """Of an operation that there is nothing to say to."""


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
    """How an operation is offered to a model: its name and description, the kinds of session that get it, and what the model is shown.

    `where` narrows that further. What is shown without a `show` counts as text from outside, since nobody says whose words it holds.
    """

    name: str
    help: str = ""
    sessions: "frozenset[SessionKind]" = OWNERS_SESSIONS
    where: "Callable[[Runtime, Scope], bool] | None" = None
    show: "Callable[[Runtime, Any, T], Outcome] | None" = None
    timeout: float | None = None


@dataclass(frozen=True)
class McpOffer(Generic[T]):
    """How an operation is offered over MCP, to the models of other programs: fewer words than for the agent's own, since every client
    pays for them in every conversation. `show` gives what such a model is shown."""

    name: str
    help: str
    show: "Callable[[Runtime, Any, T], Outcome]"


@dataclass(frozen=True)
class Operation(Generic[R, T]):
    """`name` is its place among the others: `memory.search` is the command `memory search`.

    `help` is one line, `details` the rest of the docstring without its `examples`; `progress` is the label of its bar, which may name a
    field as `{request.name}`, or the labels of several. `tool`, `mcp` and `slash` offer it to a model, to other programs' models and in
    a chat; nothing: not offered there. `command` is false where no command is made of it. `on` says what it is run on: an opened agent, or
    the home of all agents, where none has to exist. `makes_agent`: its command makes the agent where there was none. `question` is what a
    person is asked before it is done, and may name a part of the plan as `{plan.folder}`; the operation shows the plan to `caller.agree`.
    `agreed_by` is the flag that answers it, with its help. `needs_yes` says why it is refused where nobody can be asked; what cannot be
    undone is refused anyway.
    `stream`: it returns the events of a conversation. `http` is false where the gateway does not offer it although its audience could ask.
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
        """The module of `everself.operations` that declares it."""
        return self.run.__module__.removeprefix("everself.operations.")

    @property
    def argument(self) -> Field | None:
        """The field that takes what follows the name of the command."""
        arguments = (one for one in self.fields if isinstance(one.option, Argument))
        return next((one for one in self.fields if one.option.slash), None) or next(arguments, None)

    @property
    def takes(self) -> str:
        """How a help calls what may follow the name."""
        found = self.argument
        if found is None:
            return ""
        name = found.option.metavar or found.name.upper()
        return name if found.is_required("slash") or name.startswith("[") else f"[{name}]"

    def __call__(self, runtime: "Runtime | Home", caller: Caller, request: R, tell: Telling = None) -> T:
        """Run it for this caller. Raises RefusedByRule for whoever may not."""
        caller.need(self.audience)
        for one in self.fields:
            one.check(getattr(request, one.name))
        if self.effect != "destructive" and not self.needs_yes and caller.agree is nobody_agrees:
            # what can be undone needs no asking where nobody is there
            caller = replace(caller, agree=lambda _: None)
        return self.run(runtime, caller, request, tell) if self.progress else self.run(runtime, caller, request)

    def read(self, given: Mapping[str, object], interface: Interface) -> R:
        """A request from what came in as JSON, by the names of that interface. Raises WrongUse that names the field."""
        # imported here: the command line, whose values are typed already, starts without it
        import msgspec

        offered = {one.option.tool or one.name: one for one in self.fields if one.offered_by(interface)}
        if unknown := [name for name in given if name not in offered]:
            raise WrongUse(f"Unknown field: {unknown[0][:60]}. Known are {', '.join(offered)}.")
        values = {
            # models write one text for a list of one, and null for what they leave out
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
        """The JSON Schema of a request, with the names and fields of that interface."""
        found = _SCHEMAS.get((self.request, interface))
        if found is None:
            found = _SCHEMAS[self.request, interface] = _schema(self.request, interface)
        return found


# made once: each turn shows a model thirty of them
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
    """The properties of the one object that a schema describes; what it refers to is put in its place."""
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
    # a default that says nothing is not worth a model's tokens
    shown = {key: value for key, value in plain.items() if key != "default" or value}
    return {
        **shown,
        **{key: value for key, value in limits.items() if value is not None},
        "description": one.option.help,
    }


_DECLARED: Final[dict[str, Operation[Any, Any]]] = {}


def declared() -> dict[str, Operation[Any, Any]]:
    """The operations of all modules that were imported so far, by name."""
    return dict(_DECLARED)


def operation(
    name: str, *, audience: Audience, effect: Effect, **more: Any
) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare the function below as an operation `(runtime, caller, request) -> result`. `more` is as in `Operation`."""

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


def owner_reads(name: str, **more: Any) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare an operation that shows the owner something and changes nothing."""
    return operation(name, audience=Audience.OWNER, effect="read", **more)


def terminal_writes(name: str, **more: Any) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare an operation that changes something, for the owner at a terminal alone."""
    return operation(name, audience=Audience.OWNER_AT_TERMINAL, effect="write", **more)


def terminal_reads(name: str, **more: Any) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare an operation that shows something and changes nothing, for the owner at a terminal alone."""
    return operation(name, audience=Audience.OWNER_AT_TERMINAL, effect="read", **more)


def owner_writes(name: str, **more: Any) -> Callable[[Callable[..., T]], Operation[Any, T]]:
    """Declare an operation that changes something, for the owner wherever they are."""
    return operation(name, audience=Audience.OWNER, effect="write", **more)
