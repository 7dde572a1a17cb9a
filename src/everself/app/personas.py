"""Opens who speaks for an agent: the soul of each turn, read through the workspace."""

import random
from typing import TYPE_CHECKING

from everself.errors import TooLarge

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.identity.persona import Persona


def open_persona(app: "App") -> "Persona":
    from everself.identity.persona import Persona

    settings = app.loaded.config.hooks.persona
    return Persona(
        settings, app.clock, app.state.personas, lambda path: _whole(app, path), random.SystemRandom().random
    )


def _whole(app: "App", path: str) -> bytes | None:
    """A soul is used whole or not at all."""
    found = app.workspace.find(path)
    if found is not None and found.cut:
        raise TooLarge(f"{path} is {found.cut:,} bytes longer than Everself reads.")
    return None if found is None else found.data
