"""App: one agent, opened. Its parts are made when they are first asked for, so that a command pays only for what it uses."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from everself.app.changes import Changes
from everself.app.reading import open_or_stand_in
from everself.app.zone import user_zone
from everself.clock import Clock
from everself.config import Agent, Loaded, Places, with_tunables
from everself.config.sections import SoulIntegrity, Tunables
from everself.errors import EverselfError, NotFound
from everself.lazy import part
from everself.memory.catalog import Book
from everself.memory.forgetting.guard import tombstone_guard
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.provenance import Dynamics, stated_by_owner
from everself.memory.suspicion import Releases
from everself.memory.writing import Thought
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.values import Tag
from everself.workspace.assembly import Grounds, Habits, assemble, real_grounds
from everself.workspace.disk_workspace import DiskWorkspace, Recovery
from everself.workspace.guards import learned_door, standard_guards
from everself.workspace.relocation import finish_restore

if TYPE_CHECKING:
    from everself.app.charging import Charger
    from everself.conversation.compaction import Compactor
    from everself.conversation.context.assembler import Assembler, Prompt
    from everself.conversation.conversation import Chat
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.log import Log
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual
    from everself.keepers.runner import Runner
    from everself.keepers.scheduler import Schedule
    from everself.memory.bank import Bank
    from everself.memory.forgetting.forgetting import Forgetting
    from everself.models.embedding.protocol import Embedder
    from everself.search.freshness import Freshness
    from everself.search.index import Index
    from everself.search.recall import Found, Recall
    from everself.workspace.repair import Mended


class Details(TypedDict, total=False):
    """What else may be said of a thought."""

    category: str
    tag: Tag
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
        # what could not be done while closing; the changes themselves stand, and the next start does the rest
        self.unsettled: list[str] = []
        # why this agent can only be read at the moment
        self.impaired: EverselfError | None = None

    @part
    def clock(self) -> Clock:
        return Clock(user_zone(self.agent.time_zone, self._glance("USER.md")))

    @part
    def tunables(self) -> Tunables:
        """The settings of CONFIG.md over those of the host file."""
        strict = self.agent.soul.integrity is SoulIntegrity.STRICT and os.path.isdir(self.agent.workspace)
        text = self.integrity.text("CONFIG.md") if strict else self._glance("CONFIG.md")
        return with_tunables(self.loaded, text.decode("utf-8", "replace") if text else None).config.tunables

    @part
    def state(self) -> State:
        found, self.impaired = open_or_stand_in(self.agent, self.places.key_folder)
        return found

    @part
    def workspace(self) -> DiskWorkspace:
        """The agent's workspace, with whatever a dead process left half done completed first."""
        if not os.path.isdir(self.agent.workspace):
            finish_restore(self.agent)
        if not os.path.isdir(self.agent.workspace):
            raise NotFound(f"There is no workspace at {self.agent.workspace} yet.", mend="everself setup")
        door = learned_door(self.agent.soul.policy)
        personas = (self.loaded.config.hooks.persona.file,)
        guards = (*standard_guards(door, personas), tombstone_guard(self.state.entries))
        made = assemble(self.grounds, self.state, self.clock, Habits(guards=guards, refusal=self.impaired))
        self.recovered = made.recover()
        return made

    @part
    def grounds(self) -> Grounds:
        return real_grounds(self.agent.workspace, self.agent.state)

    @part
    def changes(self) -> Changes:
        return Changes(self.workspace)

    @part
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

    @part
    def embedder(self) -> "Embedder | None":
        from everself.app.recalling import open_search_embedder

        return open_search_embedder(self)

    @part
    def index(self) -> "Index":
        from everself.app.recalling import open_index

        return open_index(self)

    @part
    def recall(self) -> "Recall":
        from everself.app.recalling import open_recall

        return open_recall(self)

    @part
    def persona(self) -> "Persona":
        from everself.app.personas import open_persona

        return open_persona(self)

    @part
    def integrity(self) -> "Integrity":
        from everself.app.guarding import open_integrity

        return open_integrity(self)

    @part
    def growth(self) -> "Growth":
        from everself.app.growing import open_growth

        return open_growth(self)

    @part
    def ritual(self) -> "Ritual":
        from everself.app.personas import open_ritual

        return open_ritual(self)

    @part
    def assembler(self) -> "Assembler":
        from everself.app.assembling import open_assembler

        return open_assembler(self)

    @part
    def log(self) -> "Log":
        from everself.app.sessions import open_log

        return open_log(self)

    @part
    def charger(self) -> "Charger":
        from everself.app.charging import open_charger

        return open_charger(self)

    @part
    def chat(self) -> "Chat":
        from everself.app.conversing import open_chat

        return open_chat(self)

    @part
    def schedule(self) -> "Schedule":
        from everself.app.scheduling import open_schedule

        return open_schedule(self)

    @part
    def keepers(self) -> "Runner":
        from everself.app.keeping import open_keepers

        return open_keepers(self)

    @part
    def checkpoint(self) -> "Checkpoint":
        from everself.conversation.sessions.checkpoint import Checkpoint

        return Checkpoint(self.memory, self.log)

    @part
    def compactor(self) -> "Compactor":
        from everself.app.sessions import open_compactor

        return open_compactor(self)

    @part
    def bank(self) -> "Bank":
        from everself.memory.bank import Bank

        return Bank(self.memory)

    @part
    def forgetting(self) -> "Forgetting":
        from everself.app.recalling import open_traces
        from everself.app.sessions import open_transcript_traces
        from everself.memory.forgetting.forgetting import Forgetting, Grip
        from everself.memory.forgetting.set_aside import SetAside
        from everself.storage.lock import FileLock

        places, derived = (open_transcript_traces(self), SetAside(self.grounds.state)), (open_traces(self),)
        lock = FileLock(f"{self.agent.state}/forget.lock")
        grip = Grip(self.workspace, self.state, self.grounds, places, derived, root=self.agent.workspace, lock=lock)
        return Forgetting(self.memory.book, grip, self.clock)

    def remember(self, text: str, *, lineage: tuple[str, ...] = (), **details: Unpack[Details]) -> Remembered:
        """Remember something the owner says; `lineage` are references to what it rests on."""
        return self.memory.remember(Thought(text, stated_by_owner("terminal", *lineage), **details))

    def correct(self, old: str, new: str) -> Corrected:
        """Put something right: `old` is an entry's id or its words."""
        return self.memory.correct(old, new, stated_by_owner("terminal"))

    def search(self, query: str, limit: int | None = None) -> "Found":
        """The best hits for the owner's own words, with citations; refused where the settings switch searching off."""
        from everself.app.recalling import need_search
        from everself.search.recall import Request

        need_search(self)
        return self.recall.search(Request(query, limit))

    def context(self, message: str = "") -> "Prompt":
        """What a model would be told if the owner said this now, with its receipt. Nothing is recorded."""
        from everself.app.assembling import facts_of
        from everself.conversation.context.request import Ask

        return self.assembler.assemble(Ask(message=message, facts=facts_of(self), recorded=False))

    @part
    def freshness(self) -> "Freshness":
        from everself.search.freshness import Freshness

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

    @property
    def acknowledged(self) -> Sequence[str]:
        """The changes that this App made: whatever fails afterwards, they stand."""
        return tuple(self.workspace.acknowledged) if "workspace" in self.__dict__ else ()

    @property
    def unread(self) -> "dict[str, str]":
        """Documents with memories that could not be read, and why."""
        return dict(self.memory.book.unread) if "memory" in self.__dict__ else {}

    @property
    def mended(self) -> "tuple[Mended, ...]":
        """What of the history had to be mended while this agent was open."""
        return self.workspace.mended if "workspace" in self.__dict__ else ()

    def close(self) -> None:
        """Let go of everything. What cannot be finished now is kept for the next start and told in `unsettled`, not raised."""
        if "freshness" in self.__dict__:
            self.freshness.stop()
        if "index" in self.__dict__:
            self._settle(
                self.index.close,
                "The index was not closed as it should be; it is derived, and checked when it is opened",
            )
        if "workspace" in self.__dict__:
            from everself.app.guarding import keep_up

            keep_up(self)
            self._settle(
                self.workspace.close, "What was changed stands, but is not in the history yet; the next command goes on"
            )
        if "state" in self.__dict__:
            self._settle(
                self.state.close, "What was recorded is durable, but the database was not closed as it should be"
            )

    def _settle(self, close: Callable[[], None], otherwise: str) -> None:
        try:
            close()
        except EverselfError as error:
            self.unsettled.append(f"{otherwise}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
