"""Doctor on the schedule: it says when nothing woke a job, and which ones gave up."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.operations.doctor.doctoring import codes, found, settle_in

from everself.agent import open_runtime
from everself.clock import Clock, system_now
from everself.errors import WrongUse
from everself.keepers.scheduler import NewJob
from everself.operations.doctor import examine
from everself.storage.state.jobs import MOST_FAILURES


@pytest.fixture(autouse=True)
def _home() -> None:
    settle_in(Path(os.environ["HOME"]))


def add_job(ago: timedelta) -> None:
    with open_runtime() as app:
        app.clock = Clock(app.clock.zone, lambda: system_now() - ago)
        app.schedule.add(NewJob("tea", "every", "1h", "message", "Make tea."))


def test_jobs_that_nothing_wakes_are_told_with_how_to_wake_them() -> None:
    add_job(timedelta(days=5))
    told = found(examine(), "jobs-asleep")
    # those of the house came due as well, but the weekly ones perhaps not yet
    assert "jobs that came due, for 4 days: conflict-detector" in told.message
    assert "everself cron tick" in told.mend


def test_jobs_of_an_agent_that_was_met_lately_are_no_finding() -> None:
    add_job(timedelta(days=2))
    assert "jobs-asleep" not in codes(examine())


def test_a_job_that_gave_up_is_told_with_its_last_words() -> None:
    def fails(*_: object) -> str:
        raise WrongUse("No leaves.")

    add_job(timedelta(0))
    with open_runtime() as app:
        for _ in range(MOST_FAILURES):
            app.schedule.run("tea", fails)
    told = found(examine(), "job-disabled")
    assert "No leaves." in told.message
    assert told.mend == "everself cron enable tea"
