"""Computes when a job is due, from a cron expression, a time or an interval, in a time zone. Pure; knows no job and no clock.

If clocks skip a fixed time, the slot comes at the change; if they repeat it, only the first counts. Fields that begin with a star follow
real time, as in cron.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from everself.config.setting_types import parse_duration
from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.keepers._spoken_times import read_wait, read_wall

Kind = Literal["cron", "at", "every"]

LONGEST_SPEC: Final = 120
SHORTEST_STEP: Final = timedelta(minutes=1)
_FIELDS: Final = 5
_CRON_MEND: Final = 'Five fields, "minute hour day month weekday": "0 18 * * 5" is every Friday at six in the evening.'
_FIRST_LOOK: Final = timedelta(hours=2)
_WIDER: Final = 4


class Times(Frozen):
    """`spec` is the result of `read_times`; intervals are counted from `anchor`."""

    kind: Kind
    spec: str
    zone: ZoneInfo
    anchor: datetime


class Missed(Frozen):
    """Past slots, oldest first. `before`: the first of earlier, unlisted slots."""

    slots: tuple[datetime, ...] = ()
    before: datetime | None = None


def read_times(kind: Kind, said: str, zone: ZoneInfo, now: datetime) -> Times:
    """Parse and check a schedule; returns its stored form. Raises WrongUse if it never occurs."""
    said = " ".join(said.split())
    if len(said) > LONGEST_SPEC:
        raise WrongUse(f"The schedule has {len(said)} characters, which is too long.", mend=_CRON_MEND)
    match kind:
        case "cron":
            made = Times(kind, said, zone, now)
            _check_cron(made)
        case "every":
            step = parse_duration(said)
            if step is None or step < SHORTEST_STEP:
                raise WrongUse(
                    f'"{said}" is not an interval of a minute or more.', mend="--every 30m, --every 1h30m, --every 2d"
                )
            made = Times(kind, said, zone, now)
        case "at":
            made = Times(kind, _moment(said, zone, now).isoformat(timespec="seconds"), zone, now)
    if next_slot(made, now) is None:
        raise WrongUse(f'"{said}" is in the past.', mend="Give a time in the future.")
    return made


def next_slot(times: Times, after: datetime) -> datetime | None:
    return next(_walk(times, after), None)


def missed(times: Times, after: datetime, upto: datetime, most: int) -> Missed:
    """The newest slots between two moments. Limited, because a clock may have been wrong by decades."""
    look = _FIRST_LOOK
    while True:
        start = max(after, upto - look)
        found = _between(times, start, upto)
        if start == after or len(found) > most:
            break
        look *= _WIDER
    if len(found) <= most:
        return Missed(tuple(found))
    return Missed(tuple(found[-most:]), next(_walk(times, after)))


def wall_moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """The moment when the zone's clocks first show this time, or skip it."""
    moment = wall.replace(tzinfo=zone, fold=0)
    while moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != wall:
        wall += timedelta(minutes=1)
        moment = wall.replace(tzinfo=zone, fold=0)
    return moment.astimezone(UTC)


def _between(times: Times, after: datetime, upto: datetime) -> list[datetime]:
    found = []
    for slot in _walk(times, after):
        if slot > upto:
            break
        found.append(slot)
    return found


def _walk(times: Times, after: datetime) -> Iterator[datetime]:
    """Slots after a moment, in order."""
    match times.kind:
        case "at":
            moment = datetime.fromisoformat(times.spec)
            if moment > after:
                yield moment
        case "every":
            step = parse_duration(times.spec) or SHORTEST_STEP
            number = max(1, (after - times.anchor) // step + 1)
            while True:
                yield times.anchor + number * step
                number += 1
        case "cron":
            yield from _cron(times, after)


def _cron(times: Times, after: datetime) -> Iterator[datetime]:
    from cronsim import CronSim

    for wall in CronSim(times.spec, after.astimezone(times.zone)):
        slot = wall.astimezone(UTC)
        # several times of day may be skipped by one change, and a repeated one appears twice
        if slot > after:
            yield slot
            after = slot


def _check_cron(times: Times) -> None:
    from cronsim import CronSim, CronSimError

    fields = times.spec.split()
    if len(fields) != _FIELDS:
        raise WrongUse(f'"{times.spec}" has {len(fields)} fields; a cron expression has 5.', mend=_CRON_MEND)
    try:
        CronSim(times.spec, times.anchor.astimezone(times.zone))
    except CronSimError as error:
        raise WrongUse(f'"{times.spec}" cannot be read ({error}).', mend=_CRON_MEND) from error


def _moment(said: str, zone: ZoneInfo, now: datetime) -> datetime:
    """An absolute time, in the zone unless it names another; or a duration from now."""
    wait = read_wait(said)
    if wait is not None:
        return (now + wait).astimezone(UTC).replace(microsecond=0)
    try:
        read = datetime.fromisoformat(said).replace(microsecond=0)
    except ValueError:
        wall = read_wall(said, now.astimezone(zone))
        if wall is None:
            raise WrongUse(
                f'"{said}" is not a valid time.',
                mend='--at "tomorrow at 9", --at "in 2 hours", --at "friday 18:00" or --at "2026-04-01 09:00"',
            ) from None
        return wall_moment(wall, zone)
    return wall_moment(read, zone) if read.tzinfo is None else read.astimezone(UTC)
