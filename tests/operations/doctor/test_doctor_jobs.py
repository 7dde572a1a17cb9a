"""Doctor on the schedule: it says when nothing woke a job, and which ones gave up."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.operations.doctor.doctoring import codes, found, settle_in
from tests.operations.homes import HOME

from everself.agent import open_runtime
from everself.clock import Clock, system_now
from everself.errors import WrongUse
from everself.keepers.scheduler import NewJob
from everself.operations.doctor import examine
from everself.operations.gateway import LOG, only_gateway
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


def use_gateway() -> None:
    with only_gateway(HOME.places) as folder:
        Path(folder, LOG).write_text("")


def test_a_gateway_that_is_down_while_jobs_wait_is_told() -> None:
    add_job(timedelta(hours=3))
    assert "gateway-down" not in codes(examine())
    use_gateway()
    told = found(examine(), "gateway-down")
    assert ("tea" in told.message, told.mend) == (True, "everself gateway start")
    with only_gateway(HOME.places):
        assert "gateway-down" not in codes(examine())


def test_a_gateway_that_is_down_is_no_finding_while_nothing_waits() -> None:
    # the heartbeat is due, but has nothing to do
    with open_runtime() as app:
        app.clock = Clock(app.clock.zone, lambda: system_now() - timedelta(hours=2))
        app.schedule.switch("heartbeat", enabled=True)
        for job in app.schedule.jobs.every():
            if job.name != "heartbeat":
                app.schedule.switch(job.name, enabled=False)
    use_gateway()
    assert "gateway-down" not in codes(examine())
    with open_runtime() as app:
        checklist = Path(app.agent.workspace, "HEARTBEAT.md")
    checklist.write_text("- Look at the mail.\n")
    assert "heartbeat" in found(examine(), "gateway-down").message
