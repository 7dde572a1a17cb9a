"""Tools as the model of an MCP client calls them, over an agent that is open here; and what the owner typed, as a hook delivers it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mcp import MCPError
from mcp_types import TextContent, TextResourceContents

from everself.conversation.sessions.session import Message
from everself.interfaces.http.access import LOCAL, Access
from everself.interfaces.mcp.resources import read_resource
from everself.interfaces.mcp.tools import call_tool, list_tools
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind

T = TypeVar("T")
OWNER = Access(LOCAL, "main", Scope(SessionKind.MAIN), False)
# of those that are offered to the owner's clients
WRITING = tuple(one.name for one in list_tools(OWNER) if not (one.annotations and one.annotations.read_only_hint))


class OpenHost:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def access(self, request: Any) -> Access:
        del request
        return OWNER

    async def run(self, access: Access, work: Callable[[Runtime], T], *, long: bool = False) -> T:
        del access, long
        return work(self._runtime)


def call_over_mcp(runtime: Runtime, name: str, arguments: Mapping[str, object], access: Access = OWNER) -> str:
    """What it answers, also where it refuses; nothing for a tool that is not offered."""
    try:
        found = asyncio.run(call_tool(OpenHost(runtime), access, name, arguments))
    except MCPError:
        return ""
    return "".join(one.text for one in found.content if isinstance(one, TextContent))


def read_over_mcp(runtime: Runtime, uri: str, access: Access = OWNER) -> str:
    """A resource; nothing where it is not found."""
    try:
        found = asyncio.run(read_resource(OpenHost(runtime), access, uri))
    except MCPError:
        return ""
    return "".join(one.text for one in found.contents if isinstance(one, TextResourceContents))


def type_prompt(runtime: Runtime, words: str, client: str = "claude-code") -> Message:
    """What a hook does with what the owner types into another program."""
    return runtime.log.add(runtime.log.begin(channel=client), "user", words)
