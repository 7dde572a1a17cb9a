"""A thread that runs functions in order and returns their results.

Has no dependency on the database.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, TypeVar

from everself.errors import WrongUse

T = TypeVar("T")


class Worker:
    """Runs work on one thread, which starts with the first job, so that a process that only reads never starts it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._gate = threading.Lock()
        self._jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Callable[[], T]) -> T:
        """Run `work` on the thread and return its result; raise what it raised, with the traceback."""
        return self.begin(work).wait()

    def begin(self, work: Callable[[], T]) -> "Job[T]":
        """Queue `work` without waiting for it."""
        job = Job(work)
        with self._gate:
            if self._closed:
                raise WrongUse(f"{self._name} is already closed.")
            started = self._start()
            if started:
                self._jobs.put(job)
        if not started:
            job.perform()
        return job

    def close(self) -> None:
        """Refuse new jobs and finish the queued ones."""
        with self._gate:
            self._closed = True
            thread, self._thread = self._thread, None
            self._jobs.put(None)
        if thread is not None:
            thread.join()

    def _start(self) -> bool:
        if self._thread is None:
            # a daemon thread: callers wait for their results, so nothing that matters is running at exit
            thread = threading.Thread(target=_perform_all, args=(self._jobs,), name=self._name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # the interpreter is shutting down and starts no threads; the work runs in the caller
                return False
            self._thread = thread
        return True


class Job(Generic[T]):
    """One queued function and its result. As a context manager it captures an exception of the work, which `wait` raises again."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done = threading.Lock()
        self._done.acquire()  # released when the work is done
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._unwanted = False

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._error = error
        self._done.release()
        return True

    def perform(self) -> None:
        with self:
            if not self._unwanted:
                self._result.append(self._work())

    def ends_within(self, seconds: float) -> bool:
        """Whether the job finishes within that time. `wait` returns its result."""
        ended = self._done.acquire(timeout=seconds)
        if ended:
            self._done.release()
        return ended

    def wait(self) -> T:
        try:
            self._done.acquire()
        finally:
            # also after an interrupt of the caller: a job that has not started is then skipped
            self._unwanted = True
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # avoids the reference cycle error → traceback → this frame → error
        return self._result[0]


def _perform_all(jobs: "SimpleQueue[Job[Any] | None]") -> None:
    while (job := jobs.get()) is not None:
        job.perform()
        del job  # otherwise the last result stays in memory until the next job
