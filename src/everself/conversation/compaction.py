"""Compacts a long conversation: checkpoint, memory flush, summary.

The order is always the same: first the checkpoint, which needs no model; then a silent turn in which the model stores what it considers
worth keeping; then a summary, written by the model or, without one, made of the beginnings of the messages. Soul and corrections are never
dropped, because they are read from their files at every turn. Every step except the first may fail, and a failure is reported.
"""

from collections.abc import Sequence
from typing import Final

from everself.config.sections import Compaction
from everself.conversation._recording import CostRecorder
from everself.conversation.context.request import PromptRequest, reserve_of
from everself.conversation.loop import LoopState, run_loop
from everself.conversation.resources import CompactionResult
from everself.conversation.sessions.checkpoint import Checkpoint
from everself.conversation.sessions.excerpts import digest_of, material, prompt
from everself.conversation.sessions.history import turns_of
from everself.conversation.sessions.notes import Notes
from everself.conversation.sessions.session import Message, Session
from everself.conversation.shared_state import SharedState
from everself.conversation.tools.calls import offered
from everself.conversation.tools.protocol import KEPT, ToolContext
from everself.errors import ContextTooSmall, EverselfError, ModelFailed
from everself.logs import get_logger
from everself.memory.provenance import taint_of
from everself.models.chat.findings import find_calling
from everself.models.chat.protocol import ChatModel, ChatRequest, Turn, UserTurn, whole_answer
from everself.text.tokens import estimate

_log = get_logger(__name__)

HEAVY: Final = 2 << 20
NO_REPLY: Final = "NO_REPLY"
REFLEX: Final = "reflex"
MOST_OF_A_SUMMARY: Final = 1_500
MOST_OF_A_NOTE: Final = 800
MOST_ASKED: Final = 2_000
JOB: Final = "flush"
TOOLS: Final = frozenset({"memory_search", "memory_get", "memory_write"})
# shares of the window for the conversation: the largest that fits next to the prompt is used
_SHARES: Final = (2, 4, 8)
# used if the model's window is unknown; also the upper limit, because a larger window should not be filled at every turn
_NO_WINDOW: Final = 200_000


