"""The way in from Python: opens an agent and hands it the tools that are made from operations."""

from collections.abc import Mapping

from everself.operations.tools import give_tools
from everself.runtime import Runtime, make_runtime


def open_runtime(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Runtime:
    """Open an agent: the named one, else the one of EVERSELF_PROFILE, else the default. Touches no file of the agent yet."""
    return give_tools(make_runtime(agent, workspace=workspace, environ=environ))
