"""All tools from outside that the settings let in, for one conversation. Knows where they come from, not what is done with them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everself.config.outside import McpServer, ToolSettings
from everself.toolbox.tool import Tool

if TYPE_CHECKING:
    from everself.toolbox.outside.mcp_servers import Servers


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be reached, and from where: `folder` is where programs start, `environ` what they inherit as far as it is no secret."""

    tools: ToolSettings = field(default_factory=ToolSettings)
    servers: tuple[McpServer, ...] = ()
    folder: str = ""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_empty(self) -> bool:
        return not (self.tools.exec.enabled or self.tools.fetch.enabled or any(one.enabled for one in self.servers))


@dataclass(slots=True)
class Outside:
    """The tools of a conversation, and what the person should know of them, which may become more as it goes on."""

    tools: tuple[Tool, ...] = ()
    notices: list[str] = field(default_factory=list)

    def take_notices(self) -> tuple[str, ...]:
        """What was not told yet."""
        taken = tuple(self.notices)
        self.notices.clear()
        return taken


@asynccontextmanager
async def outside_tools(reach: Reach) -> AsyncIterator[Outside]:
    """Enter at the first turn that has tools, leave with the conversation; it may be left by another task than entered it."""
    outside = Outside()
    made: list[Tool] = []
    if reach.tools.exec.enabled:
        from everself.toolbox.outside.execute import exec_tool

        made.append(exec_tool(reach.tools.exec, reach.tools.exec.workdir or reach.folder, reach.environ))
    if reach.tools.fetch.enabled:
        from everself.toolbox.outside.fetch import fetch_tool

        made.append(fetch_tool(reach.tools.fetch))
    servers = _servers(reach, outside)
    try:
        if servers is not None:
            await servers.start(reach.servers, reach.folder)
            made += servers.tools
        outside.tools = tuple(made)
        yield outside
    finally:
        if servers is not None:
            await servers.close()


def _servers(reach: Reach, outside: Outside) -> "Servers | None":
    from importlib.util import find_spec

    if not any(server.enabled for server in reach.servers):
        return None
    if find_spec("mcp") is None:
        outside.notices.append("The settings name MCP servers, which need: pip install 'everself[mcp]'")
        return None
    from everself.toolbox.outside.mcp_servers import Servers

    return Servers(notices=outside.notices)
