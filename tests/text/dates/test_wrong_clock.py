"""A machine whose clock is absurdly wrong: every day's arithmetic still has room."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.clock import Clock, bounded, find_zone, system_now
from everself.memory.writing import NewEntry
from everself.operations.setup import set_up
from everself.testing.origins import origin_of

MOMENTS = [
    datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
    datetime(9999, 1, 1, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime.max.replace(tzinfo=UTC),
    datetime.min.replace(tzinfo=UTC),
]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "UTC"])
def test_a_day_before_and_after_can_always_be_named(moment: datetime, zone: str) -> None:
    clock = Clock(find_zone(zone), lambda: moment)
    assert clock.today() - timedelta(days=1) < clock.today()
    assert clock.now() + timedelta(days=40_000) > clock.now()
    assert clock.now() - timedelta(days=300) < clock.now()
    assert len(clock.today().isoformat()) == 10


def test_a_sane_moment_is_left_alone() -> None:
    moment = datetime(2026, 3, 19, 9, 30, tzinfo=UTC)
    assert bounded(moment) == moment
    assert abs(system_now() - datetime.now(UTC)) < timedelta(minutes=5)


def test_memory_works_in_the_year_9999(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Far(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override] # the one zone that is asked for
            del tz
            return datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)

    monkeypatch.setattr("everself.clock.datetime", Far)
    with open_runtime(environ={"HOME": str(tmp_path)}) as app:
        set_up(app)
        entry = app.memory.remember(NewEntry("The ferry leaves at eight.", origin_of("owner"))).entry
        assert app.memory.catalog.get(entry).vouched
        app.forgetting.carry_out(app.forgetting.plan_for("ferry"))
        assert app.memory.catalog.find(entry) is None
