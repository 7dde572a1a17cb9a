"""The composition root: opens one agent. Its parts are created on first use, so that a command pays only for what it uses.

It alone knows all parts. What opens one of them takes the others that it needs, never the whole.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from everself.clock import Clock
from everself.config import AgentSettings, Loaded, Places, load_here, with_tunables
from everself.config.sections import SoulIntegrity, Tunables
from everself.errors import EverselfError, NotFound
from everself.identity.time_zone import user_zone
from everself.lazy import part
from everself.memory.catalog import Catalog
from everself.memory.forgetting.guard import tombstone_guard
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.provenance import Dynamics, stated_by_owner
from everself.memory.suspicion import Releases
from everself.memory.writing import NewEntry
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.values import Document, Tag
from everself.workspace.assembly import WorkspaceOptions, WorkspaceStorage, assemble, real_storage
from everself.workspace.disk_workspace import DiskWorkspace, Recovery
from everself.workspace.guards import learned_exemption, standard_guards
from everself.workspace.relocation import finish_restore
from everself.workspace.state_factory import open_or_read_only

if TYPE_CHECKING:
    from everself.classify.triage import Triage
    from everself.conversation import parts as conversation
    from everself.conversation.compaction import ConversationCompactor
    from everself.conversation.context import request as context
    from everself.conversation.context.assembler import Assembler, Prompt
    from everself.conversation.context.factory import VerifiedDocuments
    from everself.conversation.conversation import Chat
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.forgetting import TranscriptTraces
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.tools.protocol import Tool
    from everself.conversation.worker_thread import WorkerThread
    from everself.identity.counter import KeptCounter
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual
    from everself.keepers.runner import Runner
    from everself.keepers.scheduler import Scheduler
    from everself.memory.bank import Bank
    from everself.memory.forgetting.forgetting import Forgetting
    from everself.models.chat.protocol import ChatModel
    from everself.models.embedding.protocol import Embedder
    from everself.models.spend_meter import SpendMeter
    from everself.search.forgetting import IndexTraces
    from everself.search.freshness import Freshness
    from everself.search.index import Index
    from everself.search.recall import Recall, SearchResult
    from everself.search.scopes import Scope
    from everself.workspace.extra_paths import ExtraPath
    from everself.workspace.repair import Mended


class Details(TypedDict, total=False):
    """Optional fields of a new entry."""

    category: str
    tag: Tag
    explicit: bool
    who: str
    person: str
    project: str
    key: str


class Runtime:
    """Use as a context manager: leaving it commits what still waits for the history."""

    def __init__(self, places: Places, loaded: Loaded, agent: AgentSettings) -> None:
        self.places = places
        self.loaded = loaded
        self.agent = agent
        self.recovered = Recovery()
        # what failed while closing; the changes themselves are saved, and the next start completes the rest
        self.unsettled: list[str] = []
        # why this agent can only be read at the moment
        self.impaired: EverselfError | None = None
        # whether `close` was called
        self.closed = False
        # the model's own tools for a session; given from above, where operations are known
        self.tools: Callable[[Scope], Sequence[Tool]] = lambda _: ()

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
        found, self.impaired = open_or_read_only(self.agent, self.places.key_folder)
        return found

    @part
    def workspace(self) -> DiskWorkspace:
        """The agent's workspace, with whatever a dead process left half done completed first."""
        if not os.path.isdir(self.agent.workspace):
            finish_restore(self.agent)
        if not os.path.isdir(self.agent.workspace):
            raise NotFound(f"workspace {self.agent.workspace}.", mend="everself setup")
        door = learned_exemption(self.agent.soul.policy)
        guards = (*standard_guards(door, self.personas), tombstone_guard(self.state.entries))
        made = assemble(self.storage, self.state, self.clock, WorkspaceOptions(guards=guards, refusal=self.impaired))
        self.recovered = made.recover()
        return made

    @part
    def storage(self) -> WorkspaceStorage:
        return real_storage(self.agent.workspace, self.agent.state)

    @part
    def memory(self) -> Memory:
        found = self.tunables
        dynamics = Dynamics(
            boost=found.confidence_boost_per_mention,
            loss=found.confidence_decay_amount,
            days=found.confidence_decay_interval_days,
            floor=found.confidence_floor,
        )
        catalog = Catalog(self.workspace, self.state.entries, self.state.provenance, self.clock)
        releases = Releases(self.state.reviews, self.state.entries)
        return Memory(self.workspace, catalog, self.clock, dynamics=dynamics, releases=releases)

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
        from everself.search.factory import open_index

        grace = self.tunables.corrected_embedding_grace_days
        return open_index(self.agent, self.workspace, self.clock, self.embedder, self.extra_paths(), grace)

    def extra_paths(self) -> "list[ExtraPath]":
        """Files outside the workspace that are searched too."""
        from everself.workspace.extra_paths import open_extra_paths

        return open_extra_paths(self.agent, self.places)

    @part
    def recall(self) -> "Recall":
        from everself.search.factory import open_recall

        return open_recall(self.index, self.clock, self.agent.search, self.tunables, self.memory, self.state)

    @part
    def persona(self) -> "Persona":
        from everself.identity.factory import open_persona

        hook = self.loaded.config.hooks.persona
        return open_persona(hook, self.clock, self.state, lambda: self.integrity)

    @part
    def integrity(self) -> "Integrity":
        from everself.identity.integrity import Integrity

        personas, policy = self.personas, self.agent.soul.integrity
        return Integrity(self.workspace, self.state, self._open_counter(), self.clock, personas=personas, policy=policy)

    def _open_counter(self) -> "KeptCounter":
        from everself.identity.counter import KeptCounter
        from everself.storage.host_files import counter_file, ensure_key

        folder = self.places.key_folder
        return KeptCounter(counter_file(folder, self.agent.id, self.agent.state), ensure_key(folder))

    @property
    def personas(self) -> tuple[str, ...]:
        """The documents of alternate personas."""
        return (self.loaded.config.hooks.persona.file,)

    @part
    def growth(self) -> "Growth":
        from everself.identity.factory import open_growth

        memory, integrity = (lambda: self.memory), (lambda: self.integrity)
        return open_growth(self.agent, self.tunables, self.workspace, self.state, self.clock, memory, integrity)

    @part
    def ritual(self) -> "Ritual":
        from everself.identity.ritual import Ritual

        def settle() -> None:
            self.integrity.settle()
            # from now on, not from the next start on
            self.clock.zone = user_zone(self.agent.time_zone, self._glance("USER.md"))

        return Ritual(self.workspace, self.state, self.clock, settle)

    @part
    def assembler(self) -> "Assembler":
        from everself.conversation.context.assembler import Assembler

        return Assembler(self.context_parts())

    def context_parts(self) -> "context.Parts":
        """What the assembler works with."""
        from everself.conversation.context.factory import ContextSettings, ExternalFile, gather_parts

        tunables, config, external = self.tunables, self.loaded.config, None
        if tunables.external_context_source and tunables.external_context_budget > 0:
            external = ExternalFile(
                tunables.external_context_source,
                config.tunables.external_context_source,
                lambda: self.workspace,
                lambda path: self.places.expand(path, "external_context_source"),
            )
        settings = ContextSettings(self.agent.context, tunables, config.programs, self.places.key_folder, external)
        recall = (lambda: self.recall) if self.agent.search.enabled else None
        return gather_parts(settings, self.clock, self._documents(), lambda: self.persona, lambda: self.memory, recall)

    def find_usable(self, path: str) -> Document | None:
        """A document as it may be used: what only humans write passes integrity first."""
        return self._documents().find(path)

    def _documents(self) -> "VerifiedDocuments":
        from everself.conversation.context.factory import VerifiedDocuments

        return VerifiedDocuments(lambda: self.workspace, lambda: self.integrity, self.personas)

    def facts(self, channel: str = "") -> "context.Facts":
        import platform

        from everself.conversation.context.request import Facts

        return Facts(platform.node(), self.agent.model, channel)

    @part
    def log(self) -> "SessionLog":
        from everself.conversation.sessions.factory import open_transcripts
        from everself.conversation.sessions.log import SessionLog

        return SessionLog(self.state.messages, open_transcripts(self.agent.state), self.clock)

    @part
    def spend_meter(self) -> "SpendMeter":
        from everself.models.spend_meter import SpendMeter, cost

        return SpendMeter(self.state.spend, self.loaded.config.spend, self.clock, cost)

    def chat_model(self, name: str = "") -> "ChatModel":
        """The named model, else the agent's. Raises ModelFailed where there is none of that name; nothing is asked yet."""
        from everself.conversation.chat_models import open_chat_model

        return open_chat_model(name or self.agent.model, self.loaded.config.providers)

    @part
    def worker(self) -> "WorkerThread":
        """Where the blocking work of conversations is done."""
        from everself.conversation.worker_thread import WorkerThread

        return WorkerThread()

    @part
    def chat(self) -> "Chat":
        """The conversations of the agent. Parts are opened on first use."""
        from everself.conversation.conversation import Chat
        from everself.conversation.tools.outside.factory import open_external_access

        def tools(scope: "Scope") -> "Sequence[Tool]":
            from everself.conversation.subagents import Subagents, spawn_tool

            return (*self.tools(scope), *spawn_tool(scope, lambda: Subagents(self.chat.shared)))

        parts = replace(self.conversation_parts(), in_thread=self.worker, tools=tools)
        return Chat(replace(parts, outside=lambda scope: open_external_access(self.agent, self.loaded, scope)))

    def conversation_parts(self) -> "conversation.Parts":
        """What a conversation uses, without its tools."""
        from everself.conversation.factory import ChatResources, gather_parts
        from everself.conversation.message_actions import MessageActions

        memory, checkpoint, assembler = (lambda: self.memory), (lambda: self.checkpoint), (lambda: self.assembler)
        triage, recall, embedder = self._open_triage, (lambda: self.recall), (lambda: self.embedder)
        integrity, compactor, log = (lambda: self.integrity), (lambda: self.compactor), self.log
        act = MessageActions(triage, memory, recall, embedder, checkpoint, log)
        opened = ChatResources(log, self.state, self.clock, self.spend_meter, memory, integrity, checkpoint, compactor)
        return gather_parts(opened, self.chat_model, assembler, self.facts, act)

    def _open_triage(self) -> "Triage":
        from everself.classify.triage import Triage

        programs = self.loaded.config.programs
        return Triage(self.tunables.heartbeat_custom_patterns, programs.recall_external_handler)

    @part
    def schedule(self) -> "Scheduler":
        from everself.keepers.standing_jobs import open_schedule

        self.workspace  # noqa: B018 an agent that is not there has no jobs, and a state without a workspace would look like a loss
        return open_schedule(self.state, self.agent.state, self.clock, self.tunables)

    @part
    def keepers(self) -> "Runner":
        from everself.conversation.chat_models import REFLEX
        from everself.keepers.factory import KeeperResources, open_keepers

        searched = self.agent.search.enabled
        shared = KeeperResources(
            lambda: None if self.agent.model == REFLEX else self.chat_model(),
            self._open_triage,
            lambda: self.embedder,
            (lambda: self.index) if searched else None,
            (lambda: self.recall) if searched else lambda: None,
            lambda: self.integrity,
            lambda: self.growth,
        )
        memory, policy = self.memory, self.agent.soul.policy
        return open_keepers(shared, memory, self.state, self.log, self.tunables, policy, self.spend_meter)

    @part
    def checkpoint(self) -> "Checkpoint":
        from everself.conversation.sessions.checkpoint import Checkpoint

        return Checkpoint(self.memory, self.log)

    @part
    def compactor(self) -> "ConversationCompactor":
        from everself.conversation.factory import open_compactor

        agent, hooks = self.agent, self.loaded.config.hooks
        return open_compactor(agent, hooks, self.chat.shared, self.memory, self.log, self.checkpoint)

    @part
    def bank(self) -> "Bank":
        from everself.memory.bank import Bank

        return Bank(self.memory)

    @part
    def forgetting(self) -> "Forgetting":
        from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources
        from everself.memory.forgetting.set_aside import SetAside
        from everself.storage.lock import FileLock

        places, derived = (self.transcript_traces(), SetAside(self.storage.state)), (self.index_traces(),)
        lock = FileLock(f"{self.agent.state}/forget.lock")
        resources = ForgettingResources(
            self.workspace, self.state, self.storage, places, derived, root=self.agent.workspace, lock=lock
        )
        return Forgetting(self.memory.catalog, resources, self.clock)

    def transcript_traces(self) -> "TranscriptTraces":
        """The transcripts as forgetting reaches them."""
        from everself.conversation.sessions.factory import open_transcripts
        from everself.conversation.sessions.forgetting import TranscriptTraces

        return TranscriptTraces(self.log, open_transcripts(self.agent.state))

    def index_traces(self) -> "IndexTraces":
        """The index as forgetting reaches it; nothing is opened yet."""
        from everself.search.factory import open_traces

        return open_traces(self.agent, lambda: self.workspace, self.extra_paths, lambda: self.index)

    def remember(self, text: str, *, lineage: tuple[str, ...] = (), **details: Unpack[Details]) -> Remembered:
        """Remember something the owner says; `lineage` are references to what it rests on."""
        return self.memory.remember(NewEntry(text, stated_by_owner("terminal", *lineage), **details))

    def correct(self, old: str, new: str) -> Corrected:
        """Correct an entry: `old` is its id or its text."""
        return self.memory.correct(old, new, stated_by_owner("terminal"))

    def search(self, query: str, limit: int | None = None) -> "SearchResult":
        """The best hits for the owner's own words, with citations; refused where the settings switch searching off."""
        from everself.search.factory import need_search
        from everself.search.recall import RecallRequest

        need_search(self.agent.search)
        return self.recall.search(RecallRequest(query, limit))

    def context(self, message: str = "") -> "Prompt":
        """What a model would be told if the owner said this now, with its receipt. Nothing is recorded."""
        from everself.conversation.context.request import PromptRequest

        return self.assembler.assemble(PromptRequest(message=message, facts=self.facts(), recorded=False))

    @part
    def freshness(self) -> "Freshness":
        from everself.search.freshness import Freshness

        return Freshness(self.index, self.agent.workspace)

    def keep_index_fresh(self, *, paid: bool = False) -> None:
        """For long-running processes: sync soon after files change and embed in the background, until `close`.

        A paid embedder is only used where `paid` says that a person agreed to it.
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
            # problems in it are reported by doctor; the defaults are used
            return None

    @property
    def acknowledged(self) -> Sequence[str]:
        """The changes that this Runtime made. Later failures do not affect them."""
        return tuple(self.workspace.acknowledged) if "workspace" in self.__dict__ else ()

    @property
    def unread(self) -> "dict[str, str]":
        """Documents with memories that could not be read, and why."""
        return dict(self.memory.catalog.unread) if "memory" in self.__dict__ else {}

    @property
    def mended(self) -> "tuple[Mended, ...]":
        """What was repaired in the history while this agent was open."""
        return self.workspace.mended if "workspace" in self.__dict__ else ()

    def close(self) -> None:
        """Close everything. What cannot be completed now is left for the next start and reported in `unsettled`, not raised."""
        self.closed = True
        if "freshness" in self.__dict__:
            self.freshness.stop()
        if "index" in self.__dict__:
            self._settle(
                self.index.close,
                "The index was not closed properly; it is checked when it is next opened",
            )
        if "workspace" in self.__dict__:
            from everself.identity.counter import keep_up

            keep_up(self._open_counter, self.state, lambda: self.integrity)
            self._settle(
                self.workspace.close, "The change is saved, but not in the history yet; the next command continues"
            )
        if "state" in self.__dict__:
            self._settle(self.state.close, "The records are saved, but the database was not closed properly")

    def _settle(self, close: Callable[[], None], otherwise: str) -> None:
        try:
            close()
        except EverselfError as error:
            self.unsettled.append(f"{otherwise}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_runtime(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Runtime:
    """The parts of an agent: the named one, else the one of EVERSELF_PROFILE, else the default. Touches no file of the agent yet.

    Its conversations have no tools; `everself.agent.open_runtime` gives them.
    """
    loaded = load_here(environ)
    chosen = loaded.config.agent(agent)
    if workspace:
        chosen = replace(chosen, workspace=workspace)
    return Runtime(loaded.config.places, loaded, chosen)
