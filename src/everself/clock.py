"""Reads the system clock and computes the human day: the date in the user's time zone. No other module reads the time.

Knows nothing of files or settings; the time zone is passed in.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from everself.errors import BadConfig

# A clock outside this range is wrong; the range leaves room for date arithmetic on both sides. Nanoseconds since 1970 exceed SQLite's
# integers in 2262.
EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)


def system_now() -> datetime:
    """The current time, limited to the range in which dates can be computed."""
    try:
        return bounded(datetime.now(UTC))
    except (OverflowError, OSError, ValueError):
        return LATEST


def bounded(moment: datetime) -> datetime:
    return min(max(moment, EARLIEST), LATEST)


def monotonic() -> float:
    """Seconds of a clock that never goes back, for time-outs."""
    return time.monotonic()


def process_age() -> float:
    """Seconds since the kernel started this process; 0 if unknown or implausible."""
    try:
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def pause(seconds: float) -> None:
    time.sleep(seconds)


def find_zone(name: str) -> ZoneInfo:
    """The IANA zone of that name."""
    try:
        return ZoneInfo(name)
    # zoneinfo raises three different errors: unknown name, absolute or climbing path, a directory
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadConfig(
            f'"{name}" is not a known time zone.', mend='Use an IANA name such as "Europe/Berlin" or "Asia/Seoul".'
        ) from error


def host_zone() -> ZoneInfo:
    """The machine's own time zone; UTC if it is not configured."""
    import tzlocal

    try:
        return tzlocal.get_localzone()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


@dataclass(slots=True, eq=False)
class Clock:
    """The time source and the time zone, so that file names and times of day always agree.

    The zone changes once, when the owner says where they live. Holders of the clock see the new zone.
    """

    zone: ZoneInfo
    read: Callable[[], datetime] = system_now

    def now(self) -> datetime:
        """The current time with the user's UTC offset."""
        return bounded(self.read()).astimezone(self.zone)

    def today(self) -> date:
        """The human day: today's date in the user's time zone."""
        return self.now().date()

    def day_of(self, moment: datetime) -> date:
        """The human day of a moment."""
        if moment.tzinfo is None:
            raise ValueError("the moment has no UTC offset")
        return moment.astimezone(self.zone).date()
