"""Opens the scheduler of an agent with its built-in jobs, at the times set in CONFIG.md. Runs nothing."""

from collections.abc import Iterator
from typing import Final

from everself.clock import Clock
from everself.config.kinds import DAYS
from everself.config.sections import Tunables
from everself.keepers.scheduler import NewJob, Scheduler
from everself.storage.lock import FileLock
from everself.storage.state.database import State

LOCK: Final = "schedule.lock"
# half an hour after the Compactor's default time, so that there is something to clean
HYGIENE: Final = "30 3 * * 0"
# A correction acts at once; what it left open is checked once a day, after the other keepers.
VALIDATION: Final = "30 7 * * *"


def open_schedule(state: State, folder: str, clock: Clock, tunables: Tunables) -> Scheduler:
    """`folder` is where the agent's state lies."""
    made = Scheduler(state.jobs, clock, FileLock(f"{folder}/{LOCK}"))
    made.install(tuple(standing(tunables)))
    return made


def standing(tunables: Tunables) -> Iterator[NewJob]:
    """The built-in jobs, in the order of the day."""
    yield _keeper("soul-keeper", _daily(tunables.cron_soul_keeper))
    yield _keeper("memory-compactor", _weekly(tunables.cron_compactor_weekly))
    yield NewJob("vector-hygiene", "cron", HYGIENE, "verb", "memory index", standing=True)
    yield _keeper("memory-miner", _daily(tunables.cron_memory_miner))
    yield _keeper("conflict-detector", _daily(tunables.cron_conflict_detector))
    yield _keeper("recall-validator", VALIDATION)


def _keeper(name: str, spec: str) -> NewJob:
    return NewJob(name, "cron", spec, "verb", f"keepers run {name}", standing=True)


def _daily(time: str) -> str:
    hour, _, minute = time.partition(":")
    return f"{int(minute)} {int(hour)} * * *"


def _weekly(said: str) -> str:
    day, _, time = said.partition(" ")
    # the week of cron begins on Sunday
    return _daily(time).removesuffix("*") + str((DAYS.index(day.casefold()) + 1) % len(DAYS))
