"""The workspace protocol. Contract tests run against every implementation."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from everself.values import Change, ChangeRecord, Conflict, Document, FileChange, FileStat, Outcome

# Reasons why a change must not happen; none means that it may.
Guard = Callable[[Change, Sequence[FileChange]], Iterable[str]]


class Workspace(Protocol):
    """Documents by path, and change sets as the one way to alter them."""

    def find(self, path: str) -> Document | None: ...

    def read(self, path: str) -> Document:
        """The document; NotFound when there is none."""

    def stat(self, path: str) -> FileStat | None: ...

    def list(self, under: str = "") -> Sequence[FileStat]:
        """Everything beneath a folder that is no folder itself, hidden names aside, sorted by path."""

    def preview(self, change: Change) -> tuple[FileChange, ...] | Conflict:
        """What the change would do to each document, without doing it."""

    def apply(self, change: Change) -> Outcome: ...

    def apply_plan(self, plan: Callable[[], Change | None]) -> Outcome:
        """Plan and apply while nobody else can write. For plans that are quick: no model, no network, no person."""

    def changes(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        """What was applied, newest first."""

    def record(self, identity: str) -> tuple[ChangeRecord, tuple[FileChange, ...]]:
        """One applied change with what it did; by id, by the beginning of an id, or `last`."""
