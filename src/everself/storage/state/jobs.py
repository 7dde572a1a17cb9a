"""Rows of jobs and their slots: who claimed a slot, until when, and the result. Does not define what a slot is.

Times are UTC text in one fixed form, so that they compare as strings.
"""

import json
from collections.abc import Sequence
from typing import Final

from everself.errors import NotFound, WrongUse
from everself.storage.engine import Engine, Row, Writer
from everself.storage.state._queries import load_queries
from everself.values import Job, JobRun

_SQL = load_queries("jobs")

# consecutive failures that disable a job
MOST_FAILURES: Final = 5
# limited by number, not by age: a clock that was wrong for a moment must not erase the history
MOST_RUNS: Final = 50_000

# skipped slots, each with the reason
Skips = Sequence[tuple[str, str]]


class Jobs:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, job: Job) -> bool:
        """Store a new job. Returns False if the name is taken."""
        told = (job.id, job.name, job.kind, job.spec, job.zone, job.action, job.words)
        options = json.dumps({"announce": job.announce, "standing": job.standing})
        values = (*told, options, int(job.enabled), job.failures, job.created_at, job.since)
        return bool(self._engine.write(lambda writer: writer.run(_SQL["add_job"], values)))

    def every(self) -> list[Job]:
        """All jobs in the order in which they were added."""
        return [_job(row) for row in self._engine.read(_SQL["jobs"])]

    def find(self, name: str) -> Job:
        """Find a job by its name, its id or a unique beginning of its id."""
        found = [_job(row) for row in self._engine.read(_SQL["find_jobs"], (name,))] if name else []
        if not found:
            raise NotFound(f'job "{name[:60]}".', mend="everself cron list")
        if len(found) > 1 and name not in (found[0].name, found[0].id):
            raise WrongUse(f'"{name[:60]}" is ambiguous: {", ".join(one.id for one in found)}.')
        return found[0]

    def remove(self, identity: str) -> None:
        """Remove the job and its history."""
        self._engine.write(
            lambda writer: (writer.run(_SQL["remove_job"], (identity,)), writer.run(_SQL["remove_runs"], (identity,)))
        )

    def switch(self, identity: str, enabled: bool, now: str) -> None:
        self._engine.write(lambda writer: writer.run(_SQL["switch"], (identity, int(enabled), now)))

    def retime(self, seen: Job, new: Job, skipped: Skips) -> bool:
        """Give the job the schedule of `new`. Returns False if another process changed the job first."""

        def settle(writer: Writer) -> bool:
            if not writer.run(_SQL["retime"], (seen.id, seen.since, new.kind, new.spec, new.since)):
                return False
            _skip(writer, seen.id, new.since, skipped)
            return True

        return self._engine.write(settle)

    def claim(self, seen: Job, run: JobRun, skipped: Skips = ()) -> bool:
        """Claim a slot and settle those before it as skipped, each with its reason. Returns False if another process was faster."""

        def settle(writer: Writer) -> bool:
            if not writer.run(_SQL["settle"], (seen.id, seen.since, run.slot)):
                return False
            _skip(writer, seen.id, run.began_at, skipped)
            writer.run(_SQL["prune"], (seen.id, MOST_RUNS))
            return bool(_take(writer, run))

        return self._engine.write(settle)

    def rewind(self, seen: Job, to: str) -> None:
        self._engine.write(lambda writer: writer.run(_SQL["settle"], (seen.id, seen.since, to)))

    def take(self, run: JobRun) -> bool:
        """Claim an extra slot for a run on request; slots that are due stay due."""
        return bool(self._engine.write(lambda writer: _take(writer, run)))

    def take_over(self, dead: JobRun, run: JobRun) -> bool:
        """Continue a slot whose holder died. Counts as a failure, so that a job that kills its process is disabled at some point."""

        def take(writer: Writer) -> bool:
            values = (dead.job, dead.slot, dead.holder, run.holder, run.until, run.began_at)
            taken = writer.run(_SQL["take_over"], values)
            return bool(taken and writer.run(_SQL["count_failure"], (dead.job, MOST_FAILURES)))

        return self._engine.write(take)

    def renew(self, run: JobRun, until: str) -> bool:
        return bool(
            self._engine.write(lambda writer: writer.run(_SQL["renew"], (run.job, run.slot, run.holder, until)))
        )

    def end(self, run: JobRun) -> bool:
        """Store the result of a slot, by its `state`. Returns False if this holder has lost the slot."""

        def tell(writer: Writer) -> bool:
            ended = writer.run(_SQL["end"], (run.job, run.slot, run.holder, run.state, run.ended_at, run.detail))
            if ended and run.state == "failed":
                writer.run(_SQL["count_failure"], (run.job, MOST_FAILURES))
            if ended and run.state == "done":
                writer.run(_SQL["count_success"], (run.job,))
            return bool(ended)

        return self._engine.write(tell)

    def runs(self, job: str = "", limit: int = 50, *, but_skipped_of: str = "") -> list[JobRun]:
        """The runs, newest slot first. `but_skipped_of`: leave out the skipped slots of that job."""
        return [JobRun(*row) for row in self._engine.read(_SQL["runs"], (job, limit, but_skipped_of))]

    def under_way(self) -> list[JobRun]:
        return [JobRun(*row) for row in self._engine.read(_SQL["under_way"])]

    def ended(self, after: str, limit: int = 50) -> list[JobRun]:
        return [JobRun(*row) for row in self._engine.read(_SQL["ended"], (after, limit))]


def _take(writer: Writer, run: JobRun) -> int:
    return writer.run(_SQL["take"], (run.job, run.slot, run.holder, run.until, run.began_at))


def _skip(writer: Writer, job: str, at: str, skipped: Skips) -> None:
    for slot, why in skipped:
        writer.run(_SQL["skip"], (job, slot, at, why))


def _job(row: Row) -> Job:
    identity, name, kind, spec, zone, action, words, options, enabled, failures, created_at, since = row
    said = json.loads(options)
    flags = bool(enabled), failures, bool(said.get("announce")), bool(said.get("standing"))
    return Job(identity, name, kind, spec, zone, action, words, created_at, since, *flags)
