"""All external tools that the settings enable, for one conversation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from everself.config.installation import install_command
from everself.config.sections import McpServer, ToolSettings
from everself.conversation.tools.protocol import Tool
from everself.frozen import Frozen
from everself.search.scopes import Scope
from everself.search.sharing import is_owner
from everself.storage.host_files import ensure_folder, is_inside

if TYPE_CHECKING:
    from everself.conversation.tools.outside.mcp.servers import McpServers


class ExternalAccess(Frozen):
    """The external tools that may be used. `folder` is the working directory of programs; they inherit the variables of `environ` that are
    not secret.

    No program starts inside `workspace`, because relative paths would lead to the agent's own files.
    """

    tools: ToolSettings = field(default_factory=ToolSettings)
    servers: tuple[McpServer, ...] = ()
    folder: str = ""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    workspace: str = ""

    async def open(self, scope: Scope) -> "ExternalTools":
        if not (self.tools.exec.enabled or self.tools.fetch.enabled or self.servers):
            return ExternalTools()
        ensure_folder(self.folder)
        outside = await open_external_tools(self, scope)
        workdir = self.tools.exec.workdir
        if workdir and is_inside(workdir, self.workspace):
            outside.tools = tuple(tool for tool in outside.tools if tool.spec.name != "exec")
            outside.notices.append("tools.exec.workdir is inside the workspace, so the exec tool is disabled.")
        return outside


@dataclass(slots=True)
class ExternalTools:
    """The tools of a conversation, and notices about them, to which more may be added later."""

    tools: tuple[Tool, ...] = ()
    notices: list[str] = field(default_factory=list)
    servers: "McpServers | None" = None

    def take_notices(self) -> tuple[str, ...]:
        """The notices not shown yet."""
        taken = tuple(self.notices)
        self.notices.clear()
        return taken

    async def close(self) -> None:
        """Close the servers. Any task may call this, not only the one that opened them."""
        if self.servers is not None:
            await self.servers.close()


async def open_external_tools(reach: ExternalAccess, scope: Scope) -> ExternalTools:
    """Open the tools at the first turn that needs them; the caller closes them with the conversation. Only the owner gets programs and
    servers."""
    outside = ExternalTools()
    made: list[Tool] = []
    owner = is_owner(scope)
    if reach.tools.exec.enabled and owner:
        from everself.conversation.tools.outside._execute import exec_tool

        made.append(exec_tool(reach.tools.exec, reach.tools.exec.workdir or reach.folder, reach.environ))
    if reach.tools.fetch.enabled:
        if find_spec("httpx2") is None:
            outside.notices.append(
                f"Pages cannot be fetched, because a package is missing: {install_command('models')}"
            )
        else:
            from everself.conversation.tools.outside._fetch import fetch_tool

            made.append(fetch_tool(reach.tools.fetch))
    if owner and any(server.enabled for server in reach.servers):
        await _start(reach, outside)
    outside.tools = (*made, *(outside.servers.tools if outside.servers is not None else ()))
    return outside


async def _start(reach: ExternalAccess, outside: ExternalTools) -> None:
    if find_spec("mcp") is None:
        outside.notices.append(f"MCP servers are configured, but the package is missing: {install_command('mcp')}")
        return
    from everself.conversation.tools.outside.mcp.servers import McpServers

    outside.servers = McpServers(notices=outside.notices)
    started = False
    try:
        await outside.servers.start(reach.servers, reach.folder)
        started = True
    finally:
        if not started:
            await outside.close()
