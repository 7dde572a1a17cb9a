"""The persona ledger: which soul was used in which turn of which session. Append-only."""

from dataclasses import astuple

from everself.frozen import Frozen
from everself.storage.engine import Engine
from everself.storage.state._queries import load_queries

_SQL = load_queries("identity")


class PersonaTurn(Frozen):
    """`file` and `hash` of the soul. `why` it was chosen: soul, purge, chance, or session if the session continued with its first one."""

    session: str
    turn: int
    at: str
    file: str
    hash: str
    why: str


class Personas:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, spoke: PersonaTurn) -> bool:
        """Store the soul of a turn. Returns false if the turn is already recorded."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["add_persona"], astuple(spoke))))

    def first_of(self, session: str) -> PersonaTurn | None:
        """The soul with which a session began."""
        found = self._engine.read(_SQL["persona_of"], (session,))
        return PersonaTurn(*found[0]) if found else None

    def list(self, session: str = "", limit: int = 100) -> tuple[PersonaTurn, ...]:
        """The turns of one session or of all, newest first."""
        return tuple(PersonaTurn(*row) for row in self._engine.read(_SQL["personas"], (session, limit)))
