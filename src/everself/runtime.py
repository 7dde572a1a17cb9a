"""The composition root: opens one agent. Its parts are created on first use, so that a command pays only for what it uses.

It alone knows all parts. The function that opens a part takes the other parts it needs, never the whole.
"""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from everself.clock import Clock
from everself.config import AgentSettings, Loaded, Places, load_here, with_tunables
from everself.config.sections import SoulIntegrity, Tunables
from everself.errors import EverselfError, NotFound
from everself.identity.time_zone import user_zone
from everself.lazy import part
from everself.memory.catalog import Catalog
from everself.memory.forgetting.guard import tombstone_guard
from everself.memory.memory import Memory
from everself.memory.provenance import Dynamics
from everself.memory.suspicion import Releases
from everself.search.scopes import Scope
from everself.storage.host_files import counter_file, ensure_key, read_lines
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.workspace.assembly import WorkspaceOptions, WorkspaceStorage, assemble, real_storage
from everself.workspace.disk_workspace import DiskWorkspace, Recovery
from everself.workspace.guards import learned_exemption, standard_guards
from everself.workspace.relocation import finish_restore
from everself.workspace.repair import Mended
from everself.workspace.state_factory import open_or_read_only

if TYPE_CHECKING:
    from everself.classify.triage import Triage
    from everself.conversation.compaction import ConversationCompactor
    from everself.conversation.context.assembler import Assembler
    from everself.conversation.context.request import Facts, PromptInputs
    from everself.conversation.context.sources import VerifiedDocuments
    from everself.conversation.conversation import Chat
    from everself.conversation.resources import TurnResources
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.forgetting import TranscriptTraces
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.shared_state import WorkerThread
    from everself.conversation.tools.protocol import Tool
    from everself.identity.growth import Growth
    from everself.identity.integrity import Integrity
    from everself.identity.persona import Persona
    from everself.identity.ritual import Ritual
    from everself.identity.seal_counter import KeptCounter
    from everself.keepers.runner import Runner
    from everself.keepers.scheduler import Scheduler
    from everself.memory.forgetting.forgetting import Forgetting
    from everself.memory.memory_bank import Bank
    from everself.models.chat.protocol import ChatModel
    from everself.models.embedding.protocol import Embedder
    from everself.models.spend_meter import SpendMeter
    from everself.search.forgetting import IndexTraces
    from everself.search.freshness import Freshness
    from everself.search.index import Index
    from everself.search.recall import Recall
    from everself.workspace.extra_paths import ExtraPath


