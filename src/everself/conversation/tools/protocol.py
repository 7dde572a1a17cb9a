"""The tool protocol and the outcome of a call. Knows no particular tool."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final, Literal

from everself.frozen import Frozen
from everself.memory.provenance import OWN, TOOL, taint_of
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.search.scopes import Scope

if TYPE_CHECKING:
    from everself.memory.catalog import Catalog

# `own`: Everself itself, the agent, a hand or the owner. Any other value is a source from outside; a result with it taints the
# conversation.
Stamp = str
# what happened to memory, for interfaces
WriteKind = Literal["remembered", "corrected", "forgotten", "file", "proposed"]
# the kinds of writes that store something
KEPT: Final = frozenset({"remembered", "corrected"})

TIMEOUT: Final = 30.0
MOST_CHARACTERS: Final = 20_000


def worse(one: Stamp, other: Stamp) -> Stamp:
    return taint_of((one, other))


class ToolContext(Frozen):
    """The conversation and message for which a tool is called. `taint` is the least trusted source that the conversation has read."""

    scope: Scope
    session: str
    # id and text of the message being answered, and whether the owner wrote it
    message: str
    said: str
    by_owner: bool
    taint: Stamp = OWN
    # whether a program asks and nobody watches the cost
    unwatched: bool = False


class Written(Frozen):
    """A change that a tool made to the workspace, with a reference that finds it: path#L3. `left_out` are the kinds of secrets that were
    not written."""

    deed: WriteKind
    words: str
    path: str
    entry: str = ""
    change: str = ""
    left_out: tuple[str, ...] = ()


def remembered(entries: Iterable[str], catalog: "Catalog") -> tuple[Written, ...]:
    """The entries with these ids, as writes of kind `remembered`."""
    found = (catalog.find(name) for name in entries)
    return tuple(Written("remembered", one.text, one.reference, one.id) for one in found if one is not None)


class Outcome(Frozen):
    """What the model is shown. `origin` names where text from outside came from: a URL or the name of a server.

    `stamp` is for tools that pass on text of others: it applies if it is less trusted than the tool's own.
    """

    content: str
    failed: bool = False
    written: tuple[Written, ...] = ()
    origin: str = ""
    stamp: Stamp = "own"


# programs and servers act with the owner's rights, so nobody else's words may reach them
REFUSED: Final = Outcome(
    "Permission denied: this tool is only available in the owner's own conversations.", failed=True
)
Run = Callable[[JsonObject, ToolContext], Awaitable[Outcome]]


class Tool(Frozen):
    """`changes`: it may write, so sub-agents with a read-only workspace do not get it. `client`: the calling program runs it, so a call of
    it ends the turn."""

    spec: ToolSpec
    run: Run
    stamp: Stamp = "own"
    changes: bool = False
    timeout: float = TIMEOUT
    most_characters: int = field(default=MOST_CHARACTERS)
    client: bool = False


def client_tool(spec: ToolSpec) -> Tool:
    """A tool that the calling program runs; only malformed calls are handled here."""

    async def run(_: JsonObject, __: ToolContext) -> Outcome:
        return Outcome(f"{spec.name} is not run here.", failed=True)

    return Tool(spec, run, stamp=TOOL, client=True)


def told(result: Mapping[str, object]) -> str:
    """A result as the JSON text that a model is shown."""
    return json.dumps(result, ensure_ascii=False)


def one_text(name: str, description: str) -> JsonObject:
    """The schema of a tool that takes one text."""
    properties = {name: {"type": "string", "description": description}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}
