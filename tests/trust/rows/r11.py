"""R11: a schedule lives through nights, jumps and changes of the clocks, deaths and rivals: each slot runs once, or it is written down.

What the slots are is judged by a walk minute by minute that knows nothing of the code's way to find them.
"""

import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from tests.trust.workers import Nursery, Report, find_memory, reported

from everself.errors import WrongUse
from everself.keepers.scheduler import NewJob, Scheduler
from everself.storage.lock import FileLock, OpenLock
from everself.storage.state.database import open_state
from everself.storage.state.jobs import Jobs
from everself.testing.frozen_time import FrozenTime
from everself.values import Job, JobKind, JobRun

KEY = b"r11 " * 8
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
RIVALS = 4
# Lord Howe moves by half an hour, Cairo and Santiago at midnight
ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago"),
    *("Asia/Seoul", "Asia/Kathmandu", "UTC"),
)
SPECS: tuple[tuple[JobKind, str], ...] = (
    ("cron", "0 6 * * *"),
    ("cron", "30 2 * * *"),
    ("cron", "0 0 * * *"),
    ("cron", "15,45 0-3 * * *"),
    ("cron", "0 3 * * 0"),
    ("cron", "30 18 * * 5"),
    ("cron", "*/20 * * * *"),
    ("cron", "5 */3 * * *"),
    ("cron", "* 2 1 * *"),
    ("every", "45m"),
    ("every", "7h"),
    ("at", "11h"),
)
# before the changes of spring and autumn, north and south
STARTS = ((2026, 3, 5), (2026, 3, 25), (2026, 4, 20), (2026, 9, 1), (2026, 9, 30), (2026, 10, 20), (2026, 12, 20))
_UPTO = "up to "

Span = tuple[datetime, datetime]


class Killed(BaseException):
    """The end of a process: nobody catches it, and nothing is done after it."""


@dataclass(slots=True)
class Tally:
    slots: int = 0
    ran: int = 0
    skipped: int = 0
    failed: int = 0
    deaths: int = 0
    again: int = 0


def fields_of(spec: str) -> tuple[tuple[set[int], ...], bool]:
    """Which numbers each field takes, and whether the times are fixed times of day."""
    ranges = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
    taken = []
    for text, (low, high) in zip(spec.split(), ranges, strict=True):
        numbers: set[int] = set()
        for part in text.split(","):
            span, _, step = part.partition("/")
            first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
            numbers |= set(range(int(first), int(last or first) + 1, int(step or 1)))
        taken.append(numbers)
    minute, hour, *_ = spec.split()
    return tuple(taken), not minute.startswith("*") and not hour.startswith("*")


