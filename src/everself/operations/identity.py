"""The verbs about who the agent is: what is in force and from where, and who spoke in which turn."""

from dataclasses import dataclass
from datetime import timedelta

from everself.identity.card import DATA_CHARS, IDENTITY_FILE, Card, avatar_kind, resolve
from everself.identity.persona import Why
from everself.runtime import Runtime
from everself.storage.state.personas import PersonaTurn


@dataclass(frozen=True, slots=True)
class Alternate:
    """The alternate persona as it is set; it never speaks where `enabled` is off."""

    enabled: bool
    file: str
    chance: float
    purge_at: str
    purge_for: timedelta


@dataclass(frozen=True, slots=True)
class IdentityReport:
    """`soul` is the file that a conversation would begin with now, `soul_hash` empty where there is none.

    `missing` are the documents that are not there, and without which the agent runs all the same.
    """

    agent: str
    card: Card
    soul: str
    soul_hash: str
    soul_why: Why
    alternate: Alternate
    missing: tuple[str, ...]
    notices: tuple[str, ...]


def show_identity(app: Runtime) -> IdentityReport:
    """Name, emoji, avatar, nature and vibe with their sources, and the soul that is active."""
    card = resolve(app.loaded.config.ui, app.agent.identity, app.integrity.text(IDENTITY_FILE))
    speaker = app.persona.preview()
    persona = app.loaded.config.hooks.persona
    missing = (IDENTITY_FILE,) * card.missing + (() if speaker.hash else (speaker.file,))
    return IdentityReport(
        agent=app.agent.id,
        card=card,
        soul=speaker.file,
        soul_hash=speaker.hash,
        soul_why=speaker.why,
        alternate=Alternate(persona.enabled, persona.file, persona.chance, persona.purge_at, persona.purge_for),
        missing=missing,
        notices=(*card.notices, *_picture_notices(app, card), *speaker.notices),
    )


def list_personas(app: Runtime, session: str = "", limit: int = 20) -> tuple[PersonaTurn, ...]:
    """Which soul spoke in which turn, the newest first, of one session or of all."""
    return app.state.personas.list(session, limit)


def _picture_notices(app: Runtime, card: Card) -> tuple[str, ...]:
    path = card.avatar.value
    if avatar_kind(path) != "file":
        return ()
    found = app.workspace.stat(path)
    if found is None or found.kind != "file":
        return (f"The avatar {path} is no file of the workspace.",)
    if found.size > DATA_CHARS:
        return (f"The avatar {path} has {found.size:,} bytes, and {DATA_CHARS:,} is the limit.",)
    return ()
