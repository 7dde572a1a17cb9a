"""The silent turn before compaction: the model reviews the conversation and stores what should last. It is not shown.

It is no part of the conversation: neither its words nor its calls are kept among the messages, only what it wrote to memory is. Nothing
that the person said supports its calls, so what it writes has the agent as its source, or the taint of the conversation.
"""

from collections.abc import Sequence
from typing import Final

from everself.conversation.context.request import PromptRequest, reserve_of
from everself.conversation.loop import LoopState, run_loop
from everself.conversation.sessions.history import turns_of
from everself.conversation.sessions.session import Message, Session
from everself.conversation.shared_state import SharedState
from everself.conversation.tools.calls import CallResult, offered
from everself.conversation.tools.protocol import KEPT, ToolContext
from everself.errors import ChangedMeanwhile, ContextTooSmall
from everself.memory.provenance import taint_of
from everself.models.chat.findings import find_calling
from everself.models.chat.protocol import ChatModel, ChatRequest, ToolCall, Turn, Usage, UserTurn
from everself.text.tokens import estimate

JOB: Final = "flush"
TOOLS: Final = frozenset({"memory_search", "memory_get", "memory_write"})
# of the window: as much of the conversation as it holds beside the prompt
_SHARES: Final = (2, 4, 8)


class FlushTurn:
    def __init__(self, shared: SharedState) -> None:
        self._shared = shared

    async def __call__(self, session: Session, instruction: str) -> int:
        """How many memories were stored. Raises ModelFailed."""
        shared = self._shared
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
        request, taint = await shared.in_thread(lambda: self._request(session, messages, instruction, model))
        setting = ToolContext(session.scope, session.id, said, "", False, taint)
        state = LoopState(taint=taint, calling=calling)
        async for _ in run_loop(
            model, request, tools, setting, state, _CostRecorder(shared, session, model, generation)
        ):
            pass
        return sum(one.deed in KEPT for one in state.written)

    def _request(
        self, session: Session, messages: Sequence[Message], instruction: str, model: ChatModel
    ) -> tuple[ChatRequest, str]:
        """What the model is given, and the taint of it."""
        said = turns_of(messages, session.summary, session.summary_source)
        for share in _SHARES:
            turns = [*_ending(said, model.window // share), UserTurn(instruction)]
            spoken = sum(map(_tokens, turns)) + min(model.most_output, reserve_of(model.window))
            ask = PromptRequest(
                scope=session.scope, session=session.id, window=model.window, other=spoken, recorded=False
            )
            try:
                made = self._shared.resources.assembler.assemble(ask)
            except ContextTooSmall:
                if share == _SHARES[-1]:
                    raise
            else:
                break
        return ChatRequest(made.prefix.text, made.delta, tuple(turns)), taint_of((session.taint, made.taint))


class _CostRecorder:
    """Records the cost and nothing else. The silent turn ends if something is forgotten meanwhile."""

    def __init__(self, shared: SharedState, session: Session, model: ChatModel, generation: int) -> None:
        self._shared = shared
        self._session = session
        self._model = model
        self._generation = generation

    async def renewed(self, request: ChatRequest) -> ChatRequest:
        if await self._shared.in_thread(self._shared.generation) != self._generation:
            raise ChangedMeanwhile("(something was forgotten)")
        return request

    async def called(self, text: str, calls: Sequence[ToolCall], usage: Usage) -> None: ...

    async def returned(self, called: CallResult) -> None: ...

    async def spent(self, usage: Usage) -> None:
        charge = self._shared.spend_meter.charge
        await self._shared.in_thread(lambda: charge(JOB, self._session.id, self._model, usage))


def _ending(turns: Sequence[Turn], tokens: int) -> list[Turn]:
    """As much of the end as there is room for, beginning with something that was said to the agent."""
    kept: list[Turn] = []
    for turn in reversed(turns):
        tokens -= _tokens(turn)
        if tokens < 0:
            break
        kept.append(turn)
    kept.reverse()
    while kept and not isinstance(kept[0], UserTurn):
        del kept[0]
    return kept


def _tokens(turn: Turn) -> int:
    return estimate(str(turn))
