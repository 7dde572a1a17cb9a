"""Watches a folder and reports changed documents after a short quiet period.

Reports are hints that speed up others, never proofs: they may name unchanged documents, and changes while the folder is
missing are reported as EVERYTHING. Reads no contents and does not interpret the documents.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from everself.clock import monotonic
from everself.workspace.layout import is_hidden, is_temporary

# Not a valid document path, so it cannot be confused with one.
EVERYTHING: Final = frozenset({"."})

# maximum wait for a quiet period, in multiples of the debounce: a file that changes constantly is reported too
_LONGEST_WAIT: Final = 6
_LOOK_AGAIN_SECONDS: Final = 0.25
_STEP_MS: Final = 50
_TICK_MS: Final = 100
_LOOK_SECONDS: Final = 1.0

OnChange = Callable[[frozenset[str]], None]
OnError = Callable[[Exception], None]


def watch(root: str, on_change: OnChange, *, on_error: OnError, stop: threading.Event, debounce_ms: int = 1500) -> None:
    """Call `on_change` with the paths that changed below `root` until `stop` is set. Blocks; run it in a thread.

    The first call, and the first after the folder was missing, is `EVERYTHING`: changes are seen from then on, but
    earlier ones are unknown. The path of a removed folder stands for everything that was in it. Exceptions of
    `on_change` and errors of watching are passed to `on_error`, and watching continues.
    """
    watcher = _Watcher(os.path.realpath(root), on_change, on_error, stop, _Batch(debounce_ms / 1000))
    reported = ""
    while not stop.is_set():
        try:
            watcher.run()
            reported = ""
        except FileNotFoundError:
            # temporarily missing; it may come back
            reported = ""
        # watchfiles raises RuntimeError for failures other than OSError
        except (OSError, RuntimeError) as error:
            if reported != repr(error):
                reported = repr(error)
                on_error(error)
        stop.wait(_LOOK_AGAIN_SECONDS)


@dataclass(slots=True)
class _Batch:
    """Changed paths, collected until no new one has come for `quiet` seconds."""

    quiet: float
    _paths: set[str] = field(default_factory=set)
    _first: float = 0.0
    _last: float = 0.0

    def add(self, paths: Iterable[str], now: float) -> None:
        before = bool(self._paths)
        more = set(paths)
        if more:
            self._paths |= more
            self._first = self._first if before else now
            self._last = now

    def take_due(self, now: float) -> frozenset[str]:
        """The paths if they have waited long enough, otherwise empty."""
        if now - self._last < self.quiet and now - self._first < self.quiet * _LONGEST_WAIT:
            return frozenset()
        return self.take()

    def take(self) -> frozenset[str]:
        paths, self._paths = frozenset(self._paths), set()
        return paths


@dataclass(slots=True)
class _Watcher:
    root: str
    on_change: OnChange
    on_error: OnError
    stop: threading.Event
    batch: _Batch
    # None lets the library decide
    polling: bool | None = None

    def run(self) -> None:
        """Watch until the folder is replaced or removed."""
        with _held(self.root) as is_still_there:
            self.batch.take()
            started = False
            for raw in self._changes():
                if not is_still_there():
                    return
                if not started:
                    started = True
                    self._tell(EVERYTHING)
                self.batch.add(self._documents(raw), monotonic())
                due = self.batch.take_due(monotonic())
                if due:
                    self._tell(due)

    def _changes(self) -> Iterator[set[tuple[bool, str]]]:
        """Yield sets of changes: whether the path is new, and the absolute path. A set is empty if nothing changed."""
        try:
            import watchfiles
        except ImportError:
            yield from self._changes_by_looking()
            return
        raw_changes = watchfiles.watch(
            self.root,
            watch_filter=None,
            debounce=_STEP_MS,
            step=_STEP_MS,
            stop_event=self.stop,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            debug=False,
            force_polling=self.polling,
            ignore_permission_denied=True,
        )
        try:
            for raw in raw_changes:
                yield {(change == watchfiles.Change.added, path) for change, path in raw}
        except FileNotFoundError:
            raise
        except (OSError, RuntimeError):
            # usually the system's limit of watched folders, which does not apply to polling
            self.polling = True
            raise

    def _changes_by_looking(self) -> Iterator[set[tuple[bool, str]]]:
        """The same without watchfiles, which is an optional dependency: poll every file about once a second."""
        before, looked = self._stamps(), monotonic()
        yield set()
        while not self.stop.wait(_TICK_MS / 1000):
            if monotonic() - looked < _LOOK_SECONDS:
                yield set()
                continue
            now, looked = self._stamps(), monotonic()
            differ = {path for path, stamp in now.items() if before.get(path) != stamp} | before.keys() - now.keys()
            yield {(path not in before, path) for path in differ}
            before = now

    def _stamps(self) -> dict[str, tuple[int, int, int]]:
        """Modification time, size and inode of every file. Raises FileNotFoundError if the folder is missing."""
        os.stat(self.root)
        found: dict[str, tuple[int, int, int]] = {}
        for parent, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not is_hidden(name)]
            for name in names:
                path = f"{parent}/{name}"
                with suppress(OSError):
                    state = os.lstat(path)
                    found[path] = (state.st_mtime_ns, state.st_size, state.st_ino)
        return found

    def _documents(self, raw: set[tuple[bool, str]]) -> Iterator[str]:
        for is_new, absolute in raw:
            path = self._relative(absolute)
            if not path or _is_ignored(path):
                continue
            if not os.path.isdir(absolute) or os.path.islink(absolute):
                yield path
            elif is_new:
                # files can be written into a new folder before the system starts to report on it
                yield from self._documents_below(absolute)

    def _documents_below(self, folder: str) -> Iterator[str]:
        for parent, _, names in os.walk(folder):
            for name in names:
                path = self._relative(f"{parent}/{name}")
                if not _is_ignored(path):
                    yield path

    def _relative(self, absolute: str) -> str:
        prefix = self.root.rstrip("/") + "/"
        return absolute.removeprefix(prefix) if absolute.startswith(prefix) else ""

    def _tell(self, paths: frozenset[str]) -> None:
        try:
            self.on_change(paths)
        except Exception as error:  # noqa: BLE001 — a fence: one bad reaction must not end the watch, and is reported
            self.on_error(error)


def _is_ignored(path: str) -> bool:
    return is_hidden(path) or is_temporary(path.rpartition("/")[2])


@contextmanager
def _held(root: str) -> Iterator[Callable[[], bool]]:
    """A function that tells whether `root` is still the same folder. The open handle keeps its inode from being reused."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        then = os.fstat(handle)

        def is_still_there() -> bool:
            try:
                now = os.stat(root)
            except FileNotFoundError:
                return False
            return (now.st_dev, now.st_ino) == (then.st_dev, then.st_ino)

        yield is_still_there
    finally:
        os.close(handle)
