"""A workspace in memory, for tests."""

from collections.abc import Callable, Sequence

from everself.clock import Clock
from everself.errors import NotFound, WrongUse
from everself.storage.paths import check_path
from everself.values import (
    Applied,
    Change,
    ChangeRecord,
    Conflict,
    Document,
    FileChange,
    FileStat,
    Nothing,
    Outcome,
    Refused,
    new_id,
)
from everself.workspace.protocol import Guard
from everself.workspace.resolve import resolve


class InMemoryWorkspace:
    """Implements `Workspace` with a dictionary."""

    def __init__(self, clock: Clock, guards: Sequence[Guard] = (), identify: Callable[[], str] = new_id) -> None:
        self._clock = clock
        self._guards = tuple(guards)
        self._identify = identify
        self._documents: dict[str, bytes] = {}
        self._records: list[tuple[ChangeRecord, tuple[FileChange, ...]]] = []
        self._keys: dict[str, Applied] = {}
        # replaces the modification time, which a dictionary does not have
        self._versions: dict[str, int] = {}

    def find(self, path: str) -> Document | None:
        check_path(path)
        data = self._documents.get(path)
        return None if data is None else Document(path, data)

    def read(self, path: str) -> Document:
        found = self.find(path)
        if found is None:
            raise NotFound(f"{path}.")
        return found

    def stat(self, path: str) -> FileStat | None:
        found = self.find(path)
        return (
            None
            if found is None
            else FileStat(
                path, "file", len(found.data), 0o600, 1, 0, 0, self._versions.get(path, 0), self._versions.get(path, 0)
            )
        )

    def list(self, under: str = "") -> list[FileStat]:
        prefix = f"{under}/" if under else ""
        paths = sorted(path for path in self._documents if path.startswith(prefix) and "/." not in f"/{path}")
        return [found for path in paths if (found := self.stat(path)) is not None]

    def is_named_as(self, listing: Sequence[FileStat]) -> bool:
        return [one.path for one in listing] == [one.path for one in self.list()]

    def preview(self, change: Change) -> tuple[FileChange, ...] | Conflict:
        found = resolve(change, self._documents.get)
        return found if isinstance(found, Conflict) else tuple(one.file for one in found)

    def apply_plan(self, plan: Callable[[], Change | None]) -> Outcome:
        change = plan()
        return Nothing() if change is None else self.apply(change)

    def apply(self, change: Change) -> Outcome:
        if change.key and change.key in self._keys:
            return self._keys[change.key]
        files = self.preview(change)
        if isinstance(files, Conflict):
            return files
        if not files:
            return Nothing()
        reasons = tuple(reason for guard in self._guards for reason in guard(change, files))
        if reasons:
            return Refused(reasons)
        for file in files:
            if file.after is None:
                del self._documents[file.path]
            else:
                self._documents[file.path] = file.after
            self._versions[file.path] = self._versions.get(file.path, 0) + 1
        paths = tuple(file.path for file in files)
        record = ChangeRecord(
            self._identify(), self._clock.now(), change.author, change.reason, paths, change.evidence, change.undoes
        )
        self._records.append((record, files))
        applied = Applied(record.id, paths)
        if change.key:
            self._keys[change.key] = applied
        return applied

    def changes(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        found = [record for record, _ in reversed(self._records) if path is None or path in record.paths]
        return found[:limit]

    def record(self, identity: str) -> tuple[ChangeRecord, tuple[FileChange, ...]]:
        if identity == "last" and self._records:
            return self._records[-1]
        found = [one for one in self._records if one[0].id.startswith(identity.upper())]
        if not found:
            raise NotFound(f"change {identity}.", mend="everself log")
        if len(found) > 1:
            raise WrongUse(f"{identity} is ambiguous: {', '.join(one[0].id for one in found)}.")
        return found[0]
