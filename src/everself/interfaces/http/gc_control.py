"""Keeps short what makes replies that are under way wait: turns of other threads, and full garbage collections, which stop them all.

What a full collection left is in use. Where looking at it took long it is frozen, so that the next one looks only at what came since.
Frozen objects that become garbage in cycles are never found, so all are thawed now and then and looked at once more.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from everself.clock import monotonic

# a tenth of what a person notices
LONGEST_SECONDS: Final = 0.01
THAWED_SECONDS: Final = 600.0
# a fifth of Python's own
TURN_SECONDS: Final = 0.001
_FULL: Final = 2


class ShortCollections:
    """Called by the collector on whatever thread it runs, before and after each collection; nothing else runs meanwhile."""

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
            # seen by the next full collection
            self._thawed = now
            gc.unfreeze()
        elif now - self._begun >= LONGEST_SECONDS:
            gc.freeze()


@contextmanager
def short_turns() -> Iterator[None]:
    """The event loop passes on every word, and waits so long for a thread that computes each time."""
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
