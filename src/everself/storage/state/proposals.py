"""Proposed changes that await a human's decision, and the decisions. Handles rows, not the effect of an approval."""

import json
from typing import Literal

from everself.errors import NotFound, WrongUse
from everself.frozen import Frozen
from everself.storage.engine import Engine, Row
from everself.storage.state._queries import load_queries

_SQL = load_queries("identity")

Status = Literal["open", "approved", "refused", "outdated"]


class Proposal(Frozen):
    """A proposed version of a document. `base`: the hash of the version it was written for; empty if the document was missing."""

    id: str
    at: str
    author: str
    path: str
    base: str
    content: str
    reason: str
    evidence: tuple[str, ...] = ()
    status: Status = "open"
    decided_at: str = ""
    change: str = ""

    @property
    def key(self) -> str:
        """The key of the change that applies the proposal: it is applied only once, and shows the decision if storing
        that was interrupted.
        """
        return f"proposal:{self.id}"


class Proposals:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, proposal: Proposal) -> None:
        one = proposal
        values = (one.id, one.at, one.author, one.path, one.base, one.content, one.reason, json.dumps(one.evidence))
        self._engine.write(lambda writer: writer.run(_SQL["add_proposal"], values))

    def list(self, status: Status | Literal[""] = "open", limit: int = 100) -> tuple[Proposal, ...]:
        """The proposals with this status (empty: all), newest first."""
        return tuple(_proposal(row) for row in self._engine.read(_SQL["proposals"], (status, limit)))

    def find(self, name: str) -> Proposal:
        """Find a proposal by its id, a unique beginning of it, or `last` for the newest open one."""
        if name == "last":
            found = self.list(limit=1)
            if not found:
                raise NotFound("open proposal.")
            return found[0]
        found = (
            tuple(_proposal(row) for row in self._engine.read(_SQL["find_proposals"], (name.upper(),))) if name else ()
        )
        if not found:
            raise NotFound(f'proposal "{name[:40]}".')
        if len(found) > 1 and found[0].id != name.upper():
            raise WrongUse(f'"{name[:40]}" is ambiguous: {", ".join(one.id for one in found)}.')
        return found[0]

    def decide(self, identity: str, status: Status, at: str, change: str = "") -> bool:
        """Store the decision. Returns False if the proposal was decided before."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["decide"], (identity, status, at, change))))

    def reopen(self, identity: str) -> bool:
        """Take a refusal back. Returns False if the proposal was not refused."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["reopen"], (identity,))))


def _proposal(row: Row) -> Proposal:
    identity, at, author, path, base, content, reason, evidence, status, decided_at, change = row
    rests_on = tuple(json.loads(evidence))
    return Proposal(identity, at, author, path, base, content, reason, rests_on, status, decided_at, change)
