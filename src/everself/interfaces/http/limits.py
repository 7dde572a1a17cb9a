"""How much one caller may ask for, and how long anything may take."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from everself.clock import monotonic
from everself.frozen import Frozen

# callers whose rate is remembered; whoever has not asked for longest starts anew
_REMEMBERED: Final = 4_096


class Limits(Frozen):
    """Seconds, bytes and counts. `rate` is requests a second in the long run and `burst` at once, for each token; `failures` and
    `failures_burst` are the same for requests of one address that are not let in."""

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
    # of operations that report progress: an index of many files, an export
    long_seconds: float = 600.0
    idle_seconds: float = 600.0
    drain_seconds: int = 6
    # for jobs that are stopped, then for agents that are closed
    job_seconds: float = 1.0
    close_seconds: float = 2.5


class Rate:
    """A bucket for each caller, which fills with time. Only asked on one thread."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Take one, where there is one: then 0. Else the seconds after which there is."""
        now = self._now()
        left, since = self._left.get(caller, (float(self._burst), now))
        left = min(float(self._burst), left + (now - since) * self._rate)
        short = 1.0 - left
        self._left[caller] = (left - 1.0 if short <= 0 else left, now)
        self._left.move_to_end(caller)
        while len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        return short / self._rate if short > 0 else 0.0
