"""The workspace protocol. Contract tests run against every implementation."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from everself.errors import ChangedMeanwhile, RefusedByRule
from everself.values import Applied, Change, ChangeRecord, Conflict, Document, FileChange, FileStat, Outcome, Refused


def need_done(outcome: Outcome) -> Applied | None:
    """The applied change; None if there was nothing to change. Raises RefusedByRule, or ChangedMeanwhile for a conflict."""
    if isinstance(outcome, Refused):
        raise RefusedByRule(" ".join(outcome.reasons))
    if isinstance(outcome, Conflict):
        raise ChangedMeanwhile(f"({', '.join(outcome.paths)})")
    return outcome if isinstance(outcome, Applied) else None


# Yields the reasons against a change; none means that it is allowed.
Guard = Callable[[Change, Sequence[FileChange]], Iterable[str]]


class Workspace(Protocol):
    """Documents by path; change sets are the only way to modify them."""

    def find(self, path: str) -> Document | None: ...

    def read(self, path: str) -> Document:
        """The document; raises NotFound if it does not exist."""

    def stat(self, path: str) -> FileStat | None: ...

    def list(self, under: str = "") -> Sequence[FileStat]:
        """All files beneath a folder, without folders and hidden names, sorted by path."""

    def is_named_as(self, listing: Sequence[FileStat]) -> bool:
        """Whether a listing of everything still has each name, and the same file behind it. False if it is not known. No file is
        examined, so an edit within a file is not noticed."""

    def preview(self, change: Change) -> tuple[FileChange, ...] | Conflict:
        """The effect of the change on each document, without applying it."""

    def apply(self, change: Change) -> Outcome: ...

    def apply_plan(self, plan: Callable[[], Change | None]) -> Outcome:
        """Plan and apply under the write lock. The plan must be quick: no model, no network, no person."""

    def changes(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        """Applied changes, newest first."""

    def record(self, identity: str) -> tuple[ChangeRecord, tuple[FileChange, ...]]:
        """One applied change and its effect, found by its id, a unique beginning of it, or `last`."""
