"""What memory is made of, for somebody who browses it: days, topics, people, projects, counted from rows that are kept anyway."""

from typing import Annotated, Final

from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, owner_reads
from everself.runtime import Runtime
from everself.workspace.layout import Kind, place

_TOPICS: Final = frozenset({Kind.TOPIC, Kind.BANK, Kind.CORE_MEMORY})


class Group(Result):
    """Entries that belong together. `path` is the document or folder that holds them."""

    name: str
    path: str
    entries: int


class Contents(Result):
    """`days` are the newest; `older` is how many more there are. `apart` is how much is in quarantine."""

    days: tuple[Group, ...]
    older: int
    topics: tuple[Group, ...]
    people: tuple[Group, ...]
    projects: tuple[Group, ...]
    apart: int


class ContentsRequest(Request):
    days: Annotated[int, Option("How many days at most, the newest.", ge=1, le=36_500)] = 30


@owner_reads("memory.contents")
def show_contents(runtime: Runtime, _: Caller, request: ContentsRequest) -> Contents:
    """Count what is remembered: by day, topic, person and project.

    $ everself memory contents  # the days, topics, people and projects that there are entries of
    """
    runtime.memory.catalog.refresh()
    days: dict[str, Group] = {}
    topics: list[Group] = []
    people: dict[str, Group] = {}
    projects: dict[str, Group] = {}
    apart = 0
    for path, count in sorted(runtime.state.entries.counts().items()):
        where = place(path)
        if where.kind is Kind.QUARANTINE:
            apart += count
        elif where.person:
            _add(people, where.person, f"users/{where.person}", count)
        elif where.project:
            _add(projects, where.project, f"projects/{where.project}", count)
        elif where.day is not None and not where.span:
            _add(days, where.day.isoformat(), path, count)
        elif where.kind in _TOPICS:
            topics.append(Group(path.rpartition("/")[2].removesuffix(".md"), path, count))
    newest = sorted(days.values(), key=lambda one: one.name, reverse=True)
    return Contents(
        tuple(newest[: request.days]),
        max(0, len(newest) - request.days),
        tuple(topics),
        tuple(people.values()),
        tuple(projects.values()),
        apart,
    )


def _add(groups: dict[str, Group], name: str, path: str, count: int) -> None:
    before = groups.get(name)
    groups[name] = Group(name, path if before is None else before.path, count + (before.entries if before else 0))
