"""Times of jobs and keepers in words; what has no simple words stays as it is written."""

import pytest

from everself.interfaces.web.times import said_times


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("30 2 * * *", "every day at 02:30"),
        ("0 3 * * 0", "every Sunday at 03:00"),
        ("0 3 * * 7", "every Sunday at 03:00"),
        ("5 4 * * 1", "every Monday at 04:05"),
        ("02:30", "every day at 02:30"),
        ("Sunday 03:00", "every Sunday at 03:00"),
        ("30m", "every 30 minutes"),
        ("1h", "every hour"),
        ("2d", "every 2 days"),
    ],
)
def test_simple_times_are_said(written: str, said: str) -> None:
    assert said_times(written) == said


@pytest.mark.parametrize(
    "written",
    ["", "*/5 * * * *", "0 9 1 * *", "0 9 * 6 *", "0 9 * * 1-5", "tomorrow at 9", "٣m", "1h30m", "m", "9" * 500 + "m"],
)
def test_others_are_left_as_they_are_written(written: str) -> None:
    assert said_times(written) == ""