class Runtime:
    """Use as a context manager: leaving it commits the waiting changes to the history."""

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
        # the model's tools for a session; set by the package that knows the operations
        self.tools: Callable[[Scope], Sequence[Tool]] = lambda _: ()

    @part
    def clock(self) -> Clock:
        return Clock(user_zone(self.agent.time_zone, self._glance("USER.md")))

    @part
    def tunables(self) -> Tunables:
        """The tunables of CONFIG.md, with the host file as default."""
        strict = self.agent.soul.integrity is SoulIntegrity.STRICT and os.path.isdir(self.agent.workspace)
        text = self.integrity.text("CONFIG.md") if strict else self._glance("CONFIG.md")
        return with_tunables(self.loaded, text.decode("utf-8", "replace") if text else None).config.tunables

    @part
    def state(self) -> State:
        found, self.impaired = open_or_read_only(self.agent, self.places.key_folder)
        return found

    @part
    def workspace(self) -> DiskWorkspace:
        """The agent's workspace. Unfinished changes of a crashed process are completed first."""
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
        """The embedder of the settings; its model is not loaded yet."""
        from everself.models.embedding import open_embedder

        return open_embedder(self.agent.search, self.loaded.config.provider, self.models_folder)

    @part
    def index_embedder(self) -> "Embedder | None":
        """The embedder as the index uses it: it compares questions with answers, not statements with each other."""
        from everself.models.embedding.projection import ProjectedEmbedder

        return None if self.embedder is None else ProjectedEmbedder(self.embedder)

    @part
    def second_embedder(self) -> "Embedder | None":
        """The better model that works in addition to the built-in one; None if not installed."""
        from everself.models.embedding import open_second
        from everself.models.embedding.projection import ProjectedEmbedder

        first = self.embedder
        if first is None or first.provider != "local" or not first.model.startswith("use-"):
            return None
        second = open_second(self.agent.search, self.loaded.config.provider, self.models_folder)
        return None if second is None else ProjectedEmbedder(second)

    @property
    def models_folder(self) -> str:
        return os.path.join(self.places.home, "models")

    @part
    def index(self) -> "Index":
        from everself.search.factory import open_index
        from everself.search.index import IndexOptions

        options = IndexOptions(self.tunables.corrected_embedding_grace_days, self.second_embedder)
        return open_index(self.agent, self.workspace, self.clock, self.index_embedder, self.extra_paths(), options)

    def extra_paths(self) -> "list[ExtraPath]":
        """Files outside the workspace that are searched too."""
        from everself.workspace.extra_paths import open_extra_paths

        return open_extra_paths(self.agent, self.places)

    @part
    def recall(self) -> "Recall":
        from everself.memory.questions import OpenQuestions
        from everself.search.recall import Recall

        boost, searches = self.tunables.correction_relevance_boost, self.state.searches
        later = OpenQuestions(self.state.reviews, self.memory).later
        return Recall(self.index, self.clock, self.agent.search, self.memory, searches, boost=boost, later=later)

    @part
    def persona(self) -> "Persona":

        from everself.identity.persona import Persona

        hook, read = self.loaded.config.hooks.persona, self.integrity.whole_text
        return Persona(hook, self.clock, self.state.personas, read, random.SystemRandom().random)

    @part
    def integrity(self) -> "Integrity":
        from everself.identity.integrity import Integrity

        personas, policy = self.personas, self.agent.soul.integrity
        return Integrity(self.workspace, self.state, self._open_counter(), self.clock, personas=personas, policy=policy)

    def _open_counter(self) -> "KeptCounter":
        from everself.identity.seal_counter import KeptCounter

        folder = self.places.key_folder
        return KeptCounter(counter_file(folder, self.agent.id, self.agent.state), ensure_key(folder))

    @property
    def personas(self) -> tuple[str, ...]:
        """The documents of alternate personas."""
        return (self.loaded.config.hooks.persona.file,)

    @part
    def growth(self) -> "Growth":
        from everself.identity.growth import Growth
        from everself.identity.soul import SoulRules

        rules = SoulRules(self.agent.soul.policy, self.tunables.soul_max_tokens)
        return Growth(self.workspace, self.state, self.clock, rules, self.memory, self.integrity)

    @part
    def ritual(self) -> "Ritual":
        from everself.identity.ritual import Ritual

        def accept() -> None:
            self.integrity.look()
            # from now on, without a restart
            self.clock.zone = user_zone(self.agent.time_zone, self._glance("USER.md"))

        return Ritual(self.workspace, self.state, self.clock, accept)

    @part
    def assembler(self) -> "Assembler":
        from everself.conversation.context.assembler import Assembler

        return Assembler(self.prompt_inputs())

    def prompt_inputs(self) -> "PromptInputs":
        from everself.conversation.context.request import PromptInputs
        from everself.conversation.context.sources import AgentSources, ExternalFile
        from everself.search.sharing import read_rules

        tunables, config, limits = self.tunables, self.loaded.config, self.agent.context
        named, allowed = tunables.external_context_source, config.tunables.external_context_source
        external = ExternalFile(named, allowed, self.workspace, self.places) if named else None
        sources = AgentSources(
            self.documents,
            self.persona,
            self.memory,
            self.places.key_folder,
            lambda: self.recall,
            searched=self.agent.search.enabled,
            crm_hook=config.programs.crm_hook,
            external=external if tunables.external_context_budget > 0 else None,
        )
        return PromptInputs(sources, self.clock, limits, tunables, read_rules(limits.share))

    @part
    def documents(self) -> "VerifiedDocuments":
        from everself.conversation.context.sources import VerifiedDocuments

        return VerifiedDocuments(self.workspace, self.integrity, self.personas)

    def facts(self) -> "Facts":
        import platform

        from everself.conversation.context.request import Facts

        return Facts(platform.node(), self.agent.model)

    @part
    def log(self) -> "SessionLog":
        from everself.conversation.sessions.log import SessionLog
        from everself.conversation.sessions.transcripts import open_transcripts

        return SessionLog(self.state.messages, open_transcripts(self.agent.state), self.clock)

    @part
    def spend_meter(self) -> "SpendMeter":
        from everself.models.spend_meter import SpendMeter, cost

        return SpendMeter(self.state.spend, self.loaded.config.spend, self.clock, cost)

    def chat_model(self, name: str = "") -> "ChatModel":
        """The named model, otherwise the agent's. Raises ModelFailed for an unknown name; no request is made."""
        from everself.conversation.chat_models import open_chat_model

        return open_chat_model(name or self.agent.model, self.loaded.config.providers)

    @part
    def worker(self) -> "WorkerThread":
        from everself.conversation.shared_state import WorkerThread

        return WorkerThread()

    @part
    def chat(self) -> "Chat":
        """The conversations of the agent. Parts are opened on first use."""
        from everself.conversation.conversation import Chat
        from everself.conversation.shared_state import SharedState, ToolAccess
        from everself.conversation.tools.outside.registry import ExternalAccess
        from everself.conversation.turn_locks import TurnLocks

        def tools(scope: Scope) -> "Sequence[Tool]":
            from everself.conversation.conversation import spawn_tool

            return (*self.tools(scope), *spawn_tool(scope, lambda: self.chat.shared))

        config, environ = self.loaded.config, self.loaded.vault.environ
        scratch = f"{self.agent.state}/scratch"
        external = ExternalAccess(config.tools, config.mcp_servers, scratch, environ, self.agent.workspace)
        opened, checkpoint = (self.log, self.state, self.spend_meter), lambda: self.checkpoint
        access, resources = ToolAccess(tools, external), self._turn_resources
        shared = SharedState(*opened, access, self.chat_model, checkpoint, resources, self.worker)
        return Chat(shared, TurnLocks(self.agent.state, self.worker))

    def _turn_resources(self) -> "TurnResources":
        from everself.conversation.message_actions import MessageActions
        from everself.conversation.resources import TurnResources

        memory, embedder, log = self.memory, self.embedder, self.log
        opened = (self._open_triage, lambda: self.recall, lambda: self.keepers, self._has_model)
        actions = MessageActions(memory, self.checkpoint, log, embedder, *opened)
        acts = (actions, actions.suspects)
        return TurnResources(memory, self.integrity, self.assembler, self.compactor, *acts, self.facts())

    def _has_model(self) -> bool:
        from everself.conversation.chat_models import REFLEX

        return self.chat.shared.model.name != REFLEX

    def _offer_encoder(self) -> None:
        """Give the classifier access to the encoder, which is loaded with the first message."""
        from everself.classify import encoder
        from everself.models.embedding.local import bundled

        encoder.offer(bundled(self.embedder, self.models_folder).embed)

    def _open_triage(self) -> "Triage":
        from everself.classify.triage import Triage

        self._offer_encoder()
        programs = self.loaded.config.programs
        return Triage(self.tunables.heartbeat_custom_patterns, programs.recall_external_handler)

    @part
    def schedule(self) -> "Scheduler":
        from everself.keepers.scheduler import open_schedule

        self.workspace  # noqa: B018 an agent that is not there has no jobs, and a state without a workspace would look like a loss
        return open_schedule(self.state, self.agent.state, self.clock, self.tunables, self.agent.heartbeat.every)

    @part
    def keepers(self) -> "Runner":
        from everself.conversation.chat_models import REFLEX
        from everself.conversation.sessions.client_sessions import TranscriptReader
        from everself.keepers.runner import Runner, all_keepers
        from everself.keepers.sources import KeeperModel, KeeperSearch, KeeperSources

        def open_model() -> "ChatModel | None":
            return None if self.agent.model == REFLEX else self.chat_model()

        enabled, policy = self.agent.search.enabled, self.agent.soul.policy
        search = KeeperSearch(self.embedder, lambda: self.index, lambda: self.recall, enabled=enabled)
        model = KeeperModel(open_model, self.spend_meter, self.integrity)
        read = self.memory, self.state, self.log, self.tunables, policy
        sources = KeeperSources(*read, self._open_triage(), search, model)
        profiled = bool(self.loaded.config.programs.crm_hook)
        take_in = TranscriptReader(self.log, read_lines).take_in_all
        return Runner(replace(sources, profiled=profiled, take_in=take_in), self.growth, all_keepers())

    @part
    def checkpoint(self) -> "Checkpoint":
        from everself.conversation.sessions.checkpoint import Checkpoint

        self._offer_encoder()
        return Checkpoint(self.memory, self.log, has_model=lambda: self.chat.shared.has_model)

    @part
    def compactor(self) -> "ConversationCompactor":
        from everself.conversation.compaction import ConversationCompactor
        from everself.conversation.sessions.notes import Notes

        hooks, shared = self.loaded.config.hooks, self.chat.shared
        most = hooks.session_messages if hooks.enabled and hooks.session_notes else 0
        notes = Notes(self.memory, self.log, self.agent.id, most)
        return ConversationCompactor(shared, self.checkpoint, notes, self.agent.compaction)

    @part
    def bank(self) -> "Bank":
        from everself.memory.memory_bank import Bank

        return Bank(self.memory)

    @part
    def forgetting(self) -> "Forgetting":
        from everself.memory.forgetting.damaged_copies import SetAside
        from everself.memory.forgetting.forgetting import Forgetting, ForgettingResources

        places, derived = (self.transcript_traces(), SetAside(self.storage.state)), (self.index_traces(),)
        lock = FileLock(f"{self.agent.state}/forget.lock")
        resources = ForgettingResources(
            self.workspace, self.state, self.storage, places, derived, root=self.agent.workspace, lock=lock
        )
        return Forgetting(self.memory.catalog, resources, self.clock)

    def transcript_traces(self) -> "TranscriptTraces":
        """The transcripts, as forgetting accesses them."""
        from everself.conversation.sessions.forgetting import TranscriptTraces
        from everself.conversation.sessions.transcripts import open_transcripts

        return TranscriptTraces(self.log, open_transcripts(self.agent.state))

    def index_traces(self) -> "IndexTraces":
        """The index, as forgetting accesses it; nothing is opened yet."""
        from everself.search.factory import open_traces

        return open_traces(self.agent, lambda: self.workspace, self.extra_paths, lambda: self.index)

    @part
    def freshness(self) -> "Freshness":
        from everself.search.freshness import Freshness

        return Freshness(self.index, self.agent.workspace, also=self.memory.catalog.refresh)

    def keep_index_fresh(self, *, paid: bool = False) -> None:
        """For long-running processes: sync soon after files change and embed in the background, until `close`.

        A paid embedder is used only with `paid`, which a person has to confirm.
        """
        if self.agent.search.enabled:
            self.freshness.start(embed=self.embedder is not None and (paid or not self.embedder.paid))

    def _glance(self, path: str) -> bytes | None:
        """Read a document that is needed before the workspace can be opened."""
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
    def unread(self) -> dict[str, str]:
        """Documents with memories that could not be read, and why."""
        return dict(self.memory.catalog.unread) if "memory" in self.__dict__ else {}

    @property
    def mended(self) -> tuple[Mended, ...]:
        """What was repaired in the history while this agent was open."""
        return self.workspace.mended if "workspace" in self.__dict__ else ()

    def close(self) -> None:
        """Close everything. Unfinished work is left for the next start and reported in `unsettled`, not raised."""
        self.closed = True
        if "freshness" in self.__dict__:
            self.freshness.stop()
        if "index" in self.__dict__:
            self._close(
                self.index.close,
                "The index was not closed properly; it is checked when it is next opened",
            )
        if "workspace" in self.__dict__:
            from everself.identity.seal_counter import keep_up

            keep_up(self._open_counter, self.state, lambda: self.integrity)
            self._close(
                self.workspace.close, "The change is saved, but not in the history yet; the next command continues"
            )
        if "state" in self.__dict__:
            self._close(self.state.close, "The records are saved, but the database was not closed properly")

    def _close(self, close: Callable[[], None], otherwise: str) -> None:
        try:
            close()
        except EverselfError as error:
            self.unsettled.append(f"{otherwise}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_runtime(agent: str = "", *, workspace: str = "", environ: Mapping[str, str] | None = None) -> Runtime:
    """The parts of an agent: the named one, otherwise that of EVERSELF_PROFILE, otherwise the default. Touches no file of the agent yet.

    Its conversations have no tools; `everself.agent.open_runtime` adds them.
    """
    loaded = load_here(environ)
    chosen = loaded.config.agent(agent)
    if workspace:
        chosen = replace(chosen, workspace=workspace)
    return Runtime(loaded.config.places, loaded, chosen)
