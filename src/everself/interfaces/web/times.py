"""When something runs, in words. Knows no job: what it cannot say simply stays as it is written."""

from typing import Final

from everself.config.setting_types import DAYS, parse_time, parse_weekly
from everself.interfaces.web.phrases import counted, phrase

# minute, hour, day of the month, month, day of the week
_FIELDS: Final = 5
_DIGITS: Final = 4
_UNITS: Final = {"m": "times.minutes", "h": "times.hours", "d": "times.days"}


def said_times(written: str) -> str:
    """`30 2 * * *`, `02:30`, `Sunday 03:00` and `30m` in words; empty for anything else."""
    time = parse_time(written)
    if time is not None:
        return _at(*time)
    weekly = parse_weekly(written)
    if weekly is not None:
        return _at(weekly[1], weekly[2], weekly[0])
    fields = written.split()
    if len(fields) == _FIELDS:
        return _cron(fields)
    number, unit = written[:-1], written[-1:]
    return counted(_UNITS[unit], int(number)) if _is_number(number) and unit in _UNITS else ""


def _cron(fields: list[str]) -> str:
    minute, hour, *every, day = fields
    if every != ["*", "*"] or not (_is_number(minute) and _is_number(hour)):
        return ""
    if day == "*":
        return _at(int(hour), int(minute))
    # a week of cron begins on Sunday, which is 0 and 7
    return _at(int(hour), int(minute), (int(day) - 1) % len(DAYS)) if _is_number(day) else ""


def _at(hour: int, minute: int, day: int | None = None) -> str:
    time = f"{hour:02}:{minute:02}"
    return phrase("times.daily", time=time) if day is None else phrase(f"times.{DAYS[day]}", time=time)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
