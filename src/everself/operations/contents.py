"""Statistics of memory: its contents, and its growth and use by day. All are counted from existing rows."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from heapq import nlargest
from typing import Annotated, Final, NamedTuple, Self

from everself.keepers.junk import WINDOW, Junk, find_junk
from everself.keepers.keeper_context import is_memory
from everself.memory.selection import entries_since
from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, owner_reads
from everself.runtime import Runtime
from everself.values import Tier
from everself.workspace.layout import Kind, place

_TOPICS: Final = frozenset({Kind.TOPIC, Kind.BANK, Kind.CORE_MEMORY})


class Group(Result):
    """A group of entries. `path` is the document or folder that holds them."""

    name: str
    path: str
    entries: int


class Contents(Result):
    """`days` are the newest; `older` counts the rest. `apart` counts entries in quarantine."""

    days: tuple[Group, ...]
    older: int
    topics: tuple[Group, ...]
    people: tuple[Group, ...]
    projects: tuple[Group, ...]
    apart: int


class _Arranged(NamedTuple):
    """The documents that hold entries: the logs of the newest days, the number of older days, and all other documents."""

    others: list[str]
    by_day: dict[date, list[str]]
    older: int

    @classmethod
    def of(cls, held: Sequence[str], days: int) -> Self:
        every = {day for path in held if (day := _day_of(path)) is not None}
        by_day: dict[date, list[str]] = {day: [] for day in nlargest(days, every)}
        for path in held:
            if (day := _day_of(path)) in by_day:
                by_day[day].append(path)
        return cls([path for path in held if _day_of(path) is None], by_day, len(every) - len(by_day))

    @property
    def counted(self) -> list[str]:
        """Older days are not counted: there may be thousands."""
        return [*self.others, *(path for paths in self.by_day.values() for path in paths)]


class ContentsRequest(Request):
    days: Annotated[int, Option("How many days at most, the newest.", ge=1, le=36_500)] = 30
    people: Annotated[bool, Option("Count people only.", only=("http",))] = False


@owner_reads("memory.contents")
def show_contents(runtime: Runtime, _: Caller, request: ContentsRequest) -> Contents:
    """Count what is remembered: by day, topic, person and project.

    $ everself memory contents  # the days, topics, people and projects that there are entries of
    """
    if request.people:
        return Contents((), 0, (), _people(runtime), (), 0)
    rows = runtime.state.entries
    before = _Arranged.of(rows.holding(), request.days)
    # a document without entries may have some now; of older days only the number is shown
    runtime.memory.catalog.refresh_shown([*rows.not_holding(), *before.counted])
    arranged = _Arranged.of(rows.holding(), request.days)
    by_day = arranged.by_day
    counts = Counter(rows.counts(arranged.counted))
    topics: list[Group] = []
    people: dict[str, Group] = {}
    projects: dict[str, Group] = {}
    apart = 0
    for path in arranged.others:
        where, count = place(path), counts[path]
        if where.kind is Kind.QUARANTINE:
            apart += count
        elif where.person:
            _add(people, where.person, f"users/{where.person}", count)
        elif where.project:
            _add(projects, where.project, f"projects/{where.project}", count)
        elif where.kind in _TOPICS:
            topics.append(Group(path.rpartition("/")[2].removesuffix(".md"), path, count))
    days = tuple(Group(day.isoformat(), paths[0], sum(counts[path] for path in paths)) for day, paths in by_day.items())
    return Contents(
        days,
        arranged.older,
        tuple(topics),
        tuple(people.values()),
        tuple(projects.values()),
        apart,
    )


@lru_cache(maxsize=8192)
def _day_of(path: str) -> date | None:
    """The day whose log this is; None for any other document."""
    where = place(path)
    other = where.span or where.person or where.project or where.kind is Kind.QUARANTINE
    return None if other else where.day


def _people(runtime: Runtime) -> tuple[Group, ...]:
    """Everybody that there are entries of. Looks at the folders of people only, whatever their spelling."""
    rows, workspace = runtime.state.entries, runtime.workspace
    folders = [one for one in workspace.folders() if place(f"{one}/name/MEMORY.md").person]
    listed = {one.path for folder in folders for one in workspace.list(folder)}
    # a removed document is known only by its row
    known = (path for path in rows.holding() if place(path).person)
    runtime.memory.catalog.refresh(sorted({*listed, *known}))
    counts = rows.counts([path for path in rows.holding() if place(path).person])
    people: dict[str, Group] = {}
    for path, count in sorted(counts.items()):
        person = place(path).person or ""
        _add(people, person, f"users/{person}", count)
    return tuple(people.values())


def _add(groups: dict[str, Group], name: str, path: str, count: int) -> None:
    before = groups.get(name)
    groups[name] = Group(name, path if before is None else before.path, count + (before.entries if before else 0))


class TrendDay(Result):
    """One day. `core`, `working` and `elsewhere` count its entries by tier; `sources` counts them by source. Of the `mined` entries, `junk`
    were useless; of the `searches`, `missed` found nothing."""

    day: date
    core: int = 0
    working: int = 0
    elsewhere: int = 0
    sources: tuple[tuple[str, int], ...] = ()
    mined: int = 0
    junk: int = 0
    searches: int = 0
    missed: int = 0

    @property
    def entries(self) -> int:
        return self.core + self.working + self.elsewhere


class Trends(Result):
    """All days from the oldest to today, and the junk of the last ninety days."""

    days: tuple[TrendDay, ...]
    junk: Junk


class TrendsRequest(Request):
    days: Annotated[int, Option("How many days, up to today.", ge=1, le=3660)] = 30


@owner_reads("memory.trends")
def show_trends(runtime: Runtime, _: Caller, request: TrendsRequest) -> Trends:
    """Show day by day what was remembered, how much of it is junk, and which searches found nothing.

    $ everself memory trends  # the last thirty days
    $ everself memory trends --days 365 --json  # a year, for a script
    """
    today = runtime.clock.today()
    first = today - timedelta(days=request.days - 1)
    junk = find_junk(
        runtime.memory, runtime.state, filter(is_memory, entries_since(runtime.memory, today - WINDOW)), today
    )
    mined, useless = Counter[date | None](), Counter[date | None]()
    for one in junk.mined:
        mined[one.day] += 1
        useless[one.day] += one.id in junk.junk
    tiers, sources = Counter[tuple[str, str]](), dict[str, Counter[str]]()
    for row in runtime.state.entries.by_day(first.isoformat(), today.isoformat()):
        tiers[row.day, row.tier] += row.entries
        sources.setdefault(row.day, Counter())[row.source.partition(":")[0]] += row.entries
    asked = {one.day: one for one in runtime.state.searches.by_day(first, today)}
    days = []
    for number in range(request.days):
        day = first + timedelta(days=number)
        name = day.isoformat()
        counted = {tier: count for (of, tier), count in tiers.items() if of == name}
        days.append(
            TrendDay(
                day,
                core=counted.pop(Tier.CORE.value, 0),
                working=counted.pop(Tier.WORKING.value, 0),
                elsewhere=sum(counted.values()),
                sources=tuple(sorted(sources.get(name, {}).items())),
                mined=mined[day],
                junk=useless[day],
                searches=asked[name].searches if name in asked else 0,
                missed=asked[name].missed if name in asked else 0,
            )
        )
    return Trends(tuple(days), junk.counted)
