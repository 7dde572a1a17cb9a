"""Compares the guarded documents with the accepted state. Pure values and the comparison itself.

Knows hashes, texts and kinds of tampering. Opens nothing and decides nothing.
"""

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from everself.frozen import Frozen
from everself.storage.state.baselines import Baseline, Sealed
from everself.storage.state.ledger import LedgerHead
from everself.values import FileChange, digest
from everself.workspace.merge import render_diff

VERIFY: Final = "everself soul verify"
TamperKind = Literal["edited", "removed", "added", "link", "forged", "rolled back"]


class Tamper(Frozen):
    """One change made outside Everself. Without a path it concerns Everself's own records, and `why` describes it."""

    path: str
    kind: TamperKind
    before: str = ""
    after: str = ""
    diff: str = ""
    why: str = ""
    told: bool = False

    @property
    def warning(self) -> str:
        if not self.path:
            return f"Whether somebody changed SOUL.md or another file that only you change is not known. {self.why} → {VERIFY}"
        return f"Changed outside Everself: {self.path} ({self.kind}). → {VERIFY}"


class IntegrityMark(Frozen):
    """The external mark: the number of seals, and the ledger position at the last check."""

    counter: int
    ledger: LedgerHead


class Counter(Protocol):
    """Stores the mark beside the key, in a folder that an agent's tools cannot write."""

    def get(self) -> IntegrityMark | None:
        """None if there never was one. Raises Damaged for an invalid mark."""

    def raise_to(self, mark: IntegrityMark) -> None:
        """Durable when it returns. The count never decreases."""


class GuardedDocument(Frozen):
    """A guarded document, read once. `fault` is why it could not be read; `hash` is empty if it is missing."""

    data: bytes | None
    hash: str = ""
    fault: str = ""


def compare(path: str, accepted: Baseline | None, now: GuardedDocument) -> Tamper | None:
    was = accepted.hash if accepted is not None else ""
    before = accepted.content if accepted is not None and was else ""
    if now.fault:
        return Tamper(path, "link", before, why=now.fault)
    if now.hash == was:
        return None
    after = (now.data or b"").decode("utf-8", "replace")
    kind: TamperKind = "removed" if not now.hash else "edited" if was else "added"
    shown = FileChange(path, before.encode() if was else None, now.data)
    return Tamper(path, kind, before, after, render_diff((shown,)))


def find_breach(mark: IntegrityMark | None, sealed: Sealed, broken: str) -> Tamper | None:
    """The fault in Everself's own records. A seal that is one ahead is from a process that crashed before raising the mark."""
    if not sealed.genuine:
        return Tamper("", "forged", why="The accepted state in state.db was altered, or signed with another key.")
    if mark is None:
        return Tamper("", "forged", why="The counter beside the integrity key is missing.") if sealed.counter else None
    if sealed.counter < mark.counter:
        gone = "The accepted state is missing from state.db."
        older = "state.db is an older copy: more changes were accepted since."
        return Tamper("", "rolled back", why=older if sealed.counter else gone)
    if sealed.counter > mark.counter + 1:
        return Tamper("", "rolled back", why="The counter beside the integrity key is an older copy.")
    return Tamper("", "rolled back", why=f"The ledger in state.db was cut or altered: {broken}.") if broken else None


def accepted_words(baselines: Mapping[str, Baseline], path: str) -> bytes | None:
    """The accepted text, if its stored copy is intact: the seal covers only its hash."""
    row = baselines.get(path)
    if row is None or not row.hash:
        return None
    data = row.content.encode("utf-8", "surrogatepass")
    return data if digest(data) == row.hash else None
