"""What conversations of an agent may reach outside, by the host file alone: programs, pages, MCP servers."""

import os
from typing import TYPE_CHECKING

from everself.storage.host_files import ensure_folder

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.conversation.tools.outside.registry import Outside
    from everself.search.scopes import Scope

SCRATCH = "scratch"


async def open_reach(app: "App", scope: "Scope") -> "Outside":
    """The tools from outside for a session of that scope. Programs start where relative paths lead to nothing of the agent's."""
    from everself.conversation.tools.outside.registry import Outside, Reach, open_outside

    config = app.loaded.config
    if not (config.tools.exec.enabled or config.tools.fetch.enabled or config.mcp_servers):
        return Outside()
    folder = f"{app.agent.state}/{SCRATCH}"
    ensure_folder(folder)
    reach = Reach(config.tools, config.mcp_servers, folder, app.loaded.vault.environ)
    outside = await open_outside(reach, scope)
    workdir = config.tools.exec.workdir
    if workdir and _is_inside(workdir, app.agent.workspace):
        outside.tools = tuple(tool for tool in outside.tools if tool.spec.name != "exec")
        outside.notices.append("tools.exec.workdir lies inside the workspace, so exec is left out.")
    return outside


def _is_inside(folder: str, workspace: str) -> bool:
    """Whether a program started there would stand among the agent's own files."""
    top, place = os.path.realpath(workspace), os.path.realpath(folder)
    return os.path.commonpath((top, place)) == top
