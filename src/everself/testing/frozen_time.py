"""A clock for tests that stands still until it is advanced."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from everself.clock import Clock

MOMENT = datetime(2026, 3, 19, 9, 30, tzinfo=UTC)


class FrozenTime:
    """A callable like the system's clock; `clock(zone)` returns a Clock that reads it."""

    def __init__(self, moment: datetime = MOMENT) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, step: timedelta) -> None:
        self.moment += step

    def clock(self, zone: str = "UTC") -> Clock:
        return Clock(ZoneInfo(zone), self)
