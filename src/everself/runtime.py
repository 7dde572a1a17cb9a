"""The composition root: one agent, opened. Its parts are made when they are first asked for, so that a command pays only for what it uses.

It alone knows all parts. What opens one of them takes the others that it needs, never the whole.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from everself.clock import Clock
from everself.config import Agent, Loaded, Places, load_here, with_tunables
from everself.config.sections import SoulIntegrity, Tunables
from everself.errors import EverselfError, NotFound
from everself.identity.time_zone import user_zone
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
from everself.workspace.state_opening import open_or_stand_in

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from everself.classify.triage import Triage
    from everself.conversation import parts as conversation
    from everself.conversation.compaction import Compactor
    from everself.conversation.context import request as context
    from everself.conversation.context.assembler import Assembler, Prompt
    from everself.conversation.context.opening import Usable
    from everself.conversation.conversation import Chat
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.forgetting import TranscriptTraces
    from everself.conversation.sessions.log import Log
    from everself.conversation.threads import Aside
    from everself.conversation.tools.own.kit import Kit, Report
    from everself.conversation.tools.protocol import Setting
    from everself.identity.counter import KeptCounter
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual
    from everself.keepers.runner import Runner
    from everself.keepers.scheduler import Schedule
    from everself.memory.bank import Bank
    from everself.memory.forgetting.forgetting import Forgetting
    from everself.models.charging import Charger
    from everself.models.chat.protocol import ChatModel
    from everself.models.embedding.protocol import Embedder
    from everself.search.forgetting import IndexTraces
    from everself.search.freshness import Freshness
    from everself.search.index import Index
    from everself.search.recall import Found, Recall
    from everself.workspace.extra_paths import Elsewhere
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


class Runtime:
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
        guards = (*standard_guards(door, self._souls), tombstone_guard(self.state.entries))
        made = assemble(self.grounds, self.state, self.clock, Habits(guards=guards, refusal=self.impaired))
        self.recovered = made.recover()
        return made

    @part
    def grounds(self) -> Grounds:
        return real_grounds(self.agent.workspace, self.agent.state)

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
        """The embedder that the settings ask for; nothing is loaded yet."""
        from everself.models.embedding import open_embedder

        return open_embedder(self.agent.search, self.loaded.config.provider, self.models_folder)

    @property
    def models_folder(self) -> str:
        return os.path.join(self.places.home, "models")

    @part
    def index(self) -> "Index":
        from everself.search.opening import open_index

        grace = self.tunables.corrected_embedding_grace_days
        return open_index(self.agent, self.workspace, self.clock, self.embedder, self.elsewhere(), grace)

    def elsewhere(self) -> "list[Elsewhere]":
        """Documents from elsewhere that are searched too."""
        from everself.workspace.extra_paths import open_elsewhere

        return open_elsewhere(self.agent, self.places)

    @part
    def recall(self) -> "Recall":
        from everself.search.opening import open_recall

        return open_recall(self.index, self.clock, self.agent.search, self.tunables, self.memory, self.state)

    @part
    def persona(self) -> "Persona":
        from everself.identity.opening import open_persona

        hook = self.loaded.config.hooks.persona
        return open_persona(hook, self.clock, self.state, lambda: self.integrity)

    @part
    def integrity(self) -> "Integrity":
        from everself.identity.integrity import Integrity

        personas, policy = self._souls, self.agent.soul.integrity
        return Integrity(self.workspace, self.state, self._open_counter(), self.clock, personas=personas, policy=policy)

    def _open_counter(self) -> "KeptCounter":
        from everself.identity.counter import KeptCounter
        from everself.storage.host_files import counter_file, ensure_key

        folder = self.places.key_folder
        return KeptCounter(counter_file(folder, self.agent.id, self.agent.state), ensure_key(folder))

    @property
    def _souls(self) -> tuple[str, ...]:
        """The documents of alternate personas."""
        return (self.loaded.config.hooks.persona.file,)

    @part
    def growth(self) -> "Growth":
        from everself.identity.opening import open_growth

        memory, integrity = (lambda: self.memory), (lambda: self.integrity)
        return open_growth(self.agent, self.tunables, self.workspace, self.state, self.clock, memory, integrity)

    @part
    def ritual(self) -> "Ritual":
        from everself.identity.ritual import Ritual

        return Ritual(self.workspace, self.state, self.clock, self.integrity.settle)

    @part
    def assembler(self) -> "Assembler":
        from everself.conversation.context.assembler import Assembler

        return Assembler(self.context_parts())

    def context_parts(self) -> "context.Parts":
        """What the assembler works with."""
        from everself.conversation.context.opening import ContextSettings, External, gather_parts

        tunables, config, external = self.tunables, self.loaded.config, None
        if tunables.external_context_source and tunables.external_context_budget > 0:
            external = External(
                tunables.external_context_source,
                config.tunables.external_context_source,
                lambda: self.workspace,
                lambda path: self.places.expand(path, "external_context_source"),
            )
        settings = ContextSettings(self.agent.context, tunables, config.programs, self.places.key_folder, external)
        recall = (lambda: self.recall) if self.agent.search.enabled else None
        return gather_parts(settings, self.clock, self._usable(), lambda: self.persona, lambda: self.memory, recall)

    def _usable(self) -> "Usable":
        from everself.conversation.context.opening import Usable

        return Usable(lambda: self.workspace, lambda: self.integrity, self._souls)

    def facts(self, channel: str = "", tools: tuple[str, ...] = ()) -> "context.Facts":
        import platform

        from everself.conversation.context.request import Facts

        return Facts(platform.node(), self.agent.model, channel, tools)

    @part
    def log(self) -> "Log":
        from everself.conversation.sessions.log import Log
        from everself.conversation.sessions.opening import open_transcripts

        return Log(self.state.messages, open_transcripts(self.agent.state), self.clock)

    @part
    def charger(self) -> "Charger":
        from everself.models.charging import Charger, cost

        return Charger(self.state.spend, self.loaded.config.spend, self.clock, cost)

    def chat_model(self, name: str = "") -> "ChatModel":
        """The named model, else the agent's. Raises ModelFailed where there is none of that name; nothing is asked yet."""
        from everself.conversation.chat_models import open_chat_model

        return open_chat_model(name or self.agent.model, self.loaded.config.providers)

    @part
    def chat(self) -> "Chat":
        """Nothing of it is opened before it is used: a conversation begins with the first message, not with the prompt for it."""
        from everself.conversation.conversation import Chat
        from everself.conversation.threads import Aside
        from everself.conversation.tools.outside.opening import open_reach
        from everself.conversation.tools.own.selection import own_tools

        aside = Aside()

        def spawn(task: str, setting: "Setting") -> "Awaitable[Report]":
            from everself.conversation.subagents import Subagents

            return Subagents(self.chat.desk).send(task, setting)

        kit = self.tool_kit(aside, spawn)
        parts = replace(self.conversation_parts(), aside=aside, tools=lambda scope: own_tools(kit, scope))
        return Chat(replace(parts, outside=lambda scope: open_reach(self.agent, self.loaded, scope)))

    def conversation_parts(self) -> "conversation.Parts":
        """What a conversation works with, but for its tools."""
        from everself.conversation.heeding import Heeding
        from everself.conversation.opening import Opened, gather_parts

        memory, checkpoint, assembler = (lambda: self.memory), (lambda: self.checkpoint), (lambda: self.assembler)
        triage, recall, embedder = self._open_triage, (lambda: self.recall), (lambda: self.embedder)
        integrity, compactor, log = (lambda: self.integrity), (lambda: self.compactor), self.log
        act = Heeding(triage, memory, recall, embedder, checkpoint, log)
        opened = Opened(log, self.state, self.clock, self.charger, memory, integrity, checkpoint, compactor)
        return gather_parts(opened, self.chat_model, assembler, self.facts, act)

    def tool_kit(
        self, aside: "Aside | None" = None, spawn: "Callable[[str, Setting], Awaitable[Report]] | None" = None
    ) -> "Kit":
        """What the own tools work with; nothing of it is opened before a tool is called."""
        from everself.conversation.threads import Aside
        from everself.conversation.tools.own.kit import Kit, asks_to_forget
        from everself.keepers.asking import ask_correction, promoting_of
        from everself.search.sharing import read_rules

        return Kit(
            aside=aside or Aside(),
            memory=lambda: self.memory,
            workspace=lambda: self.workspace,
            find=self._usable().find,
            growth=lambda: self.growth,
            forgetting=lambda: self.forgetting,
            recall=(lambda: self.recall) if self.agent.search.enabled else None,
            asks_to_forget=asks_to_forget,
            spawn=spawn,
            access=self.agent.subagent_access,
            rules=read_rules(self.agent.context.share),
            personas=self._souls,
            promoting=promoting_of(
                lambda: self.tunables, lambda: self.memory, lambda: self.state, lambda: self.keepers
            ),
            files=lambda: self.state.files,
            ask_correction=lambda entry, words, setting: ask_correction(self.keepers, entry, words, setting),
        )

    def _open_triage(self) -> "Triage":
        """Whoever reads messages for what they are has the encoder at hand; it is loaded with the first of them."""
        from everself.classify import encoder
        from everself.classify.triage import Triage
        from everself.models.embedding.local import bundled

        encoder.offer(bundled(self.embedder, self.models_folder).embed)
        programs = self.loaded.config.programs
        return Triage(self.tunables.heartbeat_custom_patterns, programs.recall_external_handler)

    @part
    def schedule(self) -> "Schedule":
        from everself.keepers.standing_jobs import open_schedule

        self.workspace  # noqa: B018 an agent that is not there has no jobs, and a state without a workspace would look like a loss
        return open_schedule(self.state, self.agent.state, self.clock, self.tunables)

    @part
    def keepers(self) -> "Runner":
        from everself.conversation.chat_models import REFLEX
        from everself.keepers.opening import Shared, open_keepers

        searched = self.agent.search.enabled
        shared = Shared(
            lambda: None if self.agent.model == REFLEX else self.chat_model(),
            self._open_triage,
            lambda: self.embedder,
            (lambda: self.index) if searched else None,
            (lambda: self.recall) if searched else lambda: None,
            lambda: self.integrity,
            lambda: self.growth,
        )
        memory, policy = self.memory, self.agent.soul.policy
        return open_keepers(shared, memory, self.state, self.log, self.tunables, policy, self.charger)

    @part
    def checkpoint(self) -> "Checkpoint":
        from everself.conversation.sessions.checkpoint import Checkpoint

        return Checkpoint(self.memory, self.log)

    @part
    def compactor(self) -> "Compactor":
        from everself.conversation.opening import open_compactor

        agent, hooks = self.agent, self.loaded.config.hooks
        return open_compactor(agent, hooks, self.chat.desk, self.memory, self.log, self.checkpoint)

    @part
    def bank(self) -> "Bank":
        from everself.memory.bank import Bank

        return Bank(self.memory)

    @part
    def forgetting(self) -> "Forgetting":
        from everself.memory.forgetting.forgetting import Forgetting, Grip
        from everself.memory.forgetting.set_aside import SetAside
        from everself.storage.lock import FileLock

        places, derived = (self.transcript_traces(), SetAside(self.grounds.state)), (self.index_traces(),)
        lock = FileLock(f"{self.agent.state}/forget.lock")
        grip = Grip(self.workspace, self.state, self.grounds, places, derived, root=self.agent.workspace, lock=lock)
        return Forgetting(self.memory.book, grip, self.clock)

    def transcript_traces(self) -> "TranscriptTraces":
        """The transcripts as forgetting reaches them."""
        from everself.conversation.sessions.forgetting import TranscriptTraces
        from everself.conversation.sessions.opening import open_transcripts

        return TranscriptTraces(self.log, open_transcripts(self.agent.state))

    def index_traces(self) -> "IndexTraces":
        """The index as forgetting reaches it; nothing is opened yet."""
        from everself.search.opening import open_traces

        return open_traces(self.agent, lambda: self.workspace, self.elsewhere, lambda: self.index)

    def remember(self, text: str, *, lineage: tuple[str, ...] = (), **details: Unpack[Details]) -> Remembered:
        """Remember something the owner says; `lineage` are references to what it rests on."""
        return self.memory.remember(Thought(text, stated_by_owner("terminal", *lineage), **details))

    def correct(self, old: str, new: str) -> Corrected:
        """Put something right: `old` is an entry's id or its words."""
        return self.memory.correct(old, new, stated_by_owner("terminal"))

    def search(self, query: str, limit: int | None = None) -> "Found":
        """The best hits for the owner's own words, with citations; refused where the settings switch searching off."""
        from everself.search.opening import need_search
        from everself.search.recall import Request

        need_search(self.agent.search)
        return self.recall.search(Request(query, limit))

    def context(self, message: str = "") -> "Prompt":
        """What a model would be told if the owner said this now, with its receipt. Nothing is recorded."""
        from everself.conversation.context.request import Ask

        return self.assembler.assemble(Ask(message=message, facts=self.facts(), recorded=False))

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
        """The changes that this Runtime made: whatever fails afterwards, they stand."""
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
            from everself.identity.counter import keep_up

            keep_up(self._open_counter, self.state, lambda: self.integrity)
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


def open_runtime(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Runtime:
    """Open an agent: the named one, else the one of EVERSELF_PROFILE, else the default. Touches no file of the agent yet."""
    loaded = load_here(environ)
    chosen = loaded.config.agent(agent)
    if workspace:
        chosen = replace(chosen, workspace=workspace)
    return Runtime(loaded.config.places, loaded, chosen)
