"""Operations on jobs: list, add, remove, history, and running those that are due. Knows no terminal.

A job sends a message to the agent in its own session, or runs one of the operations listed here. Its text is never treated as the owner's
statement. The agent's reply goes to the log of the day as its own words.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from everself.errors import WrongUse
from everself.keepers.scheduler import HEARTBEAT, NewJob, Skip, TickResult, exact
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import (
    Argument,
    NoRequest,
    Option,
    Request,
    Result,
    operation,
    owner_reads,
    terminal_writes,
)
from everself.operations.heartbeat import beat
from everself.operations.keepers import run_now
from everself.operations.unattended import allow, log_reply, new_session, say
from everself.runtime import Runtime
from everself.search.scopes import SessionKind
from everself.storage.state.jobs import MOST_FAILURES
from everself.text.normalise import one_line
from everself.values import Job, JobAction, JobKind, JobRun

CRONTAB: Final = "*/10 * * * * everself cron tick"
_RUNS: Final = 10
_TOLD: Final = "jobs told"
_NEW: Final = timedelta(days=1)
_SHOWN: Final = 200
_NAMED: Final = 5

Standing = Literal["waiting", "due", "running", "disabled", "failing", "over"]


class JobLine(Result):
    """A job with its next time and last run. `failing`: it was disabled after too many failures."""

    job: Job
    standing: Standing
    zone: str
    next_at: datetime | None = None
    last: JobRun | None = None


class JobView(Result):
    line: JobLine
    runs: tuple[JobRun, ...]


class JobNews(Result):
    """A run that a person should hear about: of a job that announces its result, or that was disabled."""

    job: Job
    run: JobRun


class NamedRun(Result):
    """A run with the name of its job."""

    name: str
    run: JobRun


class TickReport(Result):
    """The runs, and the names of their jobs by id."""

    done: TickResult
    names: Mapping[str, str]


class AddJobRequest(Request):
    name: Annotated[str, Option("How the job is called.", "NAME")]
    cron: Annotated[str, Option('Five fields: "minute hour day month weekday".', "FIELDS")] = ""
    at: Annotated[str, Option('Once: "tomorrow at 9", "in 2 hours", "friday 18:00", "2026-04-01 09:00".', "TIME")] = ""
    every: Annotated[str, Option("Again and again: 30m, 1h30m, 2d.", "STEP")] = ""
    tz: Annotated[str, Option("Whose clock, such as Asia/Seoul; yours unless given.", "ZONE")] = ""
    message: Annotated[str, Option("What is said to the agent.", "TEXT")] = ""
    verb: Annotated[str, Option('What is done instead, such as "memory promote".', "VERB")] = ""
    announce: Annotated[bool, Option("Report the result when the next chat begins.")] = False
    session: Annotated[Literal["isolated"], Option("A separate session, which is the only kind.")] = "isolated"


@terminal_writes("cron.add")
def add_job(app: Runtime, _: Caller, request: AddJobRequest) -> JobLine:
    """Add a job: when, and a message or an operation.

    A job's message is not your statement: the agent may answer it and use its memory, but it never becomes a fact about you.

    $ everself cron add --name Review --cron "0 18 * * 5" --verb "memory promote --review" --announce  # every Friday at six
    $ everself cron add --name Plan --cron "0 8 * * 1-5" --tz Asia/Seoul --message "What is on today?"  # a message
    $ everself cron add --name Call --at "tomorrow at 9" --message "Remind me of the call." --announce  # once
    """
    times: tuple[tuple[JobKind, str], ...] = (("cron", request.cron), ("at", request.at), ("every", request.every))
    chosen = [(kind, said) for kind, said in times if said]
    if len(chosen) != 1:
        raise WrongUse("A job needs one of --cron, --at and --every.", mend='--cron "0 18 * * 5"')
    if bool(request.message) == bool(request.verb):
        raise WrongUse("A job needs either --message or --verb.", mend='--message "What is on today?"')
    if request.verb:
        # an unknown operation is reported now, not when the job is due
        find_job_action(request.verb)
    kind, said = chosen[0]
    action: JobAction = "message" if request.message else "verb"
    words = request.message or request.verb
    return _line(app, app.schedule.add(NewJob(request.name, kind, said, action, words, request.tz, request.announce)))


@owner_reads("cron.list")
def list_jobs(app: Runtime, _: Caller, __: NoRequest) -> tuple[JobLine, ...]:
    """List the jobs, built-in ones first.

    $ everself cron list  # each with when it comes next and how it ended
    """
    return tuple(_line(app, job) for job in app.schedule.jobs.every())


class JobRequest(Request):
    name: Annotated[str, Argument("The name or the id of the job.", "NAME|ID")]


@owner_reads("cron.show")
def show_job(app: Runtime, _: Caller, request: JobRequest) -> JobView:
    """Show one job: its times, what it does, and its last runs.

    $ everself cron show memory-miner  # its times, its words and its last runs
    """
    job = app.schedule.jobs.find(request.name)
    return JobView(_line(app, job), tuple(app.state.jobs.runs(job.id, _RUNS)))


@operation("cron.rm", audience=Audience.OWNER_AT_TERMINAL, effect="destructive")
def remove_job(app: Runtime, _: Caller, request: JobRequest) -> Job:
    """Remove a job with its history; a built-in job can only be disabled.

    $ everself cron rm Plan  # the job and its history
    """
    return app.schedule.remove(request.name)


@terminal_writes("cron.enable", idempotent=True)
def enable_job(app: Runtime, _: Caller, request: JobRequest) -> JobLine:
    """Enable a job from now on, and reset its failures.

    $ everself cron enable memory-miner  # from now on
    """
    return _line(app, app.schedule.switch(request.name, enabled=True))


@terminal_writes("cron.disable", idempotent=True)
def disable_job(app: Runtime, _: Caller, request: JobRequest) -> JobLine:
    """Disable a job until it is enabled again.

    $ everself cron disable memory-miner  # until it is enabled again
    """
    return _line(app, app.schedule.switch(request.name, enabled=False))


@terminal_writes("cron.run")
def run_job(app: Runtime, _: Caller, request: JobRequest) -> JobRun:
    """Run a job now, regardless of its times. The exit code is 1 if it failed.

    $ everself cron run memory-miner  # now, and at its times as well
    """
    return app.schedule.run(request.name, lambda job, slot: perform(app, job, slot))


class RunsRequest(Request):
    name: Annotated[str, Argument("Only this job, by its name or id.", "[NAME|ID]")] = ""
    limit: Annotated[int, Option("How many at most.", ge=1, le=100_000)] = 20


@owner_reads("cron.history")
def list_runs(app: Runtime, _: Caller, request: RunsRequest) -> tuple[NamedRun, ...]:
    """List runs and skipped slots with the reason, newest first.

    Skipped heartbeats are listed only with the job's name, because there are many.

    $ everself cron history Plan --limit 5  # its last five slots
    """
    names = {job.id: job.name for job in app.schedule.jobs.every()}
    chosen = app.schedule.jobs.find(request.name).id if request.name else ""
    beats = next((one for one, name in names.items() if name == HEARTBEAT), "")
    runs = app.state.jobs.runs(chosen, request.limit, but_skipped_of="" if chosen else beats)
    return tuple(NamedRun(names[run.job], run) for run in runs if run.job in names)


@terminal_writes("cron.tick")
def tick(app: Runtime, _: Caller, __: NoRequest) -> TickReport:
    """Run what is due. Prints nothing if nothing is. Made for your system's crontab.

    Several at once do no harm: only one of them runs the jobs. The exit code is 1 if a job failed.

    $ everself cron tick  # run what is due
    $ (crontab -l; echo "*/10 * * * * everself cron tick") | crontab -  # by itself
    """
    done = app.schedule.tick(lambda job, slot: perform(app, job, slot))
    return TickReport(done, {job.id: job.name for job in app.schedule.jobs.every()} if done.runs else {})


def is_anything_due(app: Runtime) -> bool:
    """Whether jobs other than the heartbeat are due, so that a chat should run them."""
    return any(one.job.name != HEARTBEAT for one in app.schedule.due()) or app.schedule.unfinished()


def tell_news(app: Runtime) -> tuple[JobNews, ...]:
    """The runs since the last call that a person should hear about."""
    told, now = app.state.get_meta(_TOLD) or "", app.clock.now()
    if not told or told > exact(now):
        told = exact(now - _NEW)
    runs: list[JobRun] = []
    # read all pages: a day of heartbeats is more than one
    while page := app.state.jobs.ended(runs[-1].ended_at if runs else told):
        runs += page
    if not runs:
        return ()
    jobs = {job.id: job for job in app.state.jobs.every()}
    app.state.set_meta(_TOLD, runs[-1].ended_at)
    known = [JobNews(jobs[run.job], run) for run in runs if run.job in jobs]
    last = {one.job.id: one for one in known}
    return tuple(one for one in known if one.job.announce or (_has_failed(one.job) and last[one.job.id] == one))


def _line(app: Runtime, job: Job) -> JobLine:
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


# runs a turn, on its own event loop or on that of the process
Await = Callable[[Coroutine[Any, Any, str | Skip]], str | Skip]


def perform(app: Runtime, job: Job, slot: str, wait: Await = asyncio.run) -> str | Skip:
    """The result in one line, or why it was skipped. Raises if it failed. Blocks."""
    if job.action == "message":
        return wait(_say(app, job, slot))
    if job.standing and job.words == HEARTBEAT:
        return wait(beat(app, slot))
    action, rest = find_job_action(job.words)
    return action(app, rest)


def find_job_action(words: str) -> tuple[Callable[[Runtime, str], str], str]:
    """The operation named by these words, and the remaining words. Raises WrongUse if there is none."""
    said = " ".join(words.split())
    for name, action in JOB_ACTIONS.items():
        if said == name or said.startswith(f"{name} "):
            return action, said.removeprefix(name).strip()
    known = ", ".join(f'"{name}"' for name in JOB_ACTIONS)
    raise WrongUse(f'A job cannot do "{one_line(said, 60)}".', mend=f"A job can run {known}.")


async def _say(app: Runtime, job: Job, slot: str) -> str:
    await allow(app, SessionKind.CRON)
    reply = await say(app, new_session(app, SessionKind.CRON, "cron"), job.words)
    if not reply.text:
        return "It had nothing to say."
    await log_reply(app, job.name, reply, f"cron {job.id} {slot}")
    return f"{one_line(reply.text, _SHOWN)} (session {reply.session})"


def _keeper(app: Runtime, name: str) -> str:
    report = run_now(app, app.keepers.find(name))
    counts = f"{len(report.applied)} done, {len(report.queued)} to review, {len(report.refused)} refused"
    return one_line(". ".join((counts, *report.notes)), _SHOWN)


def _index(app: Runtime, _: str) -> str:
    from everself.operations.index import IndexRequest, update_index

    # nobody can confirm costs
    made = update_index(app, NOBODY, IndexRequest())
    waiting = f", {made.pending} wait" if made.pending else ""
    return f"{made.read} read, {made.removed} gone, {made.embedded} embedded{waiting}"


def _review(app: Runtime, _: str) -> str:
    from everself.operations.promotion import ask_owner

    waiting = len(ask_owner(app).queued)
    return f"{waiting} to decide: everself review" if waiting else "Nothing new to decide."


def _promote(app: Runtime, _: str) -> str:
    """List candidates without moving them, because nobody can confirm."""
    from everself.operations.promotion import PromoteRequest, find_candidates

    found = find_candidates(app, PromoteRequest())
    named = "; ".join(f"{one.text} ({one.citation})" for one in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return one_line(f"{len(found)} to promote: {named}", 5 * _SHOWN) + more if found else "Nothing to promote."


# a job runs for the owner, who is not present
NOBODY: Final = Caller(Audience.OWNER)
# longer names first where one begins like another
JOB_ACTIONS: Final[Mapping[str, Callable[[Runtime, str], str]]] = {
    "keepers run": _keeper,
    "memory index": _index,
    "memory promote --review": _review,
    "memory promote": _promote,
}
