"""Opens who speaks for an agent, and the end of its first conversation; integrity watches what they read and write."""

import random
from typing import TYPE_CHECKING

from everself.errors import TooLarge
from everself.storage.filesystem import READ_LIMIT

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual


def open_persona(app: "App") -> "Persona":
    """It reads what integrity saw when it last looked: whoever lets it speak turn after turn looks before each."""
    from everself.identity.persona import Persona

    settings = app.loaded.config.hooks.persona
    return Persona(
        settings, app.clock, app.state.personas, lambda path: _whole(app, path), random.SystemRandom().random
    )


def open_ritual(app: "App") -> "Ritual":
    from everself.identity.ritual import Ritual

    return Ritual(app.workspace, app.state, app.clock, app.integrity.settle)


def _whole(app: "App", path: str) -> bytes | None:
    """A soul is used whole or not at all."""
    found = app.integrity.text(path)
    if found is not None and len(found) >= READ_LIMIT:
        raise TooLarge(f"{path} is longer than Everself reads.", mend="Shorten it.")
    return found
