"""Days, weeks, months, seasons and years as date ranges.

A day that does not exist, or lies outside the calendar, raises ValueError or OverflowError; callers treat it as "no date".
"""

import calendar
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, Literal, NamedTuple

Unit = Literal["day", "week", "weekend", "month", "quarter", "year"]
Season = Literal["spring", "summer", "autumn", "winter"]
Part = Literal["", "early", "mid", "late"]

# outside these years, four digits are more likely an amount than a year
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199
_SEASONS: Final[dict[Season, int]] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_PARTS: Final[dict[Part, tuple[int, int]]] = {"": (1, 31), "early": (1, 10), "mid": (11, 20), "late": (21, 31)}
_LEAP_CYCLE: Final = 8
_RECENT_DAYS: Final = 21


class DateRange(NamedTuple):
    first: date
    last: date
    certain: bool = True


def days(today: date, first_back: int, last_back: int, *, certain: bool = True) -> DateRange:
    return DateRange(today - timedelta(first_back), today - timedelta(last_back), certain)


def recently(today: date) -> DateRange:
    return days(today, _RECENT_DAYS, 0, certain=False)


def unit_back(today: date, unit: Unit, back: int) -> DateRange:
    """The calendar day, week (from Monday), weekend, month, quarter or year, `back` units before the current one."""
    monday = today - timedelta(today.weekday() + 7 * back)
    match unit:
        case "day":
            return days(today, back, back)
        case "week":
            return DateRange(monday, monday + timedelta(6))
        case "weekend":
            return DateRange(monday + timedelta(5), monday + timedelta(6))
        case "month":
            return _months(_index(today) - back, 1)
        case "quarter":
            return _months(_index(today) // 3 * 3 - 3 * back, 3)
        case "year":
            return year_span(today.year - back)


def ago(today: date, unit: Unit, count: int) -> DateRange:
    """About `count` units ago, less exact for longer units; a few units if the count is 0."""
    if not count:
        return DateRange(ago(today, unit, 7).first, ago(today, unit, 2).last, certain=False)
    match unit:
        case "week" | "weekend":
            return days(today, 7 * count + 3, 7 * count - 3, certain=False)
        case "month" | "quarter":
            middle = _same_day(today, count * (3 if unit == "quarter" else 1))
            return days(middle, 15, -15, certain=False)
        case "year":
            return year_span(today.year - count)._replace(certain=False)
        case "day":
            return days(today, count, count)


def past(today: date, unit: Unit, count: int) -> DateRange:
    """From `count` units ago until today; "a few" is read as five."""
    count = count or 5
    match unit:
        case "day":
            return days(today, count, 0)
        case "week" | "weekend":
            return days(today, 7 * count, 0)
        case "month" | "quarter":
            return DateRange(_same_day(today, count * (3 if unit == "quarter" else 1)), today)
        case "year":
            return DateRange(_same_day(today, 12 * count), today)


def bare_weekend(today: date) -> DateRange:
    """The weekend that began last."""
    return unit_back(today, "weekend", 0 if today.weekday() >= 5 else 1)._replace(certain=False)


def weekday(today: date, number: int, week_back: int | None) -> DateRange:
    """The weekday `week_back` weeks ago; without a number, the last one before today."""
    if week_back is not None:
        back = today.weekday() - number + 7 * week_back
        return days(today, back, back)
    back = (today.weekday() - number - 1) % 7 + 1
    return days(today, back, back, certain=False)


def last_weekday(today: date, number: int) -> Iterator[DateRange]:
    """If the weekday was earlier this week, "last" may mean this week's or last week's."""
    nearest = weekday(today, number, None)
    two = number < today.weekday()
    yield nearest._replace(certain=not two)
    if two:
        yield days(nearest.first, 7, 7, certain=False)


def year_span(year: int) -> DateRange:
    return DateRange(date(year, 1, 1), date(year, 12, 31))


def check_year(year: int) -> int:
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise ValueError(f"{year} is hardly a year")
    return year


def month(today: date, year: int | None, number: int, part: Part = "") -> DateRange:
    """A month or a part of it. Without a year, the latest one that has begun, which is a guess."""
    chosen = year
    if chosen is None:
        chosen = today.year if number <= today.month else today.year - 1
    length = calendar.monthrange(chosen, number)[1]
    first, last = _PARTS[part]
    return DateRange(
        date(chosen, number, first), date(chosen, number, min(last, length)), year is not None and not part
    )


def last_month_named(today: date, number: int) -> Iterator[DateRange]:
    """ "Last March" in May is this year's or the previous year's."""
    year = today.year if number < today.month else today.year - 1
    yield month(today, year, number)._replace(certain=year < today.year)
    if year == today.year:
        yield month(today, year - 1, number)._replace(certain=False)


def day_of_month(today: date, year: int | None, number: int, day: int) -> DateRange:
    if year is not None:
        return DateRange(date(year, number, day), date(year, number, day))
    for chosen in range(today.year, today.year - _LEAP_CYCLE - 1, -1):
        if day <= calendar.monthrange(chosen, number)[1] and date(chosen, number, day) <= today:
            return DateRange(date(chosen, number, day), date(chosen, number, day), certain=False)
    raise ValueError(f"no month {number} has a day {day}")


def day_in_either_order(today: date, one: int, other: int, year: int) -> Iterator[DateRange]:
    """5/7 is the fifth of July or May the seventh. Impossible dates are skipped, and future ones if the other is past."""
    orders = {(one, other), (other, one)}
    found = sorted(date(year, number, day) for number, day in orders if _exists(year, number, day))
    begun = [day for day in found if day <= today] or found
    for day in begun:
        yield DateRange(day, day, len(begun) == 1)


def quarter(today: date, year: int | None, number: int) -> DateRange:
    if not 1 <= number <= 4:
        raise ValueError(f"a year has no quarter {number}")
    start = (number - 1) * 3
    if year is not None:
        return _months(year * 12 + start, 3)
    chosen = today.year if start < today.month else today.year - 1
    return _months(chosen * 12 + start, 3)._replace(certain=False)


def season(today: date, year: int | None, name: Season, *, over: bool = False) -> Iterator[DateRange]:
    """A season of the northern hemisphere, with vague ends. A winter belongs to two years. `over`: the latest one that has ended."""
    start = _SEASONS[name] - 1
    if year is None:
        spans = (_months(chosen * 12 + start, 3) for chosen in (today.year, today.year - 1, today.year - 2))
        yield next(one for one in spans if (one.last < today if over else one.first <= today))._replace(certain=False)
        return
    for chosen in (year - 1, year) if name == "winter" else (year,):
        span = _months(chosen * 12 + start, 3)
        if span.first <= today or chosen < year or name != "winter":
            yield span._replace(certain=False)


def _index(day: date) -> int:
    return day.year * 12 + day.month - 1


def _months(index: int, count: int) -> DateRange:
    last = index + count - 1
    end = calendar.monthrange(last // 12, last % 12 + 1)[1]
    return DateRange(date(index // 12, index % 12 + 1, 1), date(last // 12, last % 12 + 1, end))


def _same_day(today: date, months_back: int) -> date:
    index = _index(today) - months_back
    year, number = index // 12, index % 12 + 1
    return date(year, number, min(today.day, calendar.monthrange(year, number)[1]))


def _exists(year: int, number: int, day: int) -> bool:
    return 1 <= number <= 12 and 1 <= day <= calendar.monthrange(year, number)[1]
