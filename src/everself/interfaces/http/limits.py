"""Limits of size, rate and duration."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from everself.clock import monotonic
from everself.frozen import Frozen

# number of remembered callers; the least recent ones start anew
_REMEMBERED: Final = 4_096


class Limits(Frozen):
    """Seconds, bytes and counts. `rate` is requests per second and `burst` at once, per token; `failures` and `failures_burst` limit
    refused requests per address."""

    connections: int = 1_000
    body: int = 2**20
    body_seconds: float = 30.0
    rate: float = 50.0
    burst: int = 200
    failures: float = 10.0
    failures_burst: int = 100
    threads: int = 16
    waiting: int = 256
    operation_seconds: float = 60.0
    # for operations with progress, such as an export
    long_seconds: float = 600.0
    idle_seconds: float = 600.0
    drain_seconds: int = 6
    # for stopping jobs, then for closing agents
    job_seconds: float = 1.0
    close_seconds: float = 2.5


class Rate:
    """A token bucket per caller. Used on one thread."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        now = self._now()
        left, since = self._left.get(caller, (float(self._burst), now))
        left = min(float(self._burst), left + (now - since) * self._rate)
        short = 1.0 - left
        self._left[caller] = (left - 1.0 if short <= 0 else left, now)
        self._left.move_to_end(caller)
        while len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        return short / self._rate if short > 0 else 0.0
