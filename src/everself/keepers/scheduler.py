"""The scheduler of one agent: finds due jobs, runs them once, records the result. Knows no keeper and no model.

One process at a time runs an agent's jobs, under a lock that ends with the process and survives suspension. Each slot is also claimed by a
row, in case another process does not see the lock.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from logging import INFO, WARNING
from typing import Final
from zoneinfo import ZoneInfo

from everself.clock import Clock, find_zone
from everself.config.sections import Tunables
from everself.config.setting_types import DAYS
from everself.errors import ChangedMeanwhile, EverselfError, LockTimeout, ModelFailed, RefusedByRule, WrongUse
from everself.frozen import Frozen
from everself.keepers.slots import SHORTEST_STEP, Missed, Times, missed, next_slot, read_times
from everself.logs import get_logger
from everself.storage.lock import FileLock, Lock
from everself.storage.state.database import State
from everself.storage.state.jobs import MOST_FAILURES, Jobs
from everself.values import Job, JobAction, JobKind, JobRun, RunState, new_id

_log = get_logger(__name__)

# maximum number of missed slots that are recorded individually
LOGGED: Final = 50
LEASE: Final = timedelta(minutes=10)
# a job settled this far ahead was settled by a wrong clock
FAR: Final = timedelta(days=7)
LONGEST_DETAIL: Final = 2_000
LONGEST_NAME: Final = 60
LONGEST_WORDS: Final = 10_000
_OLDER: Final = "A newer slot was due by the time the scheduler ran."
_RETIMED: Final = "The schedule was changed before it ran."
_DIED: Final = "The process that ran it died."


class Skip(Frozen):
    """The slot is skipped for this reason."""

    why: str


# Performs a job and returns one line about the result, or why there was nothing to do; raises on failure. The slot identifies this run.
JobFunction = Callable[[Job, str], str | Skip]


class NewJob(Frozen):
    """A job to be added. `said` is its schedule: a cron expression, a time or an interval."""

    name: str
    kind: JobKind
    said: str
    action: JobAction
    words: str
    zone: str = ""
    announce: bool = False
    standing: bool = False


class DueJob(Frozen):
    """A job with the slots that became due; only the newest one runs."""

    job: Job
    missed: Missed

    @property
    def slot(self) -> datetime:
        return self.missed.slots[-1]


class TickResult(Frozen):
    """The runs in order. `busy`: another process is running jobs, and nothing was done here."""

    runs: tuple[JobRun, ...] = ()
    busy: bool = False


class Scheduler:
    def __init__(self, jobs: Jobs, clock: Clock, lock: Lock) -> None:
        self.jobs = jobs
        self._clock = clock
        self._lock = lock
        self._holder = new_id()

    def add(self, request: NewJob) -> Job:
        name, words = " ".join(request.name.split()), request.words.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise WrongUse(f"A job needs a name of at most {LONGEST_NAME} characters.", mend='--name "Weekly review"')
        if not words or len(words) > LONGEST_WORDS:
            raise WrongUse(
                "A job needs an action, and a message that is not too long.", mend="--message TEXT or --verb NAME"
            )
        now = self._now()
        times = read_times(request.kind, request.said, self._zone(request.zone), now)
        at = _text(now)
        job = Job(
            new_id(), name, request.kind, times.spec, request.zone, request.action, words, at, at,
            announce=request.announce, standing=request.standing,
        )  # fmt: skip
        if not self.jobs.add(job):
            raise RefusedByRule(f'A job called "{name}" already exists.', mend=f'everself cron rm "{name}"')
        return job

    def install(self, requests: Sequence[NewJob]) -> None:
        """Install the built-in jobs with their current times. A disabled job stays disabled; one that the settings turn off is removed."""
        known = {one.name: one for one in self.jobs.every()}
        wanted = {request.name for request in requests}
        for gone in [one for one in known.values() if one.standing and one.name not in wanted]:
            self.jobs.remove(gone.id)
        for request in requests:
            found = known.get(request.name)
            if found is None:
                self.jobs.add(self._standing(request))
            elif found.standing and (found.kind, found.spec) != (request.kind, request.said):
                due = self._due(found) if found.enabled else None
                skipped = _skips(due.missed, _RETIMED) if due is not None else ()
                self.jobs.retime(found, replace(self._standing(request), since=_text(self._now())), skipped)

    def remove(self, name: str) -> Job:
        job = self.jobs.find(name)
        if job.standing:
            raise RefusedByRule(
                f"{job.name} is a built-in job and cannot be removed.", mend=f'everself cron disable "{job.name}"'
            )
        self.jobs.remove(job.id)
        return job

    def switch(self, name: str, *, enabled: bool) -> Job:
        job = self.jobs.find(name)
        # an enabled job starts from now: slots missed while it was disabled are skipped
        self.jobs.switch(job.id, enabled, _text(self._now()) if enabled and not job.enabled else job.since)
        return self.jobs.find(job.id)

    def next_of(self, job: Job) -> datetime | None:
        """The next slot; in the past if the job is due now."""
        return next_slot(self._times(job), datetime.fromisoformat(job.since)) if job.enabled else None

    def due(self) -> list[DueJob]:
        """The jobs that are due now."""
        found = [due for job in self.jobs.every() if job.enabled and (due := self._due(job)) is not None]
        return sorted(found, key=lambda one: one.slot)

    def unfinished(self) -> bool:
        """Whether a process died while running a job, so that it waits to be run again."""
        return any(self._is_dead(one) for one in self.jobs.under_way())

    def tick(self, function: JobFunction) -> TickResult:
        """Run the due jobs, each once. Does nothing if another process is running them."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self._lock.hold(0))
            except LockTimeout:
                _log.info("Another process runs the jobs.")
                return TickResult(busy=True)
            return TickResult(tuple(self._tick(function)))

    def run(self, name: str, function: JobFunction) -> JobRun:
        """Run a job now, regardless of its times and even if disabled; due slots stay due."""
        job = self.jobs.find(name)
        with self._lock.hold(1.0):
            now = self._now()
            # a fraction of a second, which no slot has
            run = self._lease(job, exact(now.replace(microsecond=now.microsecond or 1)))
            if not self.jobs.take(run):
                raise ChangedMeanwhile(f"{job.name} was just run by another process.")
            return self._carry_out(job, run, function)

    def _tick(self, function: JobFunction) -> Iterator[JobRun]:
        for dead in [one for one in self.jobs.under_way() if self._is_dead(one)]:
            yield from self._succeed(dead, function)
        for job in self.jobs.every():
            if job.enabled and job.since > _text(self._now() + FAR):
                # otherwise the job would not run until then; slots with a row do not run again
                self.jobs.rewind(job, _text(self._now()))
        for due in self.due():
            run = self._lease(due.job, _text(due.slot))
            if self.jobs.claim(due.job, run, _skips(due.missed, _OLDER, but_last=True)):
                yield self._carry_out(due.job, run, function)

    def _succeed(self, dead: JobRun, function: JobFunction) -> Iterator[JobRun]:
        """Rerun a job whose process died, unless it is too late, disabled, or has crashed too often."""
        job = next((one for one in self.jobs.every() if one.id == dead.job), None)
        if job is None or not job.enabled or job.failures + 1 >= MOST_FAILURES or self._due(job) is not None:
            ended = replace(dead, state="failed", ended_at=exact(self._now()), detail=_DIED)
            if self.jobs.end(ended):
                yield ended
            return
        run = self._lease(job, dead.slot)
        if self.jobs.take_over(dead, run):
            yield self._carry_out(job, run, function)

    def _is_dead(self, run: JobRun) -> bool:
        now = self._now()
        # a lease beyond the maximum was made before the clock was set back
        return run.until < exact(now) or run.until > exact(now + 2 * LEASE)

    def _carry_out(self, job: Job, run: JobRun, function: JobFunction) -> JobRun:
        state: RunState = "failed"
        detail = "It was stopped."
        try:
            with self._renewing(run):
                result = function(job, run.slot)
            state, detail = ("skipped", result.why) if isinstance(result, Skip) else ("done", result)
        except EverselfError as error:
            spent = isinstance(error, ModelFailed) and error.reason == "spend"
            state, detail = "skipped" if spent else "failed", str(error)
        except Exception as error:  # noqa: BLE001 — the fence of the job worker
            detail = f"Internal error in Everself: {type(error).__name__}: {error}"
        finally:
            ended = replace(run, state=state, ended_at=exact(self._now()), detail=detail.strip()[:LONGEST_DETAIL])
            self.jobs.end(ended)
            # by id, because names are the user's words
            _log.log(WARNING if state == "failed" else INFO, "Job %s of slot %s: %s.", job.id, run.slot, state)
        return ended

    @contextmanager
    def _renewing(self, run: JobRun) -> Iterator[None]:
        over = threading.Event()

        def renew() -> None:
            while not over.wait(LEASE.total_seconds() / 3):
                self.jobs.renew(run, exact(self._now() + LEASE))

        renewing = threading.Thread(target=renew, name="lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            over.set()
            renewing.join()

    def _due(self, job: Job) -> DueJob | None:
        since, now = datetime.fromisoformat(job.since), self._now()
        if since >= now:
            # a clock that was set back does not repeat slots
            return None
        found = missed(self._times(job), since, now, LOGGED)
        return DueJob(job, found) if found.slots else None

    def _lease(self, job: Job, slot: str) -> JobRun:
        now = self._now()
        return JobRun(job.id, slot, "running", self._holder, exact(now + LEASE), exact(now), "", "")

    def _standing(self, request: NewJob) -> Job:
        at = _text(self._now())
        return Job(
            new_id(), request.name, request.kind, request.said, "", request.action, request.words, at, at, standing=True
        )

    def _times(self, job: Job) -> Times:
        return Times(job.kind, job.spec, self._zone(job.zone), datetime.fromisoformat(job.created_at))

    def _zone(self, name: str) -> ZoneInfo:
        return find_zone(name) if name else self._clock.zone

    def _now(self) -> datetime:
        return self._clock.now().astimezone(UTC)


def _skips(found: Missed, why: str, *, but_last: bool = False) -> list[tuple[str, str]]:
    slots = found.slots[:-1] if but_last else found.slots
    told = [(_text(slot), why) for slot in slots]
    if found.before is not None:
        first, last = _text(found.before), _text(found.slots[0])
        told.insert(0, (first, f"{why} The same holds for all slots up to {last}."))
    return told


def _text(moment: datetime) -> str:
    """The text form of slots."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def exact(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


LOCK: Final = "schedule.lock"
# half an hour after the Compactor's default time, so that there is something to clean
HYGIENE: Final = "30 3 * * 0"
# A correction acts at once; what it left open is checked once a day, after the other keepers.
VALIDATION: Final = "30 7 * * *"


# the job whose turns have their own kind of session
HEARTBEAT: Final = "heartbeat"


def open_schedule(state: State, folder: str, clock: Clock, tunables: Tunables, beat: timedelta) -> Scheduler:
    """`folder` is the agent's state folder, `beat` the interval of heartbeats."""
    made = Scheduler(state.jobs, clock, FileLock(f"{folder}/{LOCK}"))
    made.install(tuple(standing(tunables, beat)))
    return made


def standing(tunables: Tunables, beat: timedelta) -> Iterator[NewJob]:
    """The built-in jobs, in the order of the day. A `beat` of zero disables the heartbeat."""
    yield _keeper("soul-keeper", _daily(tunables.cron_soul_keeper))
    yield _keeper("memory-compactor", _weekly(tunables.cron_compactor_weekly))
    yield NewJob("vector-hygiene", "cron", HYGIENE, "verb", "memory index", standing=True)
    yield _keeper("memory-miner", _daily(tunables.cron_memory_miner))
    yield _keeper("conflict-detector", _daily(tunables.cron_conflict_detector))
    yield _keeper("recall-validator", VALIDATION)
    if beat:
        yield NewJob(HEARTBEAT, "every", f"{max(1, round(beat / SHORTEST_STEP))}m", "verb", HEARTBEAT, standing=True)


def _keeper(name: str, spec: str) -> NewJob:
    return NewJob(name, "cron", spec, "verb", f"keepers run {name}", standing=True)


def _daily(time: str) -> str:
    hour, _, minute = time.partition(":")
    return f"{int(minute)} {int(hour)} * * *"


def _weekly(said: str) -> str:
    day, _, time = said.partition(" ")
    # cron weeks begin on Sunday
    return _daily(time).removesuffix("*") + str((DAYS.index(day.casefold()) + 1) % len(DAYS))
