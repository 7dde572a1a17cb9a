"""Offers the tools of the configured MCP servers to a conversation: starts the servers, names their tools, closes them.

Text from servers about themselves is cut to size and never trusted. Communicates with them through `Connection` only.
"""

import asyncio
import json
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from everself.config.sections import McpServer
from everself.conversation.tools.outside._truncation import clip, plain
from everself.conversation.tools.outside.mcp._connection import CALL, MOST_TOOLS, START, Connection, quieten
from everself.conversation.tools.protocol import MOST_CHARACTERS, REFUSED, Outcome, Tool, ToolContext
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.search.sharing import is_owner

if TYPE_CHECKING:
    from mcp_types import CallToolResult
    from mcp_types import Tool as Offer

_LETTERS: Final = frozenset(string.ascii_letters + string.digits + "_-")
_LONGEST_NAME: Final = 64
_LONGEST_SERVER: Final = 24
_LONGEST_DESCRIPTION: Final = 1_000
_LONGEST_SCHEMA: Final = 8_000
_RESTARTS: Final = 3
# longer than the call itself, because the call may first have to restart a dead server
_TIMEOUT: Final = CALL + START + 15.0


@dataclass(slots=True)
class McpServers:
    """`notices` are for the person; taking them to show removes them."""

    tools: tuple[Tool, ...] = ()
    notices: list[str] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    lives: "list[_RestartingConnection]" = field(default_factory=list)

    async def start(self, named: Sequence[McpServer], folder: str) -> None:
        """Start all servers at once. One that does not start results in a notice."""
        quieten()
        wanted = [server for server in named if server.enabled]
        for server in wanted:
            if bool(server.command) == bool(server.url):
                self.notices.append(f"The MCP server {server.name} needs either a command or a url; it was skipped.")
            else:
                self.connections.append(Connection(server, folder))
        offers = await asyncio.gather(*(self._open(connection) for connection in self.connections))
        taken: set[str] = set()
        made: list[Tool] = []
        for connection, listed in zip(self.connections, offers, strict=True):
            lives = _RestartingConnection(connection, self.notices)
            self.lives.append(lives)
            made += (tool for offer in listed if (tool := self._tool(lives, offer, taken)) is not None)
        self.tools = tuple(made)

    async def close(self) -> None:
        # a late call must not start a program that nobody would close
        for lives in self.lives:
            lives.left = 0
        await asyncio.gather(*(connection.close() for connection in self.connections))

    async def _open(self, connection: Connection) -> "list[Offer]":
        reason = await connection.open()
        if reason:
            self.notices.append(f"The MCP server {connection.name} did not start: {reason}.")
            return []
        found = await connection.tools()
        if not found:
            why = f": {connection.reason}" if connection.reason else ""
            self.notices.append(f"The MCP server {connection.name} offers no tools{why}.")
        elif len(found) == MOST_TOOLS:
            self.notices.append(f"Of the MCP server {connection.name}, no more than {MOST_TOOLS} tools are used.")
        return found

    def _tool(self, lives: "_RestartingConnection", offer: "Offer", taken: set[str]) -> Tool | None:
        server = lives.connection.name
        parameters = _schema(offer.input_schema)
        if parameters is None:
            shown = plain(offer.name, _LONGEST_NAME)
            self.notices.append(f"The tool {shown} of the MCP server {server} has no usable schema and was skipped.")
            return None
        name = safe_name(server, offer.name, taken)
        taken.add(name)
        words = plain(offer.description or offer.title or offer.name, _LONGEST_DESCRIPTION)
        spec = ToolSpec(name, f"[MCP server {plain(server, _LONGEST_SERVER)}] {words}", parameters)

        async def run(arguments: JsonObject, setting: ToolContext) -> Outcome:
            return await lives.call(offer.name, arguments) if is_owner(setting.scope) else REFUSED

        # read-only hints come from the server itself, so every tool of a server counts as changing
        return Tool(spec, run, stamp="tool", changes=True, timeout=_TIMEOUT, most_characters=MOST_CHARACTERS)


@dataclass(slots=True)
class _RestartingConnection:
    """A connection that is reopened if its server exits, up to `left` times in a conversation."""

    connection: Connection
    notices: list[str]
    left: int = _RESTARTS
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def call(self, name: str, arguments: JsonObject) -> Outcome:
        server = self.connection.name
        refused = await self._revive()
        if refused:
            return Outcome(refused, failed=True, origin=server)
        found = await self.connection.call(name, arguments)
        if not isinstance(found, str):
            return Outcome(clip(render(found), MOST_CHARACTERS * 9 // 10), failed=found.is_error, origin=server)
        if not await self.connection.is_alive():
            await self.connection.close()
            self.notices.append(f"The MCP server {server} exited.")
        return Outcome(f"{server}: {found}.", failed=True, origin=server)

    async def _revive(self) -> str:
        """Restart the server if it is not running. Returns an empty string if it runs, otherwise the reason. Concurrent calls restart it
        once."""
        async with self.turn:
            if self.connection.is_open:
                return ""
            server = self.connection.name
            if self.left == 0:
                return f"The MCP server {server} is closed: it exited too often, or the conversation has ended."
            self.left -= 1
            reason = await self.connection.open()
            if reason:
                self.notices.append(f"The MCP server {server} did not start: {reason}.")
                return f"The MCP server {server} did not start: {reason}."
            self.notices.append(f"The MCP server {server} was restarted.")
            return ""


def safe_name(server: str, tool: str, taken: set[str]) -> str:
    """`<server>__<tool>`, made of letters that every vendor accepts, and different from all names in `taken`."""

    def safe(text: str) -> str:
        return "".join(char if char in _LETTERS else "_" for char in text)

    # some vendors reject a name that begins with a digit or a dash
    front = f"{safe(server)[:_LONGEST_SERVER].strip('_-') or 'server'}__"
    front = front if front[0].isalpha() else f"s{front}"
    name = (front + (safe(tool) or "tool"))[:_LONGEST_NAME]
    count = 1
    while name in taken:
        count += 1
        ending = f"_{count}"
        name = (front + (safe(tool) or "tool"))[: _LONGEST_NAME - len(ending)] + ending
    return name


def _schema(schema: object) -> JsonObject | None:
    """The schema, if it describes an object and is small enough for a prompt."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return None
    try:
        size = len(json.dumps(schema, ensure_ascii=False))
    except (ValueError, TypeError, RecursionError):
        return None
    return {"type": "object", "properties": {}, **schema} if size <= _LONGEST_SCHEMA else None


def render(result: "CallToolResult") -> str:
    """A result as text; content that is not text is only named."""
    parts: list[str] = []
    for block in result.content:
        if block.type == "text":
            parts.append(block.text)
        elif block.type == "resource":
            text = getattr(block.resource, "text", None)
            parts.append(text if isinstance(text, str) else f"[{plain(str(block.resource.uri), 300)}: not text]")
        elif block.type == "resource_link":
            parts.append(f"[{plain(block.name, 100)}: {plain(str(block.uri), 300)}]")
        else:
            parts.append(f"[{block.type}, {plain(block.mime_type, 60)}, not shown]")
    if not any(parts) and result.structured_content is not None:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return "\n".join(parts)
