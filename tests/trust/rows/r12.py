"""R12: an entry written at any second around a midnight or a change of the clocks goes into the daily file of the human's day.

The judge is the C library reading the same zone files: other code, same data. It is asked in a process of its own, because it knows
one zone at a time for the whole process and because the zone files of the package must be the ones that both sides read.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random

import tzdata

from everself.clock import Clock, find_zone
from everself.testing.memory_workspace import InMemoryWorkspace
from everself.values import Append, Applied, Author, Change

FIRST = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp())
LAST = int(datetime(2029, 1, 1, tzinfo=UTC).timestamp())
HOUR, DAY = 3600, 86400
# no zone keeps an offset for less than days; a change of the date can be undone by the clock within half an hour
TRANSITION_STEP, MIDNIGHT_STEP = 6 * HOUR, 600
AROUND = (-7201, -3601, -3600, -3599, -1801, -1800, -1799, -2, -1)
SECONDS = tuple(sorted({*AROUND, 0, *(-one for one in AROUND)}))
# whole and odd offsets, both hemispheres, half-hour steps, changes at midnight, the date line, clocks that follow the moon
ALWAYS = (
    *("America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "America/Nuuk"),
    *(
        "Asia/Gaza",
        "Africa/Cairo",
        "America/Santiago",
        "America/Havana",
        "Asia/Beirut",
        "Pacific/Chatham",
        "Europe/London",
    ),
    *(
        "America/St_Johns",
        "Antarctica/Troll",
        "America/Scoresbysund",
        "Asia/Almaty",
        "America/Asuncion",
        "Pacific/Kiritimati",
    ),
    *("Asia/Seoul", "Asia/Kolkata", "Etc/GMT+12", "UTC"),
)
PATIENCE = 3000.0


@dataclass(slots=True)
class Tally:
    zones: int = 0
    transitions: int = 0
    moments: int = 0


@cache
def zone_folder() -> Path:
    return Path(tzdata.__file__).parent / "zoneinfo"


@cache
def zone_names() -> tuple[str, ...]:
    text = (Path(tzdata.__file__).parent / "zones").read_text(encoding="utf-8")
    return tuple(sorted(name for name in text.split() if (zone_folder() / name).is_file()))


def chosen_zones(seed: int) -> tuple[str, ...]:
    """Every zone, the telling ones first and the others in an order drawn from the seed."""
    others = [name for name in zone_names() if name not in ALWAYS]
    Random(seed).shuffle(others)
    return (*(name for name in ALWAYS if name in zone_names()), *others)


def judge_by(zone: str) -> None:
    """Let the C library use this zone from now on."""
    # with a colon and a whole path it reads this file or nothing
    os.environ["TZ"] = f":{zone_folder() / zone}"
    time.tzset()


def judged(moment: int) -> tuple[date, str, int]:
    """What the C library says a wall shows: the day, the time of day, seconds east of Greenwich."""
    found = time.localtime(moment)
    clock = f"{found.tm_hour:02}:{found.tm_min:02}:{found.tm_sec:02}"
    return date(found.tm_year, found.tm_mon, found.tm_mday), clock, found.tm_gmtoff


def find_steps(start: int, end: int, step: int, key: str) -> Iterator[int]:
    """The first second of every stretch in which the judged day or offset stays the same."""

    def look(moment: int) -> object:
        found = time.localtime(moment)
        return found.tm_yday if key == "day" else (found.tm_gmtoff, found.tm_isdst, found.tm_zone)

    before = look(start)
    for moment in range(start, end, step):
        after = look(moment + step)
        if after != before:
            low, high = moment, moment + step
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if look(middle) == before else (low, middle)
            yield high
        before = after


def moments_of(transitions: list[int]) -> list[int]:
    """Seconds around every transition, around the midnights near it, and around a few midnights of each year."""
    found = {at + second for at in transitions for second in SECONDS}
    for at in transitions:
        for midnight in find_steps(at - 36 * HOUR, at + 36 * HOUR, MIDNIGHT_STEP, "day"):
            found |= {midnight + second for second in SECONDS}
    for start in range(FIRST, LAST, 91 * DAY):
        for midnight in find_steps(start, start + DAY, MIDNIGHT_STEP, "day"):
            found |= {midnight + second for second in SECONDS}
    return sorted(found)


def live_through(zone: str, tally: Tally) -> None:
    """Write an entry at every one of these moments and look for it in the day that the C library names."""
    judge_by(zone)
    transitions = list(find_steps(FIRST, LAST, TRANSITION_STEP, "offset"))
    now = [datetime.fromtimestamp(FIRST, UTC)]
    clock = Clock(find_zone(zone), lambda: now[0])
    workspace = InMemoryWorkspace(clock)
    wanted: dict[str, list[str]] = {}
    for moment in moments_of(transitions):
        now[0] = datetime.fromtimestamp(moment, UTC)
        day, wall, offset = judged(moment)
        _write(workspace, clock, moment)
        wanted.setdefault(f"memory/{day}.md", []).append(f"[{wall}] at {moment}")
        where = f"{zone} at {moment} ({now[0].isoformat()})"
        assert clock.now().utcoffset() == timedelta(seconds=offset), f"{where}: offset {clock.now()}, not {offset}"
        assert clock.today() == day, f"{where}: today is {clock.today()}"
        assert clock.day_of(now[0]) == day, f"{where}: day_of says {clock.day_of(now[0])}, not {day}"
        tally.moments += 1
    written = {one.path: _entries(workspace.read(one.path).data) for one in workspace.list()}
    for path in sorted(wanted.keys() | written.keys()):
        lost = set(wanted.get(path, ())) ^ set(written.get(path, ()))
        assert not lost, f"{zone}, {path}: wrong day or wrong time of day: {sorted(lost)[:3]}"
    for record in workspace.changes(limit=tally.moments):
        assert record.paths == (f"memory/{record.at.date()}.md",), f"{zone}: {record}"
    tally.zones += 1
    tally.transitions += len(transitions)


def _write(workspace: InMemoryWorkspace, clock: Clock, moment: int) -> None:
    day = clock.today()
    entry = f"\n## [{clock.now():%H:%M:%S}] at {moment}\n\nA line.\n"
    edit = Append(f"memory/{day}.md", entry.encode(), header=f"# Memory Log: {day}\n".encode())
    assert isinstance(workspace.apply(Change(Author.OWNER, "note", (edit,))), Applied)


def _entries(data: bytes) -> list[str]:
    return [line.removeprefix("## ") for line in data.decode().splitlines() if line.startswith("## ")]


def judge_in_this_process(count: int, seed: int, start: int) -> Tally:
    judge_by("America/New_York")
    # a C library that finds no file says nothing and takes UTC
    assert time.localtime(FIRST).tm_gmtoff == -5 * HOUR, "the C library does not read the zone files"
    tally = Tally()
    for zone in chosen_zones(seed)[start : start + count]:
        live_through(zone, tally)
    return tally


def run_r12(count: int, seed: int, start: int = 0) -> str:
    """Live through `count` zones from number `start` of the seed's order on."""
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.rows.r12", str(count), str(seed), str(start)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONTZPATH": str(zone_folder())},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise AssertionError(f"R12 seed {seed}: {done.stderr.strip().rpartition('AssertionError: ')[2]}")
    told = json.loads(done.stdout)
    return (
        f"R12 {told['zones']} zones, {told['transitions']} transitions, {told['moments']} moments, "
        f"0 entries in the wrong day, seed {seed}"
    )


if __name__ == "__main__":
    found = judge_in_this_process(*(int(one) for one in sys.argv[1:4]))
    print(json.dumps({"zones": found.zones, "transitions": found.transitions, "moments": found.moments}))
