"""Limits delays of running replies: by turns of other threads, and by full garbage collections, which stop all threads.

Objects that survive a full collection are in use. If the collection was slow, they are frozen, so that the next one examines only newer
objects. Frozen objects are never collected in cycles, so all are unfrozen and examined again from time to time.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from everself.clock import monotonic

# a tenth of a noticeable delay
LONGEST_SECONDS: Final = 0.01
THAWED_SECONDS: Final = 600.0
# a fifth of Python's default
TURN_SECONDS: Final = 0.001
_FULL: Final = 2


class ShortCollections:
    """Called by the garbage collector on its thread, before and after each collection; nothing else runs meanwhile."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._begun = now()
        self._thawed = now()

    def __call__(self, phase: str, info: Mapping[str, int]) -> None:
        if info["generation"] != _FULL:
            return
        now = self._now()
        if phase == "start":
            self._begun = now
        elif now - self._thawed >= THAWED_SECONDS and gc.get_freeze_count():
            # examined by the next full collection
            self._thawed = now
            gc.unfreeze()
        elif now - self._begun >= LONGEST_SECONDS:
            gc.freeze()


@contextmanager
def short_turns() -> Iterator[None]:
    """Shorten the turns of threads: the event loop passes on every word, and waits this long for a computing thread each time."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(TURN_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def short_collections() -> Iterator[None]:
    collected = ShortCollections()
    gc.callbacks.append(collected)
    try:
        yield
    finally:
        gc.callbacks.remove(collected)
        gc.unfreeze()
