"""Commits finished changes from the journal to the history, in the background or at exit. Never blocks a write.

If a person changed a document in between, their version is committed first, so that the history says who wrote what.
"""

import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice

from everself.clock import Clock
from everself.errors import EverselfError, HistoryDamaged
from everself.storage import writes
from everself.storage.filesystem import FileSystem
from everself.storage.history.commits import MENDER, CommitNote, History
from everself.storage.history.repair import blob_name, change_of
from everself.storage.journal import Filed, Intent, Journal, Step
from everself.storage.lock import TIMEOUT, Lock
from everself.storage.state.database import State
from everself.values import Author, FileChange, digest
from everself.workspace.execution import sweep
from everself.workspace.repair import Mended, mend

# how many commits of people's edits are skipped when looking for one of ours
STEPS_BACK = 8
# changes committed per holding of the lock: about a second on a slow and busy disk
BATCH = 32


class Recorder:
    """Commits waiting changes; one per process. `drain` does it now, `wake` in a thread."""

    def __init__(self, files: FileSystem, journal: Journal, history: History, records: State, lock: Lock) -> None:
        self._files = files
        self._journal = journal
        self._history = history
        self._records = records
        self._lock = lock
        self._thread: threading.Thread | None = None
        self._more = threading.Event()
        self._guard = threading.Lock()
        self.background = True
        self.trouble: EverselfError | OSError | None = None
        # repairs made by this process
        self.mended: tuple[Mended, ...] = ()

    def drain(self, patience: float = TIMEOUT) -> int:
        """Commit all changes that are waiting now. Returns their number."""
        done = 0
        left = self._journal.waiting_count()
        while left > 0:
            with self._holding(patience):
                # in small batches: other processes need the lock too, and may commit the rest
                count = self._drain_some(self._journal.waiting(BATCH))
            done += count
            left = min(left - count, self._journal.waiting_count()) if count else 0
        return done

    def _drain_some(self, waiting: Sequence[Filed]) -> int:
        try:
            return self._commit_all(waiting)
        except HistoryDamaged:
            # waiting changes are acknowledged and must reach the history, so it is repaired here
            self._mend()
            return self._commit_all(waiting)

    def _commit_all(self, waiting: Sequence[Filed]) -> int:
        self._check_whose()
        # one sync of the branch and one transaction for all; after a crash before either, all of it is repeated
        commits = self._find_commits({filed.intent.id for filed in waiting})
        for filed in waiting:
            if filed.intent.id not in commits:
                commits[filed.intent.id] = self._commit(filed.intent)
        self._history.publish()
        self._records.set_commits(commits)
        for filed in waiting:
            sweep(self._files, filed.intent)
            self._journal.forget(filed)
        return len(waiting)

    def mend(self, patience: float = TIMEOUT) -> Mended:
        """Check every object of the history and repair it as far as possible."""
        with self._holding(patience):
            return self._mend()

    def _mend(self) -> Mended:
        self._history.abandon()
        found = mend(self._files, self._journal.files, self._history, self._records)
        self.mended += (found,) if found.aside or found.lost else ()
        return found

    def _check_whose(self) -> None:
        """Raise HistoryDamaged if the history lacks the newest commit of the ledger: it is damaged, or another agent's."""
        newest = self._records.newest_commit()
        if newest is not None and (self._history.head() is None or not self._history.holds(newest)):
            raise HistoryDamaged("The newest recorded change is missing.")

    def note_outside(self, paths: list[str], clock: Clock) -> list[str]:
        """Commit documents that were changed or removed outside Everself. Returns their paths."""
        with self._holding(TIMEOUT):
            known = self._history.paths()
            found = []
            for path in sorted({*paths, *known}):
                now = writes.find(self._files, path)
                if now is None and path not in known:
                    continue
                if now is not None and known.get(path) == blob_name(now):
                    continue
                found.append(FileChange(path, self._history.content(path) if path in known else None, now))
            if found:
                self._history.commit(found, CommitNote(Author.HAND, _outside(found), clock.now()))
                self._history.publish()
            return [file.path for file in found]

    @contextmanager
    def _holding(self, patience: float) -> Iterator[None]:
        with self._lock.hold(patience):
            try:
                yield
            finally:
                self._history.abandon()

    def wake(self) -> None:
        """Make the background thread commit waiting changes soon."""
        if not self.background:
            return
        self._more.set()
        with self._guard:
            if self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._work, name="everself-history", daemon=True)
                # no thread can be started: the changes are committed when the workspace is closed
                with suppress(RuntimeError):
                    thread.start()
                    self._thread = thread

    def settle(self, patience: float = TIMEOUT) -> None:
        """Wait for the thread and commit the rest: at exit, and before the history is read."""
        self._more.clear()
        thread = self._thread
        if thread is not None:
            thread.join(patience)
        self.drain(patience)

    def _work(self) -> None:
        while self._more.is_set():
            self._more.clear()
            # what fails here stays in the journal and is retried at the next chance; doctor counts it
            try:
                self.drain()
            except (EverselfError, OSError) as error:
                self.trouble = error
                return

    def _find_commits(self, waiting: Set[str]) -> dict[str, str]:
        """Existing commits of waiting changes: a process died before it recorded them, and a change must not be committed twice."""
        found: dict[str, str] = {}
        # only commits of people's edits can be between and after them
        for commit, note in islice(self._history.newest(), 2 * len(waiting) + STEPS_BACK):
            identity = change_of(note.message)
            if identity in waiting:
                found[identity] = commit
            elif note.author not in (Author.HAND, MENDER):
                break
        return found

    def _commit(self, intent: Intent) -> str:
        at = datetime.fromisoformat(intent.at)
        files = [self._change_of(step) for step in intent.steps]
        outside = [
            FileChange(file.path, None, file.before)
            for file in files
            if self._history.content(file.path) != file.before
        ]
        if outside:
            self._history.commit(outside, CommitNote(Author.HAND, _outside(outside), at))
        return self._history.commit(files, CommitNote(intent.author, _message(intent), at))

    def _change_of(self, step: Step) -> FileChange:
        if not step.is_append:
            return FileChange(step.path, step.old, step.new)
        data = step.new or b""
        if step.base is None:
            return FileChange(step.path, None, step.header + data)
        candidates: tuple[Callable[[], bytes | None], ...] = (
            lambda: self._history.content(step.path),
            lambda: self._now(step.path)[: step.offset],
        )
        for candidate in candidates:
            before = candidate()
            if before is not None and digest(before) == step.base:
                return FileChange(step.path, before, before + data)
        # the person has rewritten the document since, so only the present text can be recorded
        now = self._now(step.path)
        if data in now:
            return FileChange(step.path, now.replace(data, b"", 1), now)
        # a person's save overwrote our text: record ours at least in the history
        return FileChange(step.path, now, now + data)

    def _now(self, path: str) -> bytes:
        """The content of a document; empty if a person put a link or a folder there since, which must not be read or
        stop the recording.
        """
        found = self._files.stat(path)
        odd = found is None or found.kind != "file" or found.links > 1
        return b"" if odd else writes.find(self._files, path) or b""


def _message(intent: Intent) -> str:
    lines = [intent.reason, "", f"Change: {intent.id}"]
    if intent.undoes:
        lines.append(f"Undoes: {intent.undoes}")
    lines += [f"Evidence: {reference}" for reference in intent.evidence]
    return "\n".join(lines) + "\n"


def _outside(files: list[FileChange]) -> str:
    names = ", ".join(file.path for file in files[:3])
    return f"Edited outside Everself: {names}{' …' if len(files) > 3 else ''}\n"
