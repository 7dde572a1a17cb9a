"""The workspace on disk: every change is locked, checked, journalled, written and recorded before it is acknowledged.

The history commit follows in the background. The next writer completes what a dead process left half done before it
writes anything.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime

from everself.clock import Clock, monotonic
from everself.errors import Damaged, EverselfError, LockTimeout, NotFound, TooLarge
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.storage import writes
from everself.storage.filesystem import READ_LIMIT, FileSystem, Reservation, disk_errors, say
from everself.storage.history.commits import History
from everself.storage.journal import Filed, Intent, Journal, Step, Survey, unfinished
from everself.storage.lock import TIMEOUT, Lock
from everself.storage.paths import find_fault
from everself.storage.state.database import State
from everself.values import (
    Applied,
    Author,
    Change,
    ChangeRecord,
    Conflict,
    Document,
    FileChange,
    FileStat,
    Nothing,
    Outcome,
    Refused,
    digest,
    new_id,
)
from everself.workspace._tree import Tree
from everself.workspace.execution import Hashes, carry_out, take_back
from everself.workspace.layout import masked
from everself.workspace.protocol import Guard
from everself.workspace.recorder import Recorder
from everself.workspace.repair import Mended
from everself.workspace.resolve import Resolved, resolve

_log = get_logger(__name__)

# seconds that `close` waits for another process that holds the history
PATIENCE = 5.0
# Upper bound of the disk space for a record: the pages of its rows and indexes in the write-ahead log, and the log's
# header
ROOM_OF_RECORD = 256 * 1024
ROOM_OF_PROVENANCE = 8 * 1024
# per document, besides its bytes: names, folders and blocks
ROOM_OF_STEP = 16 * 1024


class WorkspaceParts(Frozen):
    """The parts of a workspace on disk; the composition root assembles them."""

    files: FileSystem
    # the disk on which the database grows
    room: FileSystem
    journal: Journal
    ledger: State
    history: History
    recorder: Recorder
    lock: Lock
    clock: Clock
    identify: Callable[[], str] = new_id
    timeout: float = TIMEOUT
    refusal: EverselfError | None = None


class Recovery(Frozen):
    """The unfinished changes that were found, by outcome."""

    completed: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()


class DiskWorkspace:
    """Implements `Workspace` with files."""

    def __init__(self, parts: WorkspaceParts, guards: Sequence[Guard] = ()) -> None:
        self._parts = parts
        self._guards = tuple(guards)
        self._tree = Tree(parts.files)
        # ids of changes applied by this process, in order; later failures do not affect them
        self.acknowledged: list[str] = []

    def find(self, path: str) -> Document | None:
        with disk_errors(path):
            data = self._bytes(path)
        if data is None or len(data) <= READ_LIMIT:
            return None if data is None else Document(path, data)
        found = self.stat(path)
        return Document(path, data[:READ_LIMIT], max(1, found.size - READ_LIMIT) if found is not None else 1)

    def read(self, path: str) -> Document:
        found = self.find(path)
        if found is None:
            raise NotFound(f"{path}.")
        return found

    def stat(self, path: str) -> FileStat | None:
        with disk_errors(path):
            return self._parts.files.stat(path)

    def list(self, under: str = "") -> Sequence[FileStat]:
        return self._tree.list(under)

    def is_named_as(self, listing: Sequence[FileStat]) -> bool:
        return self._tree.is_named_as(listing)

    def folders(self) -> tuple[str, ...]:
        """The folders at the top of the workspace, except hidden ones."""
        return self._tree.folders()

    def walk(self, under: str = "") -> Sequence[FileStat]:
        """All files, folders, links and odd files beneath a folder except hidden names."""
        return self._tree.walk(under)

    def make_folders(self, paths: Iterable[str]) -> None:
        """Create folders that stay empty for now; change sets contain documents only."""
        self._need_writing()
        with disk_errors("the workspace"), self._parts.lock.hold(self._parts.timeout):
            for path in paths:
                writes.make_directories(self._parts.files, f"{path}/x")

    def preview(self, change: Change) -> tuple[FileChange, ...] | Conflict:
        found = resolve(change, self._content)
        return found if isinstance(found, Conflict) else tuple(one.file for one in found)

    def apply(self, change: Change) -> Outcome:
        return self.apply_plan(lambda: change)

    def apply_plan(self, plan: Callable[[], Change | None]) -> Outcome:
        self._need_writing()
        with disk_errors("the workspace"), self._parts.lock.hold(self._parts.timeout):
            seen = self._parts.journal.survey()
            if seen.unfinished:
                self._recover()
            change = plan()
            outcome: Outcome = Nothing() if change is None else self._apply(change, seen)
        if isinstance(outcome, Applied):
            self._parts.recorder.wake()
        return outcome

    def recover(self) -> Recovery:
        """Complete or undo the changes that a dead process left unfinished."""
        if self._parts.refusal is not None or self._parts.journal.unfinished_count() == 0:
            return Recovery()
        with disk_errors("the workspace"), self._parts.lock.hold(self._parts.timeout):
            return self._recover()

    def changes(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        self._need_ledger()
        return self._parts.ledger.list_changes(limit, path=path)

    def record(self, identity: str) -> tuple[ChangeRecord, tuple[FileChange, ...]]:
        self._need_ledger()
        record = self._parts.ledger.find_change(identity)
        with disk_errors("the history"):
            commit = self._parts.ledger.commit_of(record.id)
            if commit is None:
                self._parts.recorder.settle()
                commit = self._parts.ledger.commit_of(record.id)
            if commit is None:
                # acknowledged a moment ago: its writer has not passed it to the history yet, or died before it could
                with self._parts.lock.hold(self._parts.timeout):
                    self._recover()
                self._parts.recorder.settle()
                commit = self._parts.ledger.commit_of(record.id)
            if commit is None:
                words = f"change {record.id} in the history, so it cannot be shown or undone."
                raise NotFound(words, mend="everself doctor says what was lost.")
            files = self._parts.history.files_of(commit)
        return record, files

    def note_outside(self) -> Sequence[str]:
        """Commit to the history what people changed in their editors: every Markdown document that differs from the newest commit.

        Returns the paths.
        """
        self._need_writing()
        with disk_errors("the history"):
            self._parts.recorder.settle()
            paths = [
                one.path for one in self.list() if one.kind == "file" and one.links == 1 and one.size <= READ_LIMIT
            ]
            return self._parts.recorder.note_outside(
                [path for path in paths if path.endswith(".md") and not find_fault(path)], self._parts.clock
            )

    def mend_history(self) -> Mended:
        """Check every object of the history and repair it as far as possible."""
        self._need_writing()
        with disk_errors("the history"):
            return self._parts.recorder.mend()

    @property
    def mended(self) -> tuple[Mended, ...]:
        """Repairs made since this workspace was opened, to be shown to the person."""
        return self._parts.recorder.mended

    def close(self) -> None:
        """Commit waiting changes to the history. If another process holds the history, that process commits them."""
        if self._parts.refusal is not None:
            return
        with disk_errors("the history"), suppress(LockTimeout):
            self._parts.recorder.settle(PATIENCE)

    def _need_ledger(self) -> None:
        """Raise if the ledger is damaged. Its substitute lists no changes, but that does not mean that there were none."""
        if isinstance(self._parts.refusal, Damaged):
            self._need_writing()

    def _need_writing(self) -> None:
        why = self._parts.refusal
        if why is not None:
            raise type(why)(why.detail, mend=why.mend)

    def _content(self, path: str) -> bytes | None:
        """The complete content of a document, as the base of a change. Raises TooLarge instead of returning a part."""
        found = self.find(path)
        if found is not None and found.cut:
            raise TooLarge(
                f"{path} has {len(found.data) + found.cut} bytes; the limit for a change is {READ_LIMIT}.",
                mend="Split it into several files.",
            )
        return None if found is None else found.data

    def _bytes(self, path: str) -> bytes | None:
        """The content of a document, up to one byte more than READ_LIMIT, so that the caller notices a larger one."""
        try:
            return self._parts.files.read(path, 0, READ_LIMIT + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _apply(self, change: Change, seen: Survey) -> Outcome:
        earlier = self._parts.ledger.change_of_key(change.key) if change.key else None
        if earlier is not None:
            return Applied(earlier.id, earlier.paths)
        found = resolve(change, self._content)
        if isinstance(found, Conflict):
            _log.info("A change of %s conflicts with %s.", change.author, _shown(found.paths))
            return found
        if not found:
            return Nothing()
        files = tuple(one.file for one in found)
        reasons = tuple(reason for guard in self._guards for reason in guard(change, files))
        if reasons:
            paths = _shown(one.path for one in files)
            _log.info("A change of %s was refused for %d reasons: %s.", change.author, len(reasons), paths)
            return Refused(reasons)
        return self._write(change, found, seen)

    def _write(self, change: Change, found: Sequence[Resolved], seen: Survey) -> Outcome:
        begun = monotonic()
        intent = self._intent(change, found)
        with ExitStack() as stack:
            # applying and reverting must both fit on the disk before the first byte is written
            back, record = (
                stack.enter_context(_reserved(files, size))
                for files, size in ((self._parts.files, _room_back(intent)), (self._parts.room, _room_recorded(intent)))
            )
            filed = self._parts.journal.begin(intent, seen)
            try:
                done = carry_out(self._parts.files, intent)
                if isinstance(done, Conflict):
                    self._parts.journal.forget(filed)
                    return done
                record.release()
                self._record(intent, done)
            except (OSError, EverselfError) as error:
                record.release()
                back.release()
                if not self._stands(filed, error):
                    raise
        self._acknowledge(filed)
        self.acknowledged.append(intent.id)
        paths = tuple(step.path for step in intent.steps)
        took = (monotonic() - begun) * 1000
        _log.info("Change %s of %s applied in %.0f ms: %s.", intent.id, intent.author, took, _shown(paths))
        return Applied(intent.id, paths)

    def _intent(self, change: Change, found: Sequence[Resolved]) -> Intent:
        folders: list[str] = []
        for one in found:
            if one.file.before is None:
                folders += writes.missing_directories(self._parts.files, one.file.path)
        return Intent(
            id=self._parts.identify(),
            at=self._parts.clock.now().isoformat(timespec="microseconds"),
            author=change.author,
            reason=change.reason,
            evidence=change.evidence,
            undoes=change.undoes,
            steps=tuple(_step(one) for one in found),
            folders=tuple(dict.fromkeys(folders)),
            provenance=change.provenance,
            key=change.key,
        )

    def _record(self, intent: Intent, done: Sequence[Hashes]) -> None:
        record = ChangeRecord(
            intent.id,
            datetime.fromisoformat(intent.at),
            Author(intent.author),
            intent.reason,
            tuple(path for path, _, _ in done),
            intent.evidence,
            intent.undoes,
        )
        self._parts.ledger.record_change(record, done, intent.provenance, intent.key)

    def _acknowledge(self, filed: Filed) -> None:
        # from here on the change is valid: the next writer finds an intent that could not be renamed in the ledger
        with suppress(OSError):
            self._parts.journal.finish(filed)

    def _stands(self, filed: Filed, error: OSError | EverselfError) -> bool:
        """After a failure of disk or database: whether the change is recorded nevertheless. If not, its steps are reverted."""
        try:
            if self._parts.ledger.has_change(filed.intent.id):
                return True
            try:
                take_back(self._parts.files, filed.intent)
                self._parts.journal.forget(filed)
            except OSError:
                self._parts.journal.abort(filed)
        except (OSError, EverselfError):
            # neither recorded nor reverted: the intent stays in the journal, and the next process continues with it
            told = say(error, "the workspace") if isinstance(error, OSError) else error
            raise unfinished(filed.intent, told) from error
        return False

    def _recover(self) -> Recovery:
        completed: list[str] = []
        undone: list[str] = []
        if self._parts.journal.unfinished_count() == 0:
            return Recovery()
        for filed in self._parts.journal.unfinished():
            intent = filed.intent
            if filed.name.endswith(".abort"):
                take_back(self._parts.files, intent)
                self._parts.journal.forget(filed)
                undone.append(intent.id)
                continue
            if not self._parts.ledger.has_change(intent.id):
                done = carry_out(self._parts.files, intent, again=True)
                if isinstance(done, Conflict):
                    self._parts.journal.forget(filed)
                    undone.append(intent.id)
                    continue
                self._record(intent, done)
            self._parts.journal.finish(filed)
            completed.append(intent.id)
        self._parts.recorder.wake()
        _log.warning("Changes cut short were recovered: completed %s; taken back %s.", completed, undone)
        return Recovery(tuple(completed), tuple(undone))


def _shown(paths: Iterable[str]) -> str:
    return ", ".join(map(masked, paths))


def _step(one: Resolved) -> Step:
    file = one.file
    base = None if file.before is None else digest(file.before)
    if one.appended is not None:
        return Step(file.path, base, None, one.appended, len(file.before or b""), one.header)
    return Step(file.path, base, file.before, file.after)


def _room_back(intent: Intent) -> int:
    """Bytes that reverting writes: one old document at a time, beside the present one."""
    largest = max((max(step.offset, len(step.old or b"")) for step in intent.steps), default=0)
    return largest + ROOM_OF_STEP * len(intent.steps)


def _room_recorded(intent: Intent) -> int:
    return ROOM_OF_RECORD + ROOM_OF_PROVENANCE * len(intent.provenance)


@contextmanager
def _reserved(files: FileSystem, size: int) -> Iterator[Reservation]:
    held = files.reserve(size)
    try:
        yield held
    finally:
        held.release()
