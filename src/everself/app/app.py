"""App: one agent, opened. Its parts are made when they are first asked for, so that a command pays only for what it uses."""

import os
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from everself.app.changes import Changes
from everself.app.moves import finish_restore
from everself.app.outside import ensure_folder, ensure_key
from everself.app.zone import user_zone
from everself.clock import Clock
from everself.config import Agent, Loaded, Places, with_tunables
from everself.config.sections import SoulIntegrity, Tunables
from everself.disk.real import RealFileSystem
from everself.entries.book import Book
from everself.entries.trust import OWNER, Dynamics
from everself.errors import NotFound
from everself.forgetting.guard import tombstone_guard
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.suspicion import Releases
from everself.memory.writing import Thought
from everself.store.state import State, open_state
from everself.values import Tag
from everself.workspace.assembly import Grounds, Habits, assemble, real_grounds
from everself.workspace.guards import learned_door, standard_guards
from everself.workspace.on_disk import DiskWorkspace, Recovery

if TYPE_CHECKING:
    from everself.app.charging import Charger
    from everself.chat.chat import Chat
    from everself.chat.compaction import Compactor
    from everself.context.assembly import Assembler, Prompt
    from everself.forgetting.forgetting import Forgetting
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual
    from everself.index.index import Index
    from everself.keepers.runner import Runner
    from everself.memory.bank import Bank
    from everself.models.embedding.protocol import Embedder
    from everself.recall.recall import Found, Recall
    from everself.schedule.schedule import Schedule
    from everself.sessions.checkpoint import Checkpoint
    from everself.sessions.log import Log
    from everself.upkeep.freshness import Freshness

STATE_FILE = "state.db"


class Details(TypedDict, total=False):
    """What else may be said of a thought."""

    category: str
    tag: Tag
    lineage: tuple[str, ...]
    explicit: bool
    who: str
    person: str
    project: str
    key: str


