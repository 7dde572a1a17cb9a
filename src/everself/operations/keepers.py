"""The verbs over keepers: which there are, run one now, what they did.

The owner's own: a run may cost money, and what it changes can be undone change by change.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from everself.errors import WrongUse
from everself.keepers.action_text import said_of
from everself.keepers.keeper import ActionResult, Progress, kind_of
from everself.storage.state.reviews import KeeperRun

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class KeeperLine:
    """One keeper. `time` is when it runs by itself, empty for one that is called when it is needed; `prompt` is its own SOUL.md, and
    `waiting` how many of its questions wait for a human."""

    name: str
    title: str
    time: str
    prompt: str
    last: KeeperRun | None
    waiting: int


@dataclass(frozen=True, slots=True)
class Deed:
    """One operation and what became of it: `words` say what it is, `why` why it waits or was refused."""

    kind: str
    words: str
    reason: str
    evidence: tuple[str, ...]
    sure: float
    change: str = ""
    entry: str = ""
    review: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class KeeperReport:
    """What a run did, or would do where it is a `dry_run`. `tokens` are those of the model, sent and received."""

    keeper: str
    at: datetime
    dry_run: bool
    applied: tuple[Deed, ...]
    queued: tuple[Deed, ...]
    refused: tuple[Deed, ...]
    notes: tuple[str, ...]
    tokens: int
    seconds: float


def list_keepers(app: "Runtime") -> tuple[KeeperLine, ...]:
    reviews = app.state.reviews
    waiting = [one.author for one in reviews.waiting()]
    found = []
    for one in app.keepers.keepers:
        last = next(iter(reviews.runs(one.name, 1)), None)
        time = str(getattr(app.tunables, one.schedule)) if one.schedule else ""
        found.append(KeeperLine(one.name, one.title, time, f"agents/{one.name}/SOUL.md", last, waiting.count(one.name)))
    return tuple(found)


def run_keeper(
    app: "Runtime", name: str, *, dry_run: bool = False, tell: Callable[[Progress], None] | None = None
) -> KeeperReport:
    """Run a keeper now. With `dry_run` nothing is changed, though a model may be asked."""
    import asyncio

    keeper = app.keepers.find(name)
    made = asyncio.run(app.keepers.run(keeper, dry_run=dry_run, tell=tell or (lambda _: None)))

    def deeds(found: tuple[ActionResult, ...]) -> tuple[Deed, ...]:
        return tuple(_deed(app, one) for one in found)

    return KeeperReport(
        keeper=made.keeper,
        at=made.at,
        dry_run=made.dry_run,
        applied=deeds(made.applied),
        queued=deeds(made.queued),
        refused=deeds(made.refused),
        notes=made.notes,
        tokens=made.usage.sent + made.usage.received,
        seconds=made.seconds,
    )


def list_keeper_runs(app: "Runtime", name: str = "", limit: int = 20) -> tuple[KeeperRun, ...]:
    """What keepers did, the newest run first."""
    if limit < 1:
        raise WrongUse("At least one run is asked for.")
    if name:
        app.keepers.find(name)
    return tuple(app.state.reviews.runs(name, limit))


def _deed(app: "Runtime", done: ActionResult) -> Deed:
    one = done.planned
    words = said_of(one.operation, app.memory.catalog.find)
    ends = (done.change, done.entry, done.review, done.why)
    return Deed(kind_of(one.operation), words, one.reason, one.evidence, one.sure, *ends)