def limit_of(window: int, settings: Compaction) -> int:
    """The number of tokens of a window that a conversation may use before it is compacted."""
    reserve = min(settings.reserve_tokens, window // 4)
    soft = min(settings.soft_threshold, window // 8)
    return window - reserve - soft


def cut_at(messages: Sequence[Message], tokens: int) -> int:
    """The number of messages to drop so that about `tokens` tokens stay. The rest begins with a user message, and the last user message
    always stays, because it is being answered."""
    starts = [at for at, one in enumerate(messages) if one.role == "user"]
    if not starts:
        return 0
    cut = starts[-1]
    left = tokens - sum(_tokens(one) for one in messages[cut:])
    for start, end in zip(reversed(starts[:-1]), reversed(starts[1:]), strict=True):
        left -= sum(_tokens(one) for one in messages[start:end])
        if left < 0:
            break
        cut = start
    return cut


class ConversationCompactor:
    def __init__(self, shared: SharedState, checkpoint: Checkpoint, notes: Notes, settings: Compaction) -> None:
        self._shared = shared
        self._checkpoint = checkpoint
        self._notes = notes
        self._settings = settings

    def is_near(self, used: int, window: int) -> bool:
        return used >= limit_of(window, self._settings)

    def window(self) -> int:
        """The window of the model that answers, or a typical size if the model cannot be opened."""
        model = self._model()
        return model.window if model is not None else _NO_WINDOW

    def most_of_a_summary(self) -> int:
        return min(MOST_OF_A_SUMMARY, self.window() // 8)

    def is_heavy(self, session: Session) -> bool:
        """Whether so much was said since the last compaction that reading it at every turn is slow."""
        return self._shared.log.weight(session) >= HEAVY

    async def compact(self, session: Session, why: str = "asked") -> CompactionResult:
        """Compact the conversation. If there is nothing to drop, make only the checkpoint. `why`: threshold, size, overflow or asked."""
        log = self._shared.log
        checked = await self._shared.in_thread(lambda: self._checkpoint.make(session))
        now = await self._shared.in_thread(lambda: log.fresh(session))
        messages = await self._shared.in_thread(lambda: log.messages(now, now.compacted))
        model = await self._shared.in_thread(self._model)
        window = model.window if model is not None else _NO_WINDOW
        cut = cut_at(messages, stays(why, window))
        if not cut:
            return CompactionResult(now, "", checked.entries, 0, now.summary, 0)
        last = messages[cut - 1].seq
        flushed, trouble = await self._flushed(now, model)
        # read again after each request: text forgotten during a request must not return with the model's answer
        generation = await self._shared.in_thread(self._shared.generation)
        now, gone = await self._shared.in_thread(lambda: self._until(session, last))
        summary, failure = await self._summary(now, gone, model)
        if await self._shared.in_thread(self._shared.generation) != generation:
            now, gone = await self._shared.in_thread(lambda: self._until(session, last))
            summary = digest_of(gone, now.summary, self.most_of_a_summary())
        source = now.taint
        made = await self._shared.in_thread(
            lambda: log.mark(now, compacted=last, summary=summary, summary_source=source)
        )
        kept = len(checked.entries)
        _log.info("Session %s compacted (%s): %d messages summarised, %d entries kept.", now.id, why, len(gone), kept)
        notice = f"{len(gone)} messages became a summary; {len(checked.entries)} statements were kept first."
        return CompactionResult(
            made, " ".join(filter(None, (notice, trouble, failure))), checked.entries, flushed, summary, cut
        )

    def _until(self, session: Session, last: int) -> tuple[Session, list[Message]]:
        """The session as currently stored, and the messages that the next summary replaces."""
        now = self._shared.log.fresh(session)
        return now, [one for one in self._shared.log.messages(now, now.compacted) if one.seq <= last]

    async def note(self, session: Session) -> str:
        """Write the note of a session that ends, after its checkpoint. Returns the note's path, or empty if there was nothing to note."""
        await self._shared.in_thread(lambda: self._checkpoint.make(session))
        now = await self._shared.in_thread(lambda: self._shared.log.fresh(session))
        messages = await self._shared.in_thread(lambda: self._notes.material(now))
        if not messages:
            return ""
        model = await self._shared.in_thread(self._model)
        await self._flushed(now, model)
        generation = await self._shared.in_thread(self._shared.generation)
        messages = await self._shared.in_thread(lambda: self._notes.material(now))
        name, summary = await self._named(now, messages, model)
        if await self._shared.in_thread(self._shared.generation) != generation:
            messages, name, summary = await self._shared.in_thread(lambda: self._notes.material(now)), "", ""
        return await self._shared.in_thread(lambda: self._notes.write(now, messages, name, summary))

    def _model(self) -> ChatModel | None:
        """The model, or None if it cannot be opened."""
        try:
            return self._shared.model
        except ModelFailed:
            return None

    async def _flushed(self, session: Session, model: ChatModel | None) -> tuple[int, str]:
        if not self._settings.flush or model is None or model.name == REFLEX:
            return 0, ""
        if session.flushed == session.compacted:
            return 0, ""
        # marked before, not after: a turn that kills the process must not be retried at every start
        await self._shared.in_thread(lambda: self._shared.log.mark(session, flushed=session.compacted))
        try:
            return await _flush(self._shared, session, prompt("flush")), ""
        except EverselfError as error:
            return 0, f"The model could not store memories before the summary: {error}"

    async def _summary(self, session: Session, gone: Sequence[Message], model: ChatModel | None) -> tuple[str, str]:
        window = model.window if model is not None else _NO_WINDOW
        most = min(MOST_OF_A_SUMMARY, window // 8)
        plain = digest_of(gone, session.summary, most)
        if model is None or model.name == REFLEX:
            return plain, ""
        text = material(gone, session.summary, window // 2)
        try:
            said = await self._asked("summary", session, (prompt("summary"), text), most)
        except EverselfError as error:
            return plain, f"The model could not write the summary: {error}"
        return said or plain, ""

    async def _named(self, session: Session, messages: Sequence[Message], model: ChatModel | None) -> tuple[str, str]:
        """A name and a note written by the model; both empty if it cannot write them."""
        if not messages or model is None or model.name == REFLEX:
            return "", ""
        text = material(messages, "", model.window // 2)
        try:
            said = await self._asked("note", session, (prompt("note"), text), MOST_OF_A_NOTE)
        except EverselfError:
            # the note then consists of the last lines
            return "", ""
        name, _, note = said.partition("\n")
        return (name, note.strip()) if note.strip() else ("", said)

    async def _asked(self, job: str, session: Session, words: tuple[str, str], most: int) -> str:
        model = self._shared.model
        await self._shared.in_thread(lambda: self._shared.spend_meter.allow(job))
        request = ChatRequest(words[0], "", (UserTurn(words[1]),), max_tokens=min(most, model.most_output))
        text, usage = await whole_answer(model, request)
        await self._shared.in_thread(lambda: self._shared.spend_meter.charge(job, session.id, model, usage))
        return "" if NO_REPLY in text else text.strip()


def stays(why: str, window: int) -> int:
    """The number of tokens of a conversation that stay verbatim."""
    window = min(window, _NO_WINDOW)
    if why == "overflow":
        # the vendor counts tokens differently
        return window // 32
    # a person who asks for compaction early expects an effect
    return min(window // 8, MOST_ASKED) if why == "asked" else window // 8


def _tokens(message: Message) -> int:
    calls = message.meta.get("calls")
    return estimate(message.content) + (estimate(str(calls)) if calls else 0) + 4


async def _flush(shared: SharedState, session: Session, instruction: str) -> int:
    """Run the silent turn, which is not shown. Returns the number of memories it stored. Raises ModelFailed.

    Neither its text nor its calls are stored as messages. No statement of the person supports its calls, so the source of what it writes is
    the agent, or the taint of the conversation.
    """
    model = await shared.in_thread(lambda: shared.model)
    await shared.in_thread(lambda: shared.spend_meter.allow(JOB))
    calling = await shared.in_thread(lambda: find_calling(shared.state, model.name))
    known = offered(await shared.in_thread(lambda: shared.tools(session.scope)), model, calling)
    tools = [one for one in known if one.spec.name in TOOLS]
    generation = await shared.in_thread(shared.generation)
    messages = await shared.in_thread(lambda: shared.log.messages(session, session.compacted))
    said = next((one.id for one in reversed(messages) if one.role == "user"), "")
    if not tools or not said:
        return 0
    request, taint = await shared.in_thread(lambda: _flush_request(shared, session, messages, instruction, model))
    setting = ToolContext(session.scope, session.id, said, "", False, taint)
    state = LoopState(taint=taint, calling=calling)
    async for _ in run_loop(
        model, request, tools, setting, state, CostRecorder(shared, session, model, JOB, generation)
    ):
        pass
    return sum(one.deed in KEPT for one in state.written)


def _flush_request(
    shared: SharedState, session: Session, messages: Sequence[Message], instruction: str, model: ChatModel
) -> tuple[ChatRequest, str]:
    """The request for the model, and its taint."""
    said = turns_of(messages, session.summary, session.summary_source)
    for share in _SHARES:
        turns = [*_ending(said, model.window // share), UserTurn(instruction)]
        spoken = sum(map(_turn_tokens, turns)) + min(model.most_output, reserve_of(model.window))
        ask = PromptRequest(scope=session.scope, session=session.id, window=model.window, other=spoken, recorded=False)
        try:
            made = shared.resources.assembler.assemble(ask)
        except ContextTooSmall:
            if share == _SHARES[-1]:
                raise
        else:
            break
    return ChatRequest(made.prefix.text, made.delta, tuple(turns)), taint_of((session.taint, made.taint))


def _ending(turns: Sequence[Turn], tokens: int) -> list[Turn]:
    """The last turns that fit into `tokens`, beginning with a user turn."""
    kept: list[Turn] = []
    for turn in reversed(turns):
        tokens -= _turn_tokens(turn)
        if tokens < 0:
            break
        kept.append(turn)
    kept.reverse()
    while kept and not isinstance(kept[0], UserTurn):
        del kept[0]
    return kept


def _turn_tokens(turn: Turn) -> int:
    return estimate(str(turn))
