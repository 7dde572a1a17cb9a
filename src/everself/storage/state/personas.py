"""The persona ledger: which soul spoke in which turn of which session. Only grows."""

from dataclasses import astuple

from everself.frozen import Frozen
from everself.storage.engine import Engine
from everself.storage.state._queries import load_queries

_SQL = load_queries("identity")


class PersonaTurn(Frozen):
    """`file` and `hash` of the soul; `why` it was that one: soul, purge, chance, or session for one that went on as it began."""

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
        """Once a turn; false where it is recorded already."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["add_persona"], astuple(spoke))))

    def first_of(self, session: str) -> PersonaTurn | None:
        """The soul that a session began with."""
        found = self._engine.read(_SQL["persona_of"], (session,))
        return PersonaTurn(*found[0]) if found else None

    def list(self, session: str = "", limit: int = 100) -> tuple[PersonaTurn, ...]:
        """The newest first, of one session or of all."""
        return tuple(PersonaTurn(*row) for row in self._engine.read(_SQL["personas"], (session, limit)))
