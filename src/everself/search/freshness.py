"""Keeps an index up to date in a long-running process: terms soon after a file changes, vectors later.

This only makes searches faster: each search checks every file again. Errors here never reach a caller.
"""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from everself.workspace.watch import watch

if TYPE_CHECKING:
    from everself.search.index import Index

DEBOUNCE_MS = 1500
_PATIENCE = 10.0


class Freshness:
    """Thread-safe; every method may be called repeatedly."""

    def __init__(
        self, index: "Index", root: str, debounce_ms: int = DEBOUNCE_MS, *, also: Callable[[], object] = lambda: None
    ) -> None:
        """`also` is called after each sync: others keep something of the same files."""
        self._index = index
        self._also = also
        self._root = root
        self._debounce_ms = debounce_ms
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None
        # the error of the last attempt; empty after a success
        self.trouble = ""

    def start(self, *, embed: bool) -> None:
        """Watch files, and embed in the background if `embed` is set, until `stop`."""
        with self._lock:
            if self._stop.is_set():
                return
            if embed:
                self._index.start_embedding()
            if self._thread is None:
                self._thread = Thread(target=self._watch, name="everself-freshness", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Call this before the index is closed, or it would be opened again."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(_PATIENCE)

    def _watch(self) -> None:
        watch(self._root, self._sync, on_error=self._note, stop=self._stop, debounce_ms=self._debounce_ms)

    def _sync(self, _paths: frozenset[str]) -> None:
        # all files are checked: that takes milliseconds, and file events are unreliable
        self._index.sync()
        self._also()
        self.trouble = ""

    def _note(self, error: Exception) -> None:
        self.trouble = str(error)