class App:
    """Use as a context manager: leaving it commits what still waits for the history."""

    def __init__(self, places: Places, loaded: Loaded, agent: Agent) -> None:
        self.places = places
        self.loaded = loaded
        self.agent = agent
        self.recovered = Recovery()

    @cached_property
    def clock(self) -> Clock:
        return Clock(user_zone(self.agent.time_zone, self._glance("USER.md")))

    @cached_property
    def tunables(self) -> Tunables:
        """The settings of CONFIG.md over those of the host file."""
        strict = self.agent.soul.integrity is SoulIntegrity.STRICT and os.path.isdir(self.agent.workspace)
        text = self.integrity.text("CONFIG.md") if strict else self._glance("CONFIG.md")
        return with_tunables(self.loaded, text.decode("utf-8", "replace") if text else None).config.tunables

    @cached_property
    def state(self) -> State:
        # before the database is opened: half of it may still stand beside
        finish_restore(self.agent)
        ensure_folder(self.agent.state)
        return open_state(f"{self.agent.state}/{STATE_FILE}", ensure_key(self.places.key_folder))

    @cached_property
    def workspace(self) -> DiskWorkspace:
        """The agent's workspace, with whatever a dead process left half done completed first."""
        finish_restore(self.agent)
        if not os.path.isdir(self.agent.workspace):
            raise NotFound(f"There is no workspace at {self.agent.workspace} yet.", mend="everself setup")
        ensure_folder(self.agent.state)
        door = learned_door(self.agent.soul.policy)
        personas = (self.loaded.config.hooks.persona.file,)
        guards = (*standard_guards(door, personas), tombstone_guard(self.state.entries))
        made = assemble(self.grounds, self.state, self.clock, Habits(guards=guards))
        self.recovered = made.recover()
        return made

    @cached_property
    def grounds(self) -> Grounds:
        return real_grounds(self.agent.workspace, self.agent.state)

    @cached_property
    def changes(self) -> Changes:
        return Changes(self.workspace)

    @cached_property
    def memory(self) -> Memory:
        found = self.tunables
        dynamics = Dynamics(
            boost=found.confidence_boost_per_mention,
            loss=found.confidence_decay_amount,
            days=found.confidence_decay_interval_days,
            floor=found.confidence_floor,
        )
        book = Book(self.workspace, self.state.entries, self.state.vouchers, self.clock)
        releases = Releases(self.state.reviews, self.state.entries)
        return Memory(self.workspace, book, self.clock, dynamics=dynamics, releases=releases)

    @cached_property
    def embedder(self) -> "Embedder | None":
        from everself.app.recalling import open_search_embedder

        return open_search_embedder(self)

    @cached_property
    def index(self) -> "Index":
        from everself.app.recalling import open_index

        return open_index(self)

    @cached_property
    def recall(self) -> "Recall":
        from everself.app.recalling import open_recall

        return open_recall(self)

    @cached_property
    def persona(self) -> "Persona":
        from everself.app.personas import open_persona

        return open_persona(self)

    @cached_property
    def integrity(self) -> "Integrity":
        from everself.app.guarding import open_integrity

        return open_integrity(self)

    @cached_property
    def growth(self) -> "Growth":
        from everself.app.growing import open_growth

        return open_growth(self)

    @cached_property
    def ritual(self) -> "Ritual":
        from everself.app.personas import open_ritual

        return open_ritual(self)

    @cached_property
    def assembler(self) -> "Assembler":
        from everself.app.assembling import open_assembler

        return open_assembler(self)

    @cached_property
    def log(self) -> "Log":
        from everself.app.sessions import open_log

        return open_log(self)

    @cached_property
    def charger(self) -> "Charger":
        from everself.app.charging import open_charger

        return open_charger(self)

    @cached_property
    def chat(self) -> "Chat":
        from everself.app.conversing import open_chat

        return open_chat(self)

    @cached_property
    def schedule(self) -> "Schedule":
        from everself.app.scheduling import open_schedule

        return open_schedule(self)

    @cached_property
    def keepers(self) -> "Runner":
        from everself.app.keeping import open_keepers

        return open_keepers(self)

    @cached_property
    def checkpoint(self) -> "Checkpoint":
        from everself.sessions.checkpoint import Checkpoint

        return Checkpoint(self.memory, self.log)

    @cached_property
    def compactor(self) -> "Compactor":
        from everself.app.sessions import open_compactor

        return open_compactor(self)

    @cached_property
    def bank(self) -> "Bank":
        from everself.memory.bank import Bank

        return Bank(self.memory)

    @cached_property
    def forgetting(self) -> "Forgetting":
        from everself.app.recalling import open_traces
        from everself.app.sessions import open_transcript_traces
        from everself.disk.lock import FileLock
        from everself.forgetting.forgetting import Forgetting, Grip

        places, derived = (open_transcript_traces(self),), (open_traces(self),)
        lock = FileLock(f"{self.agent.state}/forget.lock")
        grip = Grip(self.workspace, self.state, self.grounds, places, derived, root=self.agent.workspace, lock=lock)
        return Forgetting(self.memory.book, grip, self.clock)

    def remember(self, text: str, **details: Unpack[Details]) -> Remembered:
        """Remember something the owner says."""
        return self.memory.remember(Thought(text, OWNER, **details))

    def correct(self, old: str, new: str) -> Corrected:
        """Put something right: `old` is an entry's id or its words."""
        return self.memory.correct(old, new)

    def search(self, query: str, limit: int | None = None) -> "Found":
        """The best hits for the owner's own words, with citations; refused where the settings switch searching off."""
        from everself.app.recalling import need_search
        from everself.recall.recall import Request

        need_search(self)
        return self.recall.search(Request(query, limit))

    def context(self, message: str = "") -> "Prompt":
        """What a model would be told if the owner said this now, with its receipt. Nothing is recorded."""
        from everself.app.assembling import facts_of
        from everself.context.asking import Ask

        return self.assembler.assemble(Ask(message=message, facts=facts_of(self), recorded=False))

    @cached_property
    def freshness(self) -> "Freshness":
        from everself.upkeep.freshness import Freshness

        return Freshness(self.index, self.agent.workspace)

    def keep_index_fresh(self, *, paid: bool = False) -> None:
        """For processes that live long: sync soon after files change and embed in the background, until `close`.

        An embedder that costs money is not asked unless `paid` says that somebody agreed to it.
        """
        if self.agent.search.enabled:
            self.freshness.start(embed=self.embedder is not None and (paid or not self.embedder.paid))

    def _glance(self, path: str) -> bytes | None:
        """A document that is needed before the workspace can be opened."""
        if not os.path.isdir(self.agent.workspace):
            return None
        try:
            return RealFileSystem(self.agent.workspace).read(path)
        except OSError:
            # whatever is wrong with it, doctor says; the defaults hold
            return None

    def close(self) -> None:
        if "freshness" in self.__dict__:
            self.freshness.stop()
        if "index" in self.__dict__:
            self.index.close()
        if "workspace" in self.__dict__:
            from everself.app.guarding import keep_up

            keep_up(self)
            self.workspace.close()
        if "state" in self.__dict__:
            self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
