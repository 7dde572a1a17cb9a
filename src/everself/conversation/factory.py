"""Builds what a conversation needs from an agent: outside changes, recording of messages, compaction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everself.classify.save_claims import claims_saving
from everself.conversation.context.factory import told_of
from everself.conversation.parts import Acted, Alarm, Parts
from everself.conversation.tools.protocol import Written
from everself.errors import NotFound, WrongUse
from everself.models.chat.findings import find_calling

if TYPE_CHECKING:
    from everself.clock import Clock
    from everself.config.sections import AgentSettings, Hooks
    from everself.conversation._shared import SharedState
    from everself.conversation.compaction import CompactionResult, ConversationCompactor
    from everself.conversation.context.assembler import Assembler, Prompt
    from everself.conversation.context.request import Facts, PromptRequest
    from everself.conversation.sessions.checkpoint import Checkpoint, CheckpointReport
    from everself.conversation.sessions.log import SessionLog
    from everself.conversation.sessions.session import Session
    from everself.conversation.tools.protocol import ToolContext
    from everself.identity.integrity import Integrity
    from everself.memory.memory import Memory
    from everself.models.chat.protocol import ChatModel
    from everself.models.spend_meter import SpendMeter
    from everself.storage.state.database import State
    from everself.storage.state.searches import SearchRecord


@dataclass(frozen=True, slots=True)
class ChatResources:
    """What of an agent its conversations use. What is a function is opened when it is first asked for."""

    log: "SessionLog"
    state: "State"
    clock: "Clock"
    spend_meter: "SpendMeter"
    memory: "Callable[[], Memory]"
    integrity: "Callable[[], Integrity]"
    checkpoint: "Callable[[], Checkpoint]"
    compactor: "Callable[[], ConversationCompactor]"


def gather_parts(
    opened: ChatResources,
    model: "Callable[[], ChatModel]",
    assembler: "Callable[[], Assembler]",
    facts: "Callable[[str], Facts]",
    act: "Callable[[str, ToolContext], Acted]",
) -> Parts:
    """What a conversation uses, without its tools."""

    def assemble(ask: "PromptRequest") -> "Prompt":
        return assembler().assemble(ask)

    room = SessionUpkeep(opened.log, opened.checkpoint, opened.compactor)
    return Parts(
        log=opened.log,
        model=model,
        assemble=assemble,
        facts=facts,
        alarm=lambda: _alarm(opened.integrity()),
        act=act,
        claims=claims_saving,
        keep=lambda setting: _keep(opened, setting),
        searched=lambda name: _find_search(opened.state, name),
        allow=opened.spend_meter.allow,
        charge=opened.spend_meter.charge,
        first=lambda name: _is_first(opened.state, opened.clock, name),
        near=room.near,
        heavy=room.heavy,
        compact=room.compact,
        checkpoint=room.checkpoint,
        recover=room.recover,
        note=room.note,
        generation=opened.state.scrub.generation,
        unsay=lambda text: _unsaid(opened.memory(), text),
        calling=lambda name: find_calling(opened.state, name),
    )


def open_compactor(
    agent: "AgentSettings",
    hooks: "Hooks",
    shared: "SharedState",
    memory: "Memory",
    log: "SessionLog",
    checkpoint: "Checkpoint",
) -> "ConversationCompactor":
    from everself.conversation.compaction import ConversationCompactor
    from everself.conversation.flush import FlushTurn
    from everself.conversation.sessions.notes import Notes

    most = hooks.session_messages if hooks.enabled and hooks.session_notes else 0
    notes = Notes(memory, log, agent.id, most)
    return ConversationCompactor(shared, checkpoint, notes, agent.compaction, FlushTurn(shared))


@dataclass(frozen=True, slots=True)
class SessionUpkeep:
    """What a conversation asks for when it grows long or ends. Nothing is opened before it is asked."""

    log: "SessionLog"
    checkpoints: "Callable[[], Checkpoint]"
    compactor: "Callable[[], ConversationCompactor]"

    def near(self, used: int, window: int) -> bool:
        return self.compactor().is_near(used, window)

    def heavy(self, session: "Session") -> bool:
        return self.compactor().is_heavy(session)

    async def compact(self, session: "Session", why: str) -> "CompactionResult":
        return await self.compactor().compact(session, why)

    def checkpoint(self, session: "Session") -> "CheckpointReport":
        return self.checkpoints().make(session)

    def recover(self) -> "CheckpointReport":
        self.log.catch_up()
        return self.checkpoints().recover()

    async def note(self, session: "Session") -> str:
        return await self.compactor().note(session)


def _alarm(integrity: "Integrity") -> Alarm:
    found = tuple(one for one in integrity.look() if not one.told)
    return Alarm(tuple(told_of(one) for one in found), lambda: integrity.tell(found))


def _keep(opened: ChatResources, setting: "ToolContext") -> tuple[Written, ...]:
    """Write down the person's statements that are not stored yet, as a checkpoint does; sub-agents and groups have no memory."""
    catalog, made = opened.memory().catalog, opened.checkpoint().make(opened.log.find(setting.session))
    found = [entry for name in made.entries if (entry := catalog.find(name)) is not None]
    return tuple(Written("remembered", one.text, one.reference, one.id) for one in found)


def _find_search(state: "State", name: str) -> "SearchRecord | None":
    try:
        return state.searches.find(name) if name else None
    except (NotFound, WrongUse):
        return None


def _unsaid(memory: "Memory", text: str) -> str:
    """A text without what was forgotten. Only hashes are left of that, so it is looked for in all that may stand for itself."""
    from everself.memory.forgetting.forgotten_words import ForgottenWords, candidates, runs

    catalog = memory.catalog
    return ForgottenWords(
        (), [one for one in {*candidates(text), *runs(text)} if one and catalog.is_buried(one)]
    ).in_message(text)


def _is_first(state: "State", clock: "Clock", name: str) -> bool:
    """Whether something is told for the first time, ever; it is noted."""
    key = f"told {name}"
    if state.get_meta(key):
        return False
    state.set_meta(key, clock.now().isoformat())
    return True
