"""A memory with its conversations, on a clock that the test moves, and keepers that run over it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from everself.classify.triage import Triage
from everself.config.sections import SoulPolicy, Tunables
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Message, Session
from everself.conversation.sessions.transcripts import Transcripts
from everself.identity.growth import Growth
from everself.keepers.keeper import Keeper, KeeperAction, KeeperProposal, Planned, RunReport, Tell
from everself.keepers.keeper_context import KeeperContext
from everself.keepers.runner import Runner
from everself.keepers.sources import KeeperSearch, KeeperSources
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.writing import NewEntry
from everself.models.chat.protocol import ChatModel
from everself.search.similarity import TextSimilarity
from everself.storage.lock import FileLock
from everself.testing.origins import origin_of
from everself.testing.workspaces import Bench
from everself.values import Entry

BERLIN = ZoneInfo("Europe/Berlin")


class Hour:
    """The time it is, until the test says otherwise."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 19, 9, 30, tzinfo=BERLIN)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **much: float) -> None:
        self.now += timedelta(**much)


_LIKENESS = TextSimilarity()


class StubSearch:
    """Another search but for what a test gives; without recall and without vectors where there is no other."""

    def __init__(self, other: KeeperSearch | None = None, **given: Any) -> None:
        self._other = other
        self._given = given

    @property
    def likeness(self) -> TextSimilarity:
        return self._given.get("likeness") or (self._other.likeness if self._other is not None else _LIKENESS)

    def recall(self) -> Any:
        return self._given.get("recall") or (self._other.recall() if self._other is not None else None)

    def embed(self) -> bool:
        if "embed" in self._given:
            return bool(self._given["embed"]())
        return self._other is not None and self._other.embed()


class StubModel:
    """No model, unless a test gives one; nobody counts what it costs."""

    def __init__(self, open_model: Callable[[], ChatModel | None] = lambda: None, **meter: object) -> None:
        self._open_model = open_model
        self.spend_meter = SimpleNamespace(**{"allow": lambda _: None, "charge": lambda *_: None, **meter})

    @property
    def found(self) -> ChatModel | None:
        return self._open_model()

    def prompt(self, keeper: str) -> str:
        del keeper
        return ""


def with_stubs(sources: KeeperSources, **given: Any) -> KeeperSources:
    """With another model (`model`, `allow`, `charge`), search (`recall`, `likeness`, `embed`), policy or settings."""
    search = {name: given.pop(name) for name in ("recall", "likeness", "embed") if name in given}
    if search:
        given["search"] = StubSearch(sources.search, **search)
    meter = {name: given.pop(name) for name in ("allow", "charge") if name in given}
    if "model" in given:
        given["model"] = StubModel(given["model"], **meter)
    return replace(sources, **given)


class Mind:
    """One agent as keepers see it, without recall by vectors and without a model, unless a test gives one."""

    def __init__(self, bench: Bench, top: str, hour: Hour) -> None:
        self.bench = bench
        self.hour = hour
        self.memory = Memory(
            bench.workspace,
            Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock),
            bench.clock,
        )
        files = Transcripts(bench.storage.state, FileLock(f"{top}/state/sessions.lock"))
        self.log = SessionLog(bench.state.messages, files, bench.clock)
        self.sources = KeeperSources(
            self.memory,
            bench.state,
            self.log,
            Tunables(),
            SoulPolicy.PROPOSE,
            Triage(),
            StubSearch(),  # type: ignore[arg-type]
            StubModel(),  # type: ignore[arg-type]
        )
        self.growth: Growth | None = None

    def run(self, keeper: Keeper, *, dry_run: bool = False, **given: object) -> RunReport:
        runner = Runner(with_stubs(self.sources, **given), self.growth, [keeper])
        return asyncio.run(runner.run(keeper, dry_run=dry_run))

    def propose(self, *operations: Planned, dry_run: bool = False) -> RunReport:
        """Run a keeper that proposes just this."""
        return self.run(Stubborn(operations), dry_run=dry_run)

    def world(self, keeper: str = "memory-miner") -> KeeperContext:
        return KeeperContext(self.sources, keeper)

    def say(self, text: str, session: Session | None = None, role: str = "user") -> Message:
        return self.log.add(session or self.log.begin(), role, text)  # type: ignore[arg-type]

    def knows(self, text: str, source: str = "owner", lineage: tuple[str, ...] = (), **details: object) -> Entry:
        made = self.memory.remember(NewEntry(text, origin_of(source, *lineage), **details))  # type: ignore[arg-type]
        return self.memory.catalog.get(made.entry)

    def entry(self, text: str) -> Entry:
        return next(one for one in self.memory.catalog.all() if one.text == text)

    def texts(self) -> list[str]:
        return [one.text for one in self.memory.catalog.all() if not one.closed]

    def files(self) -> dict[str, bytes]:
        """Every document as it stands."""
        return {one.path: self.bench.workspace.read(one.path).data for one in self.bench.workspace.list()}


class Stubborn:
    """A keeper that proposes the same each time."""

    name = "stubborn"
    title = "Stubborn"
    schedule = ""

    def __init__(self, operations: Sequence[Planned], upto: str = "") -> None:
        self._proposal = KeeperProposal(tuple(operations), upto=upto)

    async def propose(self, _: KeeperContext, __: Tell) -> KeeperProposal:
        return self._proposal


def planned(operation: KeeperAction, *evidence: str, **more: object) -> Planned:
    return Planned(operation, evidence, "because", **more)  # type: ignore[arg-type]
