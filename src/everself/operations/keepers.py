"""Operations on keepers: list, run, history.

Only for the owner: a run may cost money, and it changes memory. Each change can be undone.
"""

import asyncio
from typing import Annotated

from everself.keepers.keeper import Keeper, Progress, RunReport
from everself.operations.caller import Caller
from everself.operations.declaration import (
    Argument,
    NoRequest,
    Option,
    Request,
    Result,
    Tell,
    owner_reads,
    terminal_writes,
)
from everself.runtime import Runtime
from everself.storage.state.reviews import KeeperRun


class KeeperLine(Result):
    """One keeper. `time` is its daily time, empty if it runs only on demand; `prompt` is its own SOUL.md, `waiting` the number of its open
    questions."""

    name: str
    title: str
    time: str
    prompt: str
    last: KeeperRun | None
    waiting: int


@owner_reads("keepers.list")
def list_keepers(app: Runtime, _: Caller, __: NoRequest) -> tuple[KeeperLine, ...]:
    """List the keepers: when each runs, when it last ran, and how many of its questions wait for you.

    $ everself keepers list  # each with its time and its last run
    """
    reviews = app.state.reviews
    waiting = [one.author for one in reviews.waiting()]
    found = []
    for one in app.keepers.keepers:
        last = next(iter(reviews.runs(one.name, 1)), None)
        time = str(getattr(app.tunables, one.schedule)) if one.schedule else ""
        found.append(KeeperLine(one.name, one.title, time, f"agents/{one.name}/SOUL.md", last, waiting.count(one.name)))
    return tuple(found)


class KeeperRequest(Request):
    name: Annotated[str, Argument("The name of the keeper.", "NAME")]
    dry_run: Annotated[bool, Option("Change nothing; only say what would be done.")] = False


@terminal_writes("keepers.run", progress="{request.name}")
def run_keeper(app: Runtime, _: Caller, request: KeeperRequest, tell: Tell | None = None) -> RunReport:
    """Run a keeper now.

    Each of its changes can be undone with `everself undo`. If a model is set, the keeper may ask it, within the limits of `spend`.

    $ everself keepers run memory-miner  # now, instead of at its time
    $ everself keepers run memory-miner --dry-run  # only say what it would do
    """
    return run_now(app, app.keepers.find(request.name), tell, dry_run=request.dry_run)


def run_now(app: Runtime, keeper: Keeper, tell: Tell | None = None, *, dry_run: bool = False) -> RunReport:
    def told(found: Progress) -> None:
        if tell is not None:
            tell(found.done, found.total)

    return asyncio.run(app.keepers.run(keeper, dry_run=dry_run, tell=told))


class KeeperRunsRequest(Request):
    name: Annotated[str, Argument("Only this keeper.", "[NAME]")] = ""
    limit: Annotated[int, Option("How many at most.", ge=1, le=100_000)] = 20


@owner_reads("keepers.history")
def list_keeper_runs(app: Runtime, _: Caller, request: KeeperRunsRequest) -> tuple[KeeperRun, ...]:
    """List what keepers did, newest run first.

    $ everself keepers history memory-miner --limit 5  # its last five runs
    """
    if request.name:
        app.keepers.find(request.name)
    return tuple(app.state.reviews.runs(request.name, request.limit))
