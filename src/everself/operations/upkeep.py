"""Keeps vectors up to date for a program: in the background while the agent is open, and briefly when it is closed.

Never raises: a search without vectors uses words, and the next process continues. Uses no paid embedder.
"""

from threading import Lock, Timer
from typing import Final

from everself.errors import EverselfError
from everself.logs import get_logger
from everself.runtime import Runtime

_log = get_logger(__name__)

# shorter scripts start no threads; their texts are embedded when the agent is closed
AFTER_SECONDS: Final = 1.0


class Upkeep:
    """All methods are thread-safe and may be called repeatedly."""

    def __init__(self, runtime: Runtime, after: float = AFTER_SECONDS) -> None:
        self._runtime = runtime
        self._after = after
        self._lock = Lock()
        self._timer: Timer | None = None
        self._stopped = False

    def start(self) -> None:
        """Start watching for changed files."""
        with self._lock:
            if self._timer is None and not self._stopped:
                self._timer = Timer(self._after, self._begin)
                self._timer.daemon = True
                self._timer.start()

    def stop(self) -> None:
        """Stop the background work permanently."""
        with self._lock:
            self._stopped = True
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
        if "freshness" in self._runtime.__dict__:
            self._runtime.freshness.stop()

    def halt(self) -> None:
        """Stop all threads of an agent that was not closed."""
        self.stop()
        if "index" in self._runtime.__dict__ and not self._runtime.closed:
            self._runtime.index.close()

    def settle(self) -> None:
        """Embed what this process has written, before closing."""
        from everself.operations.conversation import embed_waiting

        if self._runtime.acknowledged:
            embed_waiting(self._runtime)

    def _begin(self) -> None:
        try:
            self._runtime.keep_index_fresh()
        except EverselfError as error:
            _log.warning("Vectors are not kept fresh: %s.", type(error).__name__)
