"""Jobs in their slots: taken once, passed over in writing, taken over from the dead, and stopped when they fail too often."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from everself.errors import ChangedMeanwhile, ModelFailed, NotFound, RefusedByRule, WrongUse
from everself.keepers.scheduler import FAR, LEASE, LOGGED, NewJob, Scheduler
from everself.storage.lock import FileLock
from everself.storage.state.database import State, open_state
from everself.storage.state.jobs import MOST_FAILURES
from everself.testing.frozen_time import FrozenTime
from everself.values import Job

DAILY = NewJob("tea", "cron", "0 6 * * *", "message", "Make tea.")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def time() -> FrozenTime:
    return FrozenTime()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(str(tmp_path / "state.db"), b"k" * 32) as opened:
        yield opened


@pytest.fixture
def schedule(state: State, time: FrozenTime, tmp_path: Path) -> Scheduler:
    return Scheduler(state.jobs, time.clock("Europe/Berlin"), FileLock(str(tmp_path / "schedule.lock")))


def said(job: Job, _: str) -> str:
    return f"{job.name} is done"


def fails(*_: object) -> str:
    raise WrongUse("No leaves.")


def states(schedule: Scheduler, job: Job) -> list[tuple[str, str]]:
    return [(run.slot[5:16], run.state) for run in reversed(schedule.jobs.runs(job.id))]


def test_a_new_job_waits_for_its_first_slot_and_runs_it_once(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(DAILY)
    assert schedule.tick(said).runs == ()
    time.advance(DAY)
    (run,) = schedule.tick(said).runs
    assert (run.slot, run.state, run.detail) == ("2026-03-20T05:00:00+00:00", "done", "tea is done")
    assert schedule.tick(said).runs == ()
    assert schedule.next_of(schedule.jobs.find("tea")) is not None
    assert states(schedule, job) == [("03-20T05:00", "done")]


def test_of_the_slots_that_were_slept_through_the_newest_runs_and_the_others_are_written_down(
    schedule: Scheduler, time: FrozenTime
) -> None:
    job = schedule.add(replace(DAILY, said="0 * * * *"))
    time.advance(4 * HOUR)
    (run,) = schedule.tick(said).runs
    assert run.slot == "2026-03-19T13:00:00+00:00"
    assert [one for _, one in states(schedule, job)] == ["skipped", "skipped", "skipped", "done"]
    assert "newer slot" in schedule.jobs.runs(job.id)[-1].detail


def test_more_slots_than_anybody_reads_are_told_in_one_line(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(replace(DAILY, said="* * * * *"))
    time.advance(8 * HOUR)
    schedule.tick(said)
    runs = schedule.jobs.runs(job.id, 1_000)
    assert len(runs) == LOGGED + 1
    assert runs[-1].slot == "2026-03-19T09:31:00+00:00"
    assert "up to 2026-03-19T16:41:00+00:00" in runs[-1].detail


def test_of_a_job_that_runs_for_years_the_newest_rows_are_kept(
    schedule: Scheduler, time: FrozenTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.storage.state.jobs.MOST_RUNS", 3)
    job = schedule.add(DAILY)
    for _ in range(6):
        time.advance(DAY)
        schedule.tick(said)
    assert [slot for slot, _ in states(schedule, job)] == [f"03-{day}T05:00" for day in (22, 23, 24, 25)]


def test_a_clock_that_is_set_back_runs_no_slot_again(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(DAILY)
    time.advance(DAY)
    schedule.tick(said)
    time.advance(-6 * HOUR)
    for _ in range(8):
        time.advance(HOUR)
        schedule.tick(said)
    assert states(schedule, job) == [("03-20T05:00", "done")]
    time.advance(DAY)
    assert len(schedule.tick(said).runs) == 1


def test_a_clock_that_was_years_ahead_does_not_silence_a_job_until_then(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(DAILY)
    time.advance(4_000 * DAY)
    schedule.tick(said)
    time.advance(-4_000 * DAY)
    assert schedule.jobs.find(job.id).since > (time() + FAR).isoformat()
    schedule.tick(said)
    time.advance(2 * DAY)
    (run,) = schedule.tick(said).runs
    assert run.slot == "2026-03-21T05:00:00+00:00"


def test_five_failures_in_a_row_disable_a_job_and_success_forgives(schedule: Scheduler, time: FrozenTime) -> None:
    schedule.add(DAILY)
    for number in range(MOST_FAILURES + 2):
        time.advance(DAY)
        assert len(schedule.tick(said if number == 1 else fails).runs) == 1
    assert not schedule.jobs.find("tea").enabled
    time.advance(DAY)
    assert schedule.tick(said).runs == ()
    assert schedule.switch("tea", enabled=True).failures == 0
    assert schedule.tick(said).runs == ()
    time.advance(DAY)
    assert len(schedule.tick(said).runs) == 1


def test_a_day_that_is_spent_is_a_slot_passed_over_and_no_failure(schedule: Scheduler, time: FrozenTime) -> None:
    def spent(*_: object) -> str:
        raise ModelFailed("The day is spent.", reason="spend")

    job = schedule.add(DAILY)
    time.advance(DAY)
    schedule.tick(spent)
    assert states(schedule, job) == [("03-20T05:00", "skipped")]
    assert schedule.jobs.find("tea").failures == 0


def test_what_breaks_in_one_job_does_not_keep_the_next_from_running(schedule: Scheduler, time: FrozenTime) -> None:
    def breaks(job: Job, slot: str) -> str:
        if job.name == "tea":
            raise KeyError("kettle")
        return said(job, slot)

    schedule.add(DAILY)
    schedule.add(replace(DAILY, name="coffee"))
    time.advance(DAY)
    broken, fine = schedule.tick(breaks).runs
    assert (broken.state, fine.state) == ("failed", "done")
    assert "KeyError" in broken.detail


def test_what_a_person_stops_is_written_down_as_stopped(schedule: Scheduler) -> None:
    def stopped(*_: object) -> str:
        raise KeyboardInterrupt

    job = schedule.add(DAILY)
    with pytest.raises(KeyboardInterrupt):
        schedule.run("tea", stopped)
    assert schedule.jobs.runs(job.id)[0].detail == "It was stopped."


def test_while_one_process_runs_jobs_another_does_nothing(schedule: Scheduler, time: FrozenTime, state: State) -> None:
    rival = Scheduler(state.jobs, time.clock(), schedule._lock)
    met = []

    def meet(job: Job, slot: str) -> str:
        # even after a sleep that outlasts any lease
        time.advance(8 * HOUR)
        met.append(rival.tick(said))
        return said(job, slot)

    schedule.add(DAILY)
    time.advance(DAY)
    (run,) = schedule.tick(meet).runs
    assert run.state == "done"
    assert [one.busy for one in met] == [True]


def test_the_slot_of_a_dead_holder_is_taken_over_once_its_lease_is_over(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(DAILY)
    time.advance(DAY)
    (due,) = schedule.due()
    run = schedule._lease(due.job, "2026-03-20T05:00:00+00:00")
    assert schedule.jobs.claim(due.job, run)
    assert not schedule.jobs.claim(due.job, run)
    assert schedule.tick(said).runs == ()
    time.advance(LEASE + timedelta(seconds=1))
    assert schedule.unfinished()
    (again,) = schedule.tick(said).runs
    assert (again.slot, again.state) == (run.slot, "done")
    assert states(schedule, job) == [("03-20T05:00", "done")]
    assert not schedule.jobs.end(replace(run, holder="somebody else", state="done"))


def test_a_dead_holder_whose_slot_is_old_is_written_down_as_failed(schedule: Scheduler, time: FrozenTime) -> None:
    job = schedule.add(DAILY)
    time.advance(DAY)
    (due,) = schedule.due()
    schedule.jobs.claim(due.job, schedule._lease(due.job, "2026-03-20T05:00:00+00:00"))
    time.advance(DAY)
    schedule.tick(said)
    assert states(schedule, job) == [("03-20T05:00", "failed"), ("03-21T05:00", "done")]


def test_a_lease_from_before_the_clock_was_set_back_is_dead(schedule: Scheduler, time: FrozenTime) -> None:
    schedule.add(DAILY)
    time.advance(DAY)
    (due,) = schedule.due()
    schedule.jobs.claim(due.job, schedule._lease(due.job, "2026-03-20T05:00:00+00:00"))
    time.advance(-2 * HOUR)
    assert len(schedule.tick(said).runs) == 1


def test_a_lease_is_renewed_while_the_job_runs(schedule: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    from everself.clock import pause
    from everself.keepers import scheduler as module

    monkeypatch.setattr(module, "LEASE", timedelta(seconds=0.03))
    renewed = []
    monkeypatch.setattr(schedule.jobs, "renew", lambda run, until: renewed.append((run.slot, until)))

    def slow(*_: object) -> str:
        for _ in range(30_000):
            if len(renewed) > 1:
                break
            pause(0.01)
        return ""

    schedule.add(DAILY)
    schedule.run("tea", slow)
    assert len(renewed) > 1


def test_a_job_can_be_run_at_any_time_and_what_is_due_stays_due(schedule: Scheduler, time: FrozenTime) -> None:
    schedule.add(DAILY)
    time.advance(DAY)
    assert schedule.run("tea", said).state == "done"
    with pytest.raises(ChangedMeanwhile):
        schedule.run("tea", said)
    time.advance(timedelta(seconds=1))
    assert schedule.run("tea", fails).state == "failed"
    assert len(schedule.tick(said).runs) == 1


def test_what_was_asked_for_once_is_done_once(schedule: Scheduler, time: FrozenTime) -> None:
    schedule.add(replace(DAILY, kind="at", said="20m"))
    time.advance(HOUR)
    assert len(schedule.tick(said).runs) == 1
    assert not schedule.jobs.find("tea").enabled


def test_the_jobs_of_the_house_follow_their_settings_and_are_not_removed(schedule: Scheduler, time: FrozenTime) -> None:
    early = replace(DAILY, standing=True)
    schedule.install([early])
    schedule.install([early])
    (job,) = schedule.jobs.every()
    time.advance(DAY)
    schedule.install([replace(early, said="0 12 * * *")])
    assert schedule.jobs.find("tea").spec == "0 12 * * *"
    assert states(schedule, job) == [("03-20T05:00", "skipped")]
    assert schedule.tick(said).runs == ()
    with pytest.raises(RefusedByRule, match="built-in job"):
        schedule.remove("tea")
    schedule.switch("tea", enabled=False)
    schedule.install([replace(early, said="0 12 * * *")])
    assert not schedule.jobs.find("tea").enabled


def test_names_are_taken_once_and_unknown_ones_are_told(schedule: Scheduler) -> None:
    job = schedule.add(DAILY)
    with pytest.raises(RefusedByRule, match="already"):
        schedule.add(DAILY)
    for wrong in (replace(DAILY, name=" "), replace(DAILY, name="x" * 61), replace(DAILY, name="b", words=" ")):
        with pytest.raises(WrongUse):
            schedule.add(wrong)
    assert schedule.jobs.find(job.id[:5].lower()) == job
    schedule.remove("tea")
    with pytest.raises(NotFound):
        schedule.jobs.find("tea")
