"""Verifying who the agent is, as an operation: what was changed outside Everself is shown, taken over or put back by a person."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from everself.errors import WrongUse
from everself.identity.integrity import AcceptedDocuments, Restored
from everself.identity.outside_changes import Tamper
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, operation
from everself.values import Author

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """All that vouches for who the agent is. `ledger` says what is wrong with the record of changes, if anything is."""

    changed: tuple[Tamper, ...]
    changes: int
    ledger: str = ""

    @property
    def ok(self) -> bool:
        return not self.changed and not self.ledger


@dataclass(frozen=True, slots=True)
class Verified:
    """`report` is of afterwards, where something was accepted or restored."""

    report: VerifyReport
    accepted: AcceptedDocuments | None = None
    restored: Restored | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    paths: Annotated[
        tuple[str, ...], Argument("Documents to accept or to put back; all where none is named.", "[PATH]...")
    ] = ()
    accept: Annotated[bool, Option("Take over what was changed: these documents, or all.")] = False
    undo: Annotated[bool, Option("Put back what was accepted before: these documents, or all.")] = False


@operation(
    "soul.verify",
    audience=Audience.OWNER,
    effect="write",
    examples=(
        ("everself soul verify", "was anything changed outside, and is the record of changes whole?"),
        ("everself soul verify --accept SOUL.md", "that was me: take it over"),
        ("everself soul verify --undo", "put back what was accepted before"),
    ),
)
def verify_identity(runtime: "Runtime", caller: Caller, request: VerifyRequest) -> Verified:
    """Look for what was changed outside Everself in the documents that only humans change."""
    accept, undo, paths = request.accept, request.undo, request.paths or None
    if (accept and undo) or (paths and not (accept or undo)):
        raise WrongUse("Documents are named with --accept or with --undo.")
    if accept or undo:
        # no model decides who the agent is
        caller.need(Audience.OWNER_AT_TERMINAL)
    integrity = runtime.integrity
    accepted = integrity.accept(paths, by=Author.OWNER) if accept else None
    restored = integrity.restore(paths, by=Author.OWNER) if undo else None
    # with the record of every change from the first one on
    ledger = runtime.state.verify_ledger()
    return Verified(VerifyReport(integrity.look(), ledger.rows, ledger.reason), accepted, restored)
