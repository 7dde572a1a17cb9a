"""Checks the schedule: jobs that nothing runs, and jobs that were disabled after failures."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from everself.clock import find_zone
from everself.identity.time_zone import user_zone
from everself.keepers.scheduler import HEARTBEAT
from everself.keepers.slots import Times, next_slot
from everself.operations.checklist import CHECKLIST, has_work
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import command, counted, listed, warning
from everself.operations.gateway import LOG, folder_of, is_running
from everself.storage.state.jobs import MOST_FAILURES
from everself.values import Finding, Job

# a machine may be off for a weekend
QUIET = timedelta(days=3)
# with a running gateway, a job that is late by this much is stuck
SOON = timedelta(hours=1)
WAKE = "Talk to it, or put into your crontab: */10 * * * * everself cron tick"


def check_jobs(case: Case) -> Iterator[Finding]:
    if case.state is None:
        return
    jobs = case.state.jobs.every()
    own = user_zone(case.agent.time_zone, case.documents.read.get("USER.md"))
    waiting = {job.name: since for job in jobs if job.enabled and (since := _due_since(case, job, own)) is not None}
    late = {name: since for name, since in waiting.items() if since < case.now.astimezone(UTC) - QUIET}
    if waiting and _gateway_is_down(case):
        words = f"The gateway does not run, and {counted(len(waiting), 'job')} came due: {listed(waiting)}."
        yield warning("gateway-down", words, "everself gateway start", case.database)
    elif late:
        days = (case.now - min(late.values())).days
        words = f"Nothing has run {counted(len(late), 'job')} that came due, for {days} days: {listed(late)}."
        yield warning("jobs-asleep", words, WAKE, case.database)
    for job in jobs:
        if not job.enabled and job.failures >= MOST_FAILURES:
            last = next(iter(case.state.jobs.runs(job.id, 1)), None)
            why = f": {last.detail}" if last is not None and last.detail else "."
            words = f"The job {job.name} failed {job.failures} times in a row and is disabled{why}"
            yield warning("job-disabled", words, command("everself", "cron", "enable", job.name), case.database)


def _due_since(case: Case, job: Job, own: ZoneInfo) -> datetime | None:
    """The first unfinished slot, if it is late. A heartbeat with an empty checklist is never late."""
    if job.name == HEARTBEAT and not has_work(case.documents.read.get(CHECKLIST)):
        return None
    zone = find_zone(job.zone) if job.zone else own
    times = Times(job.kind, job.spec, zone, datetime.fromisoformat(job.created_at))
    first = next_slot(times, datetime.fromisoformat(job.since))
    return first if first is not None and first < case.now.astimezone(UTC) - SOON else None


def _gateway_is_down(case: Case) -> bool:
    """Whether a gateway ran here before (it left a log) and does not run now."""
    return os.path.exists(os.path.join(folder_of(case.places), LOG)) and not is_running(case.places)
