"""Keeps an agent's vectors fresh for a program that opened it: in the background while it stays open, for a moment when it is closed.

Never raises: a search without fresh vectors goes by words, and the next process goes on. Asks no paid embedder.
"""

from threading import Lock, Timer
from typing import Final

from everself.errors import EverselfError
from everself.logs import get_logger
from everself.runtime import Runtime

_log = get_logger(__name__)

# a script that is over sooner starts no threads; what it wrote is embedded when it closes the agent
AFTER_SECONDS: Final = 1.0


class Upkeep:
    """Every method may be called from any thread, and again and again."""

    def __init__(self, runtime: Runtime, after: float = AFTER_SECONDS) -> None:
        self._runtime = runtime
        self._after = after
        self._lock = Lock()
        self._timer: Timer | None = None
        self._stopped = False

    def start(self) -> None:
        """The agent is used, and files may change from now on."""
        with self._lock:
            if self._timer is None and not self._stopped:
                self._timer = Timer(self._after, self._begin)
                self._timer.daemon = True
                self._timer.start()

    def stop(self) -> None:
        """End what runs in the background. It does not start again."""
        with self._lock:
            self._stopped = True
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
        if "freshness" in self._runtime.__dict__:
            self._runtime.freshness.stop()

    def halt(self) -> None:
        """End every thread of an agent that nobody closed."""
        self.stop()
        if "index" in self._runtime.__dict__ and not self._runtime.closed:
            self._runtime.index.close()

    def settle(self) -> None:
        """Embed what this process has written, before it is closed."""
        from everself.operations.conversation import embed_waiting

        if self._runtime.acknowledged:
            embed_waiting(self._runtime)

    def _begin(self) -> None:
        try:
            self._runtime.keep_index_fresh()
        except EverselfError as error:
            _log.warning("Vectors are not kept fresh: %s.", type(error).__name__)
