"""Operation: the agent's identity, the origin of its parts, and which soul spoke in which turn."""

from typing import Annotated

from everself.config.sections import AlternatePersona
from everself.errors import WrongUse
from everself.identity.card import DATA_CHARS, IDENTITY_FILE, Card, avatar_kind, resolve
from everself.identity.persona import Why
from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, owner_reads
from everself.runtime import Runtime
from everself.storage.state.personas import PersonaTurn


class IdentityReport(Result):
    """`soul` is the file that a new conversation would use, `soul_hash` is empty if it is missing.

    `alternate` speaks only if it is `enabled`. `missing` are optional documents that do not exist.
    """

    agent: str
    card: Card
    soul: str
    soul_hash: str
    soul_why: Why
    alternate: AlternatePersona
    missing: tuple[str, ...]
    notices: tuple[str, ...]


class Turns(Result):
    """The soul of each turn, newest first, of one session or of all."""

    spoken: tuple[PersonaTurn, ...]
    session: str = ""


class IdentityRequest(Request):
    personas: Annotated[bool, Option("List which soul spoke in which turn, newest first.")] = False
    session: Annotated[str, Option("With --personas: only turns of this session.", "ID")] = ""
    limit: Annotated[int, Option("How many turns at most.", ge=1, le=100_000)] = 20


@owner_reads("identity", slash="/persona")
def show_identity(runtime: Runtime, _: Caller, request: IdentityRequest) -> IdentityReport | Turns:
    """Show the agent's identity, and where each part comes from.

    $ everself identity  # name, emoji, avatar and soul, and where each comes from
    $ everself identity --personas  # which soul spoke in the last turns
    """
    if request.personas:
        return Turns(runtime.state.personas.list(request.session, request.limit), request.session)
    if request.session:
        raise WrongUse("--session goes with --personas.", mend="everself identity --personas --session ID")
    return _identity(runtime)


def _identity(app: Runtime) -> IdentityReport:
    card = resolve(app.loaded.config.ui, app.agent.identity, app.integrity.text(IDENTITY_FILE))
    speaker = app.persona.preview()
    missing = (IDENTITY_FILE,) * card.missing + (() if speaker.hash else (speaker.file,))
    return IdentityReport(
        agent=app.agent.id,
        card=card,
        soul=speaker.file,
        soul_hash=speaker.hash,
        soul_why=speaker.why,
        alternate=app.loaded.config.hooks.persona,
        missing=missing,
        notices=(*card.notices, *_picture_notices(app, card), *speaker.notices),
    )


def _picture_notices(app: Runtime, card: Card) -> tuple[str, ...]:
    path = card.avatar.value
    if avatar_kind(path) != "file":
        return ()
    found = app.workspace.stat(path)
    if found is None or found.kind != "file":
        return (f"The avatar {path} is not a file of the workspace.",)
    if found.size > DATA_CHARS:
        return (f"The avatar {path} has {found.size:,} bytes, and {DATA_CHARS:,} is the limit.",)
    return ()
