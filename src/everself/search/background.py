"""The background thread that embeds: the first embedder whenever chunks wait, the second one in idle time.

Knows two functions that embed and when to call them; does not know the index.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final

from everself.clock import monotonic
from everself.search.sync.embedding import Bounds, EmbedReport

_PAUSE: Final = 30.0
_LONGEST_PAUSE: Final = 600.0
_PATIENCE: Final = 10.0
# Seconds without a question after which the second embedder runs, and its batch size: a batch in progress keeps all cores busy, even if a
# question arrives.
IDLE: Final = 1.0
SECOND_BATCH: Final = 16

Embed = Callable[[Bounds], EmbedReport]


class Questions:
    """When the last question was asked, and whether one is being answered. One instance for all agents of a process, because they share
    its cores."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._lock = Lock()
        self._answered = 0

    def note(self) -> None:
        self._last = monotonic()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Mark a reply as in progress, however slowly it streams."""
        with self._lock:
            self._answered += 1
        try:
            yield
        finally:
            self.note()
            with self._lock:
                self._answered -= 1

    @property
    def are_recent(self) -> bool:
        return bool(self._answered) or (self._last is not None and monotonic() - self._last < IDLE)


QUESTIONS: Final = Questions()


class BackgroundEmbedding:
    """`second` is None if there is no second embedder. Thread-safe."""

    def __init__(self, first: Embed, second: Embed | None, asked: Questions = QUESTIONS) -> None:
        self._first = first
        self._second = second
        self._stop, self._wake = Event(), Event()
        self._thread: Thread | None = None
        self._asked = asked

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def start(self) -> None:
        """Start the thread, which runs until `stop`. Call it under a lock."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="everself-embedding", daemon=True)
            self._thread.start()

    def note_question(self) -> None:
        """Note that a user waits for an answer: the second embedder of every agent pauses for a moment."""
        self._asked.note()

    def wake(self) -> None:
        """Something new waits for the first embedder."""
        self._wake.set()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        pause = _PAUSE
        while not self._stop.is_set():
            self._wake.clear()
            report = self._first(Bounds(None, self._stop.is_set))
            if report.failure:
                self._stop.wait(report.retry_after or pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                pause = _PAUSE
                self._work_when_idle()
                self._wake.wait(_PAUSE)

    def _work_when_idle(self) -> None:
        while self._second is not None and not self._called():
            if not self._asked.are_recent:
                report = self._second(Bounds(None, self._disturbed, None, SECOND_BATCH))
                if report.failure or not report.pending or not self._disturbed():
                    return
            self._stop.wait(IDLE)

    def _called(self) -> bool:
        return self._stop.is_set() or self._wake.is_set()

    def _disturbed(self) -> bool:
        return self._called() or self._asked.are_recent
