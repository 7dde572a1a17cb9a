"""The verbs over what was changed outside Everself: look, accept, undo, verify. Knows no face; a person stands behind two of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from everself.identity.integrity import AcceptedDocuments, Restored
from everself.identity.outside_changes import Tamper
from everself.runtime import Runtime
from everself.values import Author


@dataclass(frozen=True, slots=True)
class OutsideReport:
    """What was changed outside and not accepted since; `withheld` is whether prompts do without it until then."""

    changed: tuple[Tamper, ...]
    withheld: bool


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """All that vouches for who the agent is. `ledger` says what is wrong with the record of changes, if anything is."""

    changed: tuple[Tamper, ...]
    changes: int
    ledger: str = ""

    @property
    def ok(self) -> bool:
        return not self.changed and not self.ledger


def look_outside(app: Runtime) -> OutsideReport:
    """Which of the documents that only humans change differ from what a human accepted, with the differences."""
    return OutsideReport(app.integrity.look(), app.agent.soul.integrity == "strict")


def accept_outside(app: Runtime, paths: Sequence[str] = ()) -> AcceptedDocuments:
    """The person takes over what was changed: these documents, or all."""
    return app.integrity.accept(tuple(paths) or None, by=Author.OWNER)


def undo_outside(app: Runtime, paths: Sequence[str] = ()) -> Restored:
    """The person puts back what was accepted before: these documents, or all."""
    return app.integrity.restore(tuple(paths) or None, by=Author.OWNER)


def verify_identity(app: Runtime) -> VerifyReport:
    """Look, and follow the record of every change from the first one on."""
    changed = app.integrity.look()
    report = app.state.verify_ledger()
    return VerifyReport(changed, report.rows, report.reason)