class Judge:
    """Whether a minute is a slot of a job. Days of the month and of the week are never given together here."""

    def __init__(self, job: Job, zone: str) -> None:
        self._job = job
        self._zone = ZoneInfo(zone)
        self._born = datetime.fromisoformat(job.created_at)
        self._taken, self._fixed = fields_of(job.spec) if job.kind == "cron" else ((), False)
        self._step = {"45m": 45 * MINUTE, "7h": 7 * HOUR}.get(job.spec, DAY)

    def comes(self, moment: datetime) -> bool:
        if moment <= self._born or moment.second:
            return False
        if self._job.kind == "every":
            return (moment - self._born) % self._step == timedelta(0)
        if self._job.kind == "at":
            return moment == datetime.fromisoformat(self._job.spec)
        wall = moment.astimezone(self._zone)
        if not self._fixed:
            return self._shown(wall)
        # no clock leaps at any other minute of ours
        before = (moment - MINUTE).astimezone(self._zone) if moment.minute % 15 == 0 else wall - MINUTE
        leapt = wall.replace(tzinfo=None) - before.replace(tzinfo=None)
        if leapt > MINUTE:
            passed = range(1, leapt // MINUTE + 1)
            return any(self._shown(before.replace(tzinfo=None) + number * MINUTE) for number in passed)
        return not wall.fold and self._shown(wall)

    def _shown(self, wall: datetime) -> bool:
        minutes, hours, days, months, weekdays = self._taken
        return (
            wall.minute in minutes
            and wall.hour in hours
            and wall.day in days
            and wall.month in months
            and wall.isoweekday() % 7 in weekdays
        )


class MortalJobs(Jobs):
    """The rows as one process reaches them, which dies when it is told to, and then reaches nothing."""

    dead = False
    close: Callable[[], None]
    before: Callable[[str, JobRun | None], None] | None = None

    def _live(self, moment: str, run: JobRun | None = None) -> None:
        if self.dead:
            raise Killed
        if self.before is not None:
            self.before(moment, run)

    def every(self) -> list[Job]:
        self._live("every")
        return super().every()

    def claim(self, seen: Job, run: JobRun, skipped: Sequence[tuple[str, str]] = ()) -> bool:
        self._live("claim")
        taken = super().claim(seen, run, skipped)
        self._live("claimed")
        return taken

    def end(self, run: JobRun) -> bool:
        self._live("end", run)
        return super().end(run)


@dataclass(slots=True)
class Life:
    """`shared`: the rivals see one another's lock. `wild`: a clock is once more than a year wrong."""

    seed: int
    days: int
    folder: str
    random: Random = field(init=False)
    time: FrozenTime = field(init=False)
    tally: Tally = field(default_factory=Tally)
    finished: Counter[tuple[str, str]] = field(default_factory=Counter)
    running: set[tuple[str, str]] = field(default_factory=set)
    unsaid: Counter[tuple[str, str]] = field(default_factory=Counter)
    rested: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    rivals: list[tuple[Scheduler, MortalJobs]] = field(default_factory=list)
    shared: bool = True
    depth: int = 0
    fault: str = ""
    stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.random = Random(f"R11 {self.seed}")
        self.shared = self.random.random() < 0.7
        start = datetime(*self.random.choice(STARTS), self.random.randrange(24), self.random.randrange(60), tzinfo=UTC)
        self.time = FrozenTime(start)

    def live(self) -> Tally:
        with self.stack:
            self.rivals = [self.born(number) for number in range(RIVALS)]
            zones = self.settle_in()
            start, end = self.time.moment, self.time.moment + self.days * DAY
            wild = start + self.random.uniform(0.1, 0.9) * (end - start) if self.random.random() < 0.15 else None
            while self.time.moment < end:
                if wild is not None and self.time.moment > wild:
                    wild = None
                    self.be_wrong(timedelta(days=self.random.randrange(30, 3_000)))
                self.pass_time()
                for number in self.random.sample(range(RIVALS), self.random.choice((1, 1, 1, 2, 4))):
                    self.tick(number)
                self.wake()
            self.judge(zones, start, self.be_still())
        return self.tally

    def born(self, number: int) -> tuple[Scheduler, MortalJobs]:
        state = self.stack.enter_context(open_state(f"{self.folder}/state.db", KEY))
        jobs = MortalJobs(state.engine)
        jobs.close = state.close
        jobs.before = lambda moment, run: self.meddle(number, moment, run)
        lock = FileLock(f"{self.folder}/schedule.lock") if self.shared else OpenLock()
        return Scheduler(jobs, self.time.clock("Europe/Berlin"), lock), jobs

    def settle_in(self) -> dict[str, str]:
        """The zone of each job, by its id."""
        found = {}
        for number, (kind, said) in enumerate(self.random.sample(SPECS, 6)):
            zone = self.random.choice(ZONES)
            job = self.rivals[0][0].add(NewJob(f"job {number}", kind, said, "verb", "test", zone))
            found[job.id] = zone
        return found

    def pass_time(self) -> None:
        match self.random.choices(("while", "night", "ahead", "back"), (90, 4, 2, 4))[0]:
            case "while":
                self.time.advance(timedelta(seconds=self.random.randrange(1, 240 * 60)))
            case "night":
                self.time.advance(8 * HOUR)
            case "ahead":
                self.be_wrong(self.random.random() * 3 * DAY)
            case "back":
                self.time.advance(-self.random.random() * 6 * HOUR)

    def be_wrong(self, by: timedelta) -> None:
        """The clock is ahead for a moment, in which somebody looks."""
        self.time.advance(by)
        self.tick(self.random.randrange(RIVALS))
        self.time.advance(-by)

    def be_still(self) -> datetime:
        """The end: everything that is due or was left by the dead is settled. Up to when."""
        self.depth = 9
        for _ in range(3):
            self.time.advance(HOUR)
            self.tick(0)
        return self.time.moment

    def wake(self) -> None:
        """Somebody enables what failed too often. The time that it rested has no slots."""
        schedule = self.rivals[0][0]
        for job in schedule.jobs.every():
            if not job.enabled and job.kind != "at":
                self.rested[job.id].append((datetime.fromisoformat(job.since), self.time.moment))
                schedule.switch(job.id, enabled=True)

    def tick(self, number: int) -> None:
        schedule, jobs = self.rivals[number]
        self.depth += 1
        try:
            schedule.tick(self.deed(number))
        except Killed:
            jobs.dead = True
            jobs.close()
            self.tally.deaths += 1
            self.rivals[number] = self.born(number)
        finally:
            self.depth -= 1
        assert not self.fault, self.fault

    def meddle(self, number: int, moment: str, run: JobRun | None) -> None:
        """What may happen between two steps of a process."""
        if self.depth != 1:
            return
        chance = self.random.random()
        if chance < 0.02 and moment in ("claimed", "end"):
            if run is not None and self.finished[run.job, run.slot]:
                # between the deed and the note of it: it will be done again
                self.unsaid[run.job, run.slot] += 1
            raise Killed
        if chance > 0.9 and moment in ("claim", "claimed"):
            self.tick((number + 1) % RIVALS)

    def deed(self, number: int) -> Callable[[Job, str], str]:
        def do(job: Job, slot: str) -> str:
            key = (job.id, slot)
            if key in self.running:
                # not raised here: what a job raises is its own failure
                self.fault = f"{job.spec} at {slot} is run by two at once"
            self.running.add(key)
            try:
                return self.work(number, job, key)
            finally:
                self.running.discard(key)

        return do

    def work(self, number: int, job: Job, key: tuple[str, str]) -> str:
        if self.depth == 1:
            chance = self.random.random()
            if chance < 0.03:
                raise Killed
            if chance < 0.08:
                raise WrongUse("It fails.")
            if chance < 0.12 and self.shared:
                # the lid is closed in the middle of a job
                self.time.advance(8 * HOUR)
            if chance < 0.25:
                self.tick((number + self.random.randrange(1, RIVALS)) % RIVALS)
        self.tally.again += bool(self.finished[key])
        self.finished[key] += 1
        return job.name

    def judge(self, zones: dict[str, str], start: datetime, end: datetime) -> None:
        for job in self.rivals[0][0].jobs.every():
            told = f"{job.kind} {job.spec} in {zones[job.id]}"
            judge = Judge(job, zones[job.id])
            rows = {run.slot: run for run in self.rivals[0][1].runs(job.id, 1_000_000)}
            for slot in {slot for name, slot in self.finished if name == job.id}:
                times, most = self.finished[job.id, slot], 1 + self.unsaid[job.id, slot]
                assert times <= most, f"{told}: {slot} ran {times} times"
                assert slot in rows, f"{told}: {slot} ran and is not written down"
            for slot, run in rows.items():
                assert judge.comes(datetime.fromisoformat(slot)), f"{told}: {slot} is {run.state} and is no slot"
                done = self.finished[job.id, slot] > 0
                assert run.state in ("failed", "skipped") or (run.state == "done" and done), f"{told}: {slot} {run}"
            self.count(rows.values())
            self.find_silence(told, judge, (start, end), [*map(_span, rows.values()), *self.rested[job.id]])

    def count(self, runs: Iterable[JobRun]) -> None:
        states = Counter(run.state for run in runs)
        self.tally.ran += states["done"]
        self.tally.skipped += states["skipped"]
        self.tally.failed += states["failed"]

    def find_silence(self, told: str, judge: Judge, life: Span, spans: list[Span]) -> None:
        """Walk through the life minute by minute: each slot was settled, or fell into a time of which it is written."""
        moment, end = life
        ordered = sorted(spans)
        reached, at = moment, 0
        while (moment := moment + MINUTE) <= end:
            if judge.comes(moment):
                self.tally.slots += 1
                while at < len(ordered) and ordered[at][0] <= moment:
                    reached, at = max(reached, ordered[at][1]), at + 1
                assert moment <= reached, f"{told}: nobody knows what became of {moment}"


def _span(run: JobRun) -> Span:
    """The slots that a row speaks of: its own, or all from there on."""
    slot = datetime.fromisoformat(run.slot)
    last = run.detail.partition(_UPTO)[2].rstrip(".") if run.state == "skipped" else ""
    return slot, datetime.fromisoformat(last) if last else slot


def compete(top: str, report: str, seed: int, steps: int) -> None:
    """In a child: one of several real processes, each with a clock of its own that goes its own way."""
    said, random = Report(report), Random(f"R11 rival {seed}")
    time = FrozenTime(datetime(2026, 3, 28, tzinfo=UTC))

    def deed(job: Job, slot: str) -> str:
        said.say(f"{job.id} {slot}")
        return ""

    with open_state(f"{top}/state.db", KEY) as state:
        schedule = Scheduler(state.jobs, time.clock("Europe/Berlin"), FileLock(f"{top}/schedule.lock"))
        for _ in range(steps):
            time.advance(timedelta(minutes=random.choice((1, 5, 20, 60, -30))))
            schedule.tick(deed)


def run_rivals(seed: int, steps: int = 60) -> int:
    """How many slots real processes ran, each once."""
    with Nursery(__name__, memory=32) as nursery:
        with open_state(f"{nursery.folder}/state.db", KEY) as state:
            begin = FrozenTime(datetime(2026, 3, 28, tzinfo=UTC))
            schedule = Scheduler(state.jobs, begin.clock("Europe/Berlin"), OpenLock())
            for name, said in (("often", "*/5 * * * *"), ("hourly", "0 * * * *"), ("leap", "30 2 * * *")):
                schedule.add(NewJob(name, "cron", said, "verb", "test"))
        reports = [f"{nursery.folder}/report-{number}" for number in range(RIVALS)]
        children = [
            nursery.start(
                f"{__name__}:compete", top=nursery.folder, report=report, seed=seed * RIVALS + number, steps=steps
            )
            for number, report in enumerate(reports)
        ]
        for child in children:
            nursery.finish(child)
        ran = Counter(line for report in reports if os.path.exists(report) for line in reported(report))
        with open_state(f"{nursery.folder}/state.db", KEY) as state:
            done = Counter(f"{run.job} {run.slot}" for run in state.jobs.runs(limit=1_000_000) if run.state == "done")
    assert ran, "no rival ran anything"
    assert ran == done, f"what ran is not what is written down: {ran - done} and {done - ran}"
    assert set(ran.values()) == {1}, ran.most_common(3)
    return len(ran)


def live(seed: int, days: int) -> Tally:
    with tempfile.TemporaryDirectory(prefix="everself-row-", dir=find_memory(64)) as folder:
        return Life(seed, days, folder).live()


def run_r11(count: int, seed: int, days: int = 30) -> str:
    total = Tally()
    for number in range(count):
        one = seed * 1_000_000 + number
        try:
            tally = live(one, days)
        except AssertionError as error:
            raise AssertionError(f"R11 seed {one}: {error}") from error
        for name in (part.name for part in dataclass_fields(Tally)):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    real = run_rivals(seed)
    return (
        f"R11 {count} lives of {days} days, {total.slots} slots: {total.ran} ran, {total.failed} failed, {total.skipped} rows of "
        f"skipped ones, 0 silent, 0 doubled, {total.deaths} deaths, {total.again} done again because their process died before it "
        f"could say so; {real} slots of {RIVALS} real processes once, seed {seed}"
    )
