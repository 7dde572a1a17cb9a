"""Parses times as people type them: "in 2 hours", "tomorrow at 9", "friday 18:00", "7pm". Pure; knows no time zone.

A day without a time means nine in the morning. Times are local wall-clock times.
"""

from datetime import date, datetime, time, timedelta
from typing import Final

import re2

from everself.config.setting_types import parse_duration

_UNITS: Final = {"minute": "m", "min": "m", "hour": "h", "day": "d", "m": "m", "h": "h", "d": "d"}
_STEP: Final = re2.compile(r"(\d{1,6}|an?|half an)\s*(minutes?|mins?|hours?|days?|weeks?|[mhd])(?:\s*(?:,|and)?\s*|$)")
_DAYS: Final = {"today": 0, "tomorrow": 1, "day after tomorrow": 2}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME: Final = re2.compile(r"^(?:at )?(?:(\d{1,2})(?:[:.](\d\d))?\s*(am|pm|h|o'clock)?|(noon|midnight))$")
_MORNING: Final = time(9)
_SHORT: Final = 3


def read_wait(said: str) -> timedelta | None:
    """A duration: "20m", "in 2 hours", "in half an hour", "1 day and 3 hours"; None otherwise."""
    words = said.strip().lower().removeprefix("in ").strip()
    compact = ""
    at = 0
    while at < len(words):
        found = _STEP.match(words[at:])
        if found is None:
            return parse_duration(words)
        compact += _compact(found.group(1), found.group(2).rstrip("s") or "m")
        at += found.end()
    return parse_duration(compact)


def _compact(count: str, unit: str) -> str:
    if count == "half an":
        return {"hour": "30m", "day": "12h", "minute": "30s"}.get(unit, "")
    number = 1 if count in ("a", "an") else int(count)
    return f"{7 * number}d" if unit == "week" else f"{number}{_UNITS[unit]}"


def read_wall(said: str, now: datetime) -> datetime | None:
    """A wall-clock time relative to `now`, without time zone; None if the text is not a time."""
    words = " ".join(said.lower().replace(",", " ").split()).removeprefix("on ").removeprefix("the ")
    here = now.replace(tzinfo=None)
    day, rest = _day(words, here.date())
    at = _time(rest) if rest else None
    if rest and at is None:
        return None
    if day is None:
        # a time without a day is the next occurrence
        return _next(here, at, timedelta(days=1)) if at is not None else None
    moment = datetime.combine(day, at or _MORNING)
    is_weekday = not any(words.startswith(name) for name in _DAYS)
    return moment + timedelta(days=7) if is_weekday and moment <= here else moment


def _next(here: datetime, at: time, step: timedelta) -> datetime:
    moment = datetime.combine(here.date(), at)
    return moment if moment > here else moment + step


def _day(words: str, today: date) -> tuple[date | None, str]:
    """The day at the beginning of the text, and the rest."""
    for name in sorted(_DAYS, key=len, reverse=True):
        if words == name or words.startswith(f"{name} "):
            return today + timedelta(days=_DAYS[name]), words[len(name) :].strip()
    first, _, rest = words.removeprefix("next ").partition(" ")
    for number, weekday in enumerate(_WEEKDAYS):
        if len(first) >= _SHORT and weekday.startswith(first):
            return today + timedelta(days=(number - today.weekday()) % 7), rest.strip()
    return None, words


def _time(words: str) -> time | None:
    found = _TIME.match(words)
    if found is None:
        return None
    hours, minutes, half, named = found.groups()
    if named:
        return time(12 if named == "noon" else 0)
    hour = int(hours)
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return time(hour, int(minutes or 0)) if hour < 24 and int(minutes or 0) < 60 else None
