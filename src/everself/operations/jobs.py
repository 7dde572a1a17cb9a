"""The verbs over jobs: what there is, one more, one less, what ran, and running what is due. Knows no terminal."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from everself.errors import WrongUse
from everself.keepers.scheduler import JobRequest, TickReport, exact
from everself.operations.job_actions import find_deed, perform
from everself.storage.state.jobs import MOST_FAILURES
from everself.values import Job, JobRun

if TYPE_CHECKING:
    from everself.runtime import Runtime

_RUNS: Final = 10
_TOLD: Final = "jobs told"
_NEW: Final = timedelta(days=1)

Standing = Literal["waiting", "due", "running", "disabled", "failing", "over"]


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job as it stands: when it comes next and how it ended last. `failing`: it failed too often and was disabled."""

    job: Job
    standing: Standing
    zone: str
    next_at: datetime | None = None
    last: JobRun | None = None


@dataclass(frozen=True, slots=True)
class JobView:
    line: JobLine
    runs: tuple[JobRun, ...]


@dataclass(frozen=True, slots=True)
class JobNews:
    """What a person should hear of: a job that announces what came of it, or one that was disabled."""

    job: Job
    run: JobRun


def add_job(app: "Runtime", wish: JobRequest) -> JobLine:
    if wish.action == "verb":
        # a verb that is none is told now, and not tonight
        find_deed(wish.words)
    return _line(app, app.schedule.add(wish))


def list_jobs(app: "Runtime") -> tuple[JobLine, ...]:
    return tuple(_line(app, job) for job in app.schedule.jobs.every())


def show_job(app: "Runtime", name: str) -> JobView:
    job = app.schedule.jobs.find(name)
    return JobView(_line(app, job), tuple(app.state.jobs.runs(job.id, _RUNS)))


def remove_job(app: "Runtime", name: str) -> Job:
    """The job and its history; one of the house can only be disabled."""
    return app.schedule.remove(name)


def enable_job(app: "Runtime", name: str) -> JobLine:
    """From now on; its failures are forgiven."""
    return _line(app, app.schedule.switch(name, enabled=True))


def disable_job(app: "Runtime", name: str) -> JobLine:
    return _line(app, app.schedule.switch(name, enabled=False))


def run_job(app: "Runtime", name: str) -> JobRun:
    """Now, whatever its times are."""
    return app.schedule.run(name, lambda job, slot: perform(app, job, slot))


def list_runs(app: "Runtime", name: str = "", limit: int = 20) -> tuple[tuple[str, JobRun], ...]:
    """The newest first, each with its job's name."""
    if limit < 1:
        raise WrongUse("A list has one line at least.")
    jobs = {job.id: job for job in app.schedule.jobs.every()}
    chosen = app.schedule.jobs.find(name).id if name else ""
    return tuple((jobs[run.job].name, run) for run in app.state.jobs.runs(chosen, limit) if run.job in jobs)


def tick(app: "Runtime") -> TickReport:
    """Run what is due. Made to be called often."""
    return app.schedule.tick(lambda job, slot: perform(app, job, slot))


def is_anything_due(app: "Runtime") -> bool:
    return bool(app.schedule.due()) or app.schedule.unfinished()


def tell_news(app: "Runtime") -> tuple[JobNews, ...]:
    """What came of jobs since somebody was last told, once."""
    told, now = app.state.get_meta(_TOLD) or "", app.clock.now()
    if not told or told > exact(now):
        told = exact(now - _NEW)
    runs = app.state.jobs.ended(told)
    if not runs:
        return ()
    jobs = {job.id: job for job in app.state.jobs.every()}
    app.state.set_meta(_TOLD, runs[-1].ended_at)
    known = [JobNews(jobs[run.job], run) for run in runs if run.job in jobs]
    last = {one.job.id: one for one in known}
    return tuple(one for one in known if one.job.announce or (_has_failed(one.job) and last[one.job.id] == one))


def _line(app: "Runtime", job: Job) -> JobLine:
    last = next(iter(app.state.jobs.runs(job.id, 1)), None)
    coming = app.schedule.next_of(job)
    standing: Standing = "waiting"
    if last is not None and last.state == "running":
        standing = "running"
    elif _has_failed(job):
        standing = "failing"
    elif job.kind == "at" and (coming is None or not job.enabled) and last is not None:
        standing = "over"
    elif not job.enabled:
        standing = "disabled"
    elif coming is not None and coming <= app.clock.now():
        standing = "due"
    zone = job.zone or app.clock.zone.key
    return JobLine(job, standing, zone, coming.astimezone(app.clock.zone) if coming is not None else None, last)


def _has_failed(job: Job) -> bool:
    return not job.enabled and job.failures >= MOST_FAILURES
