"""open_app: from the environment and the host file to one opened agent."""

from collections.abc import Mapping
from dataclasses import replace

from everself.app.app import App
from everself.config import load_here


def open_app(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> App:
    """Open an agent: the named one, else the one of EVERSELF_PROFILE, else the default. Touches no file of the agent yet."""
    loaded = load_here(environ)
    chosen = loaded.config.agent(agent)
    if workspace:
        chosen = replace(chosen, workspace=workspace)
    return App(loaded.config.places, loaded, chosen)
