"""R11 at CI size, and whether it notices what it is there for."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.trust.rows import r11

from everself.keepers import scheduler as schedule
from everself.keepers import slots
from everself.keepers.scheduler import Scheduler
from everself.keepers.slots import Times

pytestmark = [pytest.mark.trust, pytest.mark.timeout(3600)]
SEEDS = range(1_000_000, 1_000_012)


def lives(days: int = 30, *, apart: bool = False) -> None:
    """With `apart` only those whose rivals do not see one another's lock."""
    for seed in SEEDS:
        if not (apart and r11.Life(seed, days, "").shared):
            r11.live(seed, days)


def test_r11_each_slot_runs_once_or_is_written_down(seed: int) -> None:
    print(r11.run_r11(5, seed))


def test_r11_notices_slots_that_are_passed_over_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_skips", lambda *_, **__: [])
    with pytest.raises(AssertionError, match="nobody knows what became of"):
        lives(5)


def test_r11_notices_a_slot_that_is_taken_from_a_living_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scheduler, "_is_dead", lambda *_: True)
    with pytest.raises(AssertionError, match=r"by two at once|ran 2 times"):
        lives(apart=True)


def test_r11_notices_a_lease_without_a_lock_that_ends_in_a_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(r11, "FileLock", lambda _: r11.OpenLock())
    with pytest.raises(AssertionError, match=r"by two at once|ran 2 times"):
        lives()


def test_r11_notices_a_slot_that_anybody_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(jobs: r11.MortalJobs, _: object, run: r11.JobRun, *__: object) -> bool:
        return jobs.take(run) or True

    monkeypatch.setattr(r11.MortalJobs, "claim", taken)
    with pytest.raises(AssertionError):
        lives(5)


def test_r11_notices_slots_that_follow_no_change_of_the_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = slots._cron

    def by_one_offset(times: Times, after: datetime) -> Iterator[datetime]:
        offset = datetime(2026, 1, 1, tzinfo=UTC).astimezone(times.zone).utcoffset()
        assert offset is not None
        for slot in whole(Times(times.kind, times.spec, r11.ZoneInfo("UTC"), times.anchor), after + offset):
            yield slot - offset

    monkeypatch.setattr(slots, "_cron", by_one_offset)
    with pytest.raises(AssertionError):
        lives()


@pytest.mark.parametrize(
    ("spec", "moment", "comes"),
    [
        ("30 2 * * *", "2026-03-29T01:00+00:00", True),
        ("30 2 * * *", "2026-03-29T00:30+00:00", False),
        ("30 2 * * *", "2026-10-25T00:30+00:00", True),
        ("30 2 * * *", "2026-10-25T01:30+00:00", False),
        ("*/30 * * * *", "2026-10-25T01:30+00:00", True),
        ("0 18 * * 5", "2026-03-20T17:00+00:00", True),
        ("0 18 * * 5", "2026-03-19T17:00+00:00", False),
    ],
)
def test_the_judge_of_r11_knows_the_clocks(spec: str, moment: str, comes: bool) -> None:
    long_ago = "2020-01-01T00:00:00+00:00"
    job = r11.Job("1", "a job", "cron", spec, "Europe/Berlin", "verb", "test", long_ago, long_ago)
    assert r11.Judge(job, "Europe/Berlin").comes(datetime.fromisoformat(moment)) is comes
