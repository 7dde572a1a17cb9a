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

# `own`: of Everself itself, or the agent's, a hand's and the owner's. Else a source from outside: what comes back taints the conversation.
Stamp = str
# what happened to memory, for interfaces
WriteKind = Literal["remembered", "corrected", "forgotten", "file", "proposed"]
# those by which something is kept
KEPT: Final = frozenset({"remembered", "corrected"})

TIMEOUT: Final = 30.0
MOST_CHARACTERS: Final = 20_000


def worse(one: Stamp, other: Stamp) -> Stamp:
    return taint_of((one, other))


class ToolContext(Frozen):
    """The conversation and message for which a tool is called. `taint` is the least trusted source that the conversation has read."""

    scope: Scope
    session: str
    # id and words of the message that is being answered, and whether the owner said it
    message: str
    said: str
    by_owner: bool
    taint: Stamp = OWN
    # whether a program asks, and nobody sees what it costs
    unwatched: bool = False


class Written(Frozen):
    """Something that a tool did to the workspace, cited as it can be found: path#L3. `left_out` are the kinds of secrets that were not
    written."""

    deed: WriteKind
    words: str
    path: str
    entry: str = ""
    change: str = ""
    left_out: tuple[str, ...] = ()


def remembered(entries: Iterable[str], catalog: "Catalog") -> tuple[Written, ...]:
    """Entries by their ids, as something that was written."""
    found = (catalog.find(name) for name in entries)
    return tuple(Written("remembered", one.text, one.reference, one.id) for one in found if one is not None)


class Outcome(Frozen):
    """What the model is shown. `origin` names where words from outside came from: a URL, a server's name.

    `stamp` is for tools that hand on what others said: it counts where it is worse than the tool's own.
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
    """`changes`: it may write, so sub-agents with a read-only workspace do not get it. `client`: the program that asks runs it, so that a
    call of it ends the turn."""

    spec: ToolSpec
    run: Run
    stamp: Stamp = "own"
    changes: bool = False
    timeout: float = TIMEOUT
    most_characters: int = field(default=MOST_CHARACTERS)
    client: bool = False


def client_tool(spec: ToolSpec) -> Tool:
    """A tool that somebody else runs; only a call that is no call comes here."""

    async def run(_: JsonObject, __: ToolContext) -> Outcome:
        return Outcome(f"{spec.name} is not run here.", failed=True)

    return Tool(spec, run, stamp=TOOL, client=True)


def told(result: Mapping[str, object]) -> str:
    """A result as a model is shown it."""
    return json.dumps(result, ensure_ascii=False)


def one_text(name: str, description: str) -> JsonObject:
    """The schema of a tool that takes one text."""
    properties = {name: {"type": "string", "description": description}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}
