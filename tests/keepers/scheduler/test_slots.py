"""When jobs are due: cron fields, moments and steps, through changes of the clocks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from everself.errors import WrongUse
from everself.keepers.slots import Kind, Times, missed, next_slot, read_times, wall_moment

BERLIN = ZoneInfo("Europe/Berlin")
BEFORE_LEAP = datetime(2026, 3, 28, 12, tzinfo=UTC)
BEFORE_RETURN = datetime(2026, 10, 24, 12, tzinfo=UTC)


def came(kind: Kind, spec: str, after: datetime, hours: float, zone: ZoneInfo = BERLIN) -> list[str]:
    times = Times(kind, spec, zone, after)
    return [f"{one:%d %H:%M}" for one in missed(times, after, after + timedelta(hours=hours), 100).slots]


def test_a_slot_comes_at_the_time_of_its_zone() -> None:
    seoul = ZoneInfo("Asia/Seoul")
    friday = datetime(2026, 3, 20, 12, tzinfo=seoul)
    times = read_times("cron", "0 18 * * 5", seoul, friday)
    assert next_slot(times, friday) == datetime(2026, 3, 20, 9, tzinfo=UTC)


def test_a_slot_that_the_clocks_leap_over_comes_once_at_the_leap() -> None:
    assert came("cron", "30 2 * * *", BEFORE_LEAP, 40) == ["29 01:00", "30 00:30"]
    assert came("cron", "0,30 2,3 * * *", BEFORE_LEAP, 16) == ["29 01:00", "29 01:30"]


def test_a_slot_that_comes_twice_is_taken_the_first_time() -> None:
    assert came("cron", "30 2 * * *", BEFORE_RETURN, 40) == ["25 00:30", "26 01:30"]


def test_asked_within_the_hour_that_comes_twice_no_slot_is_given_again() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    times = Times("cron", "30 2 * * *", BERLIN, BEFORE_RETURN)
    for minutes in range(0, 120, 7):
        assert next_slot(times, first + timedelta(minutes=minutes)) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_what_runs_all_the_while_follows_real_time_through_both_changes() -> None:
    assert len(came("cron", "*/30 * * * *", BEFORE_LEAP, 24)) == 48
    assert len(came("cron", "*/30 * * * *", BEFORE_RETURN, 24)) == 48


def test_a_leap_at_midnight_and_a_day_that_never_was() -> None:
    cairo = ZoneInfo("Africa/Cairo")
    assert came("cron", "0 0 * * *", datetime(2026, 4, 23, 12, tzinfo=UTC), 20, cairo) == ["23 22:00"]
    apia = ZoneInfo("Pacific/Apia")
    eve = datetime(2011, 12, 29, 12, tzinfo=UTC)
    assert came("cron", "0 12 * * *", eve, 60, apia) == ["29 22:00", "30 10:00", "30 22:00", "31 22:00"]


def test_a_moment_within_a_leap_is_the_leap() -> None:
    assert wall_moment(datetime(2026, 3, 29, 2, 30), BERLIN) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    times = read_times("at", "2026-03-29 02:30", BERLIN, BEFORE_LEAP)
    assert times.spec == "2026-03-29T01:00:00+00:00"


def test_moments_may_carry_an_offset_or_be_told_from_now() -> None:
    assert read_times("at", "2026-04-01T09:00+02:00", BERLIN, BEFORE_LEAP).spec == "2026-04-01T07:00:00+00:00"
    assert read_times("at", "20m", BERLIN, BEFORE_LEAP).spec == "2026-03-28T12:20:00+00:00"


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("in 2 hours", "2026-03-28T14:00:00+00:00"),
        ("in half an hour", "2026-03-28T12:30:00+00:00"),
        ("1 day and 3 hours", "2026-03-29T15:00:00+00:00"),
        # the clocks leap in that night
        ("tomorrow", "2026-03-29T07:00:00+00:00"),
        ("Tomorrow at 9", "2026-03-29T07:00:00+00:00"),
        ("tomorrow 9pm", "2026-03-29T19:00:00+00:00"),
        ("7pm", "2026-03-28T18:00:00+00:00"),
        ("9:00", "2026-03-29T07:00:00+00:00"),
        # a Saturday it is, and its morning is over
        ("saturday", "2026-04-04T07:00:00+00:00"),
        ("on friday at 18:30", "2026-04-03T16:30:00+00:00"),
    ],
)
def test_a_moment_may_be_told_as_people_do(said: str, moment: str) -> None:
    assert read_times("at", said, BERLIN, BEFORE_LEAP).spec == moment


def test_steps_are_counted_from_their_beginning() -> None:
    times = read_times("every", "1h30m", BERLIN, BEFORE_LEAP)
    late = BEFORE_LEAP + timedelta(hours=4)
    assert missed(times, BEFORE_LEAP, late, 10).slots == (
        BEFORE_LEAP + timedelta(minutes=90),
        BEFORE_LEAP + timedelta(minutes=180),
    )
    assert next_slot(times, late) == BEFORE_LEAP + timedelta(minutes=270)


def test_of_decades_of_slots_only_the_newest_are_named() -> None:
    times = read_times("cron", "* * * * *", BERLIN, BEFORE_LEAP)
    late = BEFORE_LEAP + timedelta(days=30_000)
    found = missed(times, BEFORE_LEAP, late, 5)
    assert found.slots == tuple(late - timedelta(minutes=number) for number in range(4, -1, -1))
    assert found.before == BEFORE_LEAP + timedelta(minutes=1)


def test_slots_are_the_same_however_often_one_looks() -> None:
    times = Times("cron", "*/7 1-4 * * *", BERLIN, BEFORE_LEAP)
    end = BEFORE_LEAP + timedelta(days=3)
    whole = missed(times, BEFORE_LEAP, end, 10_000).slots
    found: list[datetime] = []
    at = BEFORE_LEAP
    while at < end:
        step = at + timedelta(minutes=13)
        found += missed(times, at, min(step, end), 10_000).slots
        at = step
    assert tuple(found) == whole


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("cron", ""),
        ("cron", "0 18 * *"),
        ("cron", "0 0 18 * * 5"),
        ("cron", "60 * * * *"),
        ("cron", "0 0 31 2 *"),
        ("cron", "@daily"),
        ("cron", f"{'9' * 5000} * * * *"),
        ("every", "30s"),
        ("every", "often"),
        ("at", "some day"),
        ("at", "yesterday"),
        ("at", "today 8:00"),
        ("at", "tomorrow at 25"),
        ("at", "2020-01-01 09:00"),
    ],
)
def test_times_that_never_come_are_refused(kind: Kind, said: str) -> None:
    with pytest.raises(WrongUse):
        read_times(kind, said, BERLIN, BEFORE_LEAP)
