"""Opens the external tools that the host file enables for an agent: programs, web pages, MCP servers."""

from typing import TYPE_CHECKING, Final

from everself.storage.host_files import ensure_folder, is_inside

if TYPE_CHECKING:
    from everself.config import AgentSettings, Loaded
    from everself.conversation.tools.outside.registry import ExternalTools
    from everself.search.scopes import Scope

SCRATCH: Final = "scratch"


async def open_external_access(agent: "AgentSettings", loaded: "Loaded", scope: "Scope") -> "ExternalTools":
    """The tools from outside for a session of that scope. Programs start where relative paths lead to nothing of the agent's."""
    from everself.conversation.tools.outside.registry import ExternalAccess, ExternalTools, open_external_tools

    config = loaded.config
    if not (config.tools.exec.enabled or config.tools.fetch.enabled or config.mcp_servers):
        return ExternalTools()
    folder = f"{agent.state}/{SCRATCH}"
    ensure_folder(folder)
    reach = ExternalAccess(config.tools, config.mcp_servers, folder, loaded.vault.environ)
    outside = await open_external_tools(reach, scope)
    workdir = config.tools.exec.workdir
    # a program started there could access the agent's own files by relative paths
    if workdir and is_inside(workdir, agent.workspace):
        outside.tools = tuple(tool for tool in outside.tools if tool.spec.name != "exec")
        outside.notices.append("tools.exec.workdir is inside the workspace, so the exec tool is disabled.")
    return outside
