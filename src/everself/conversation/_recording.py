"""Records a turn while it runs: calls before they start, results before the model sees them, and the cost of each request."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from everself.conversation.receipts import ToolUse
from everself.conversation.sessions.forgetting import without_forgotten
from everself.conversation.sessions.session import Session
from everself.conversation.shared_state import SharedState
from everself.conversation.tools.calls import CallResult
from everself.errors import ChangedMeanwhile
from everself.memory.provenance import OWN
from everself.models.chat.protocol import ChatModel, ChatRequest, JsonObject, ToolCall, Usage


class CostRecorder:
    """Records only what a turn costs, in dollars; None if a price is unknown. `generation` belongs to the request that was sent last. A
    turn that stores nothing ends if something is forgotten in the meantime."""

    def __init__(self, shared: SharedState, session: Session, model: ChatModel, job: str, generation: int = 0) -> None:
        self._shared = shared
        self._session = session
        self._model = model
        self._job = job
        self.generation = generation
        self.cost: float | None = 0.0

    async def renewed(self, request: ChatRequest) -> ChatRequest:
        if await self._shared.in_thread(self._shared.generation) != self.generation:
            raise ChangedMeanwhile("(something was forgotten)")
        return request

    async def called(self, text: str, calls: Sequence[ToolCall], usage: Usage, left: Sequence[str] = ()) -> None: ...

    async def returned(self, called: CallResult) -> None: ...

    async def spent(self, usage: Usage) -> None:
        charge, session = self._shared.spend_meter.charge, self._session.id
        micros = await self._shared.in_thread(lambda: charge(self._job, session, self._model, usage))
        self.cost = None if micros is None or self.cost is None else self.cost + micros / 1_000_000


class TurnRecorder(CostRecorder):
    """Records one turn. `used` are the tools that were called; `asked` is the id of the message that called the last of them.

    `prepare` builds the turn's request from what is stored. `notes` returns what the model was told in addition to the message.
    """

    def __init__(
        self,
        shared: SharedState,
        session: Session,
        model: ChatModel,
        job: str,
        prepare: Callable[[], ChatRequest],
        notes: Callable[[], JsonObject],
    ) -> None:
        super().__init__(shared, session, model, job)
        self._prepare = prepare
        self._notes = notes
        self._log = shared.log
        self.used: list[ToolUse] = []
        self.asked = ""

    async def renewed(self, request: ChatRequest) -> ChatRequest:
        def renew() -> ChatRequest:
            if self._model.paid:
                self._shared.spend_meter.allow(self._job)
            return request if self._shared.generation() == self.generation else self._prepare()

        return await self._shared.in_thread(renew)

    async def called(self, text: str, calls: Sequence[ToolCall], usage: Usage, left: Sequence[str] = ()) -> None:
        def keep() -> str:
            listed = [[call.id, call.name, self._unsaid(call.arguments)] for call in calls]
            why = {"why": "tool_calls", "client": list(left)} if left else {"why": "tools"}
            meta = {"calls": listed, "model": self._model.name, "usage": asdict(usage), **why, **self._notes()}
            return self._log.add(self._session, "assistant", self._unsaid(text), meta=meta).id

        self.asked = await self._shared.in_thread(keep)

    async def returned(self, called: CallResult) -> None:
        outcome, call = called.outcome, called.call
        self.used.append(ToolUse(call.name, outcome.failed, called.stamp, called.seconds))
        meta = {
            "call": call.id,
            "name": call.name,
            "failed": outcome.failed,
            "stamp": called.stamp,
            "origin": outcome.origin,
        }

        def keep() -> None:
            if called.stamp != OWN:
                # before the text itself, so that after a crash the text is never found without its taint
                self._log.mark(self._session, taint=called.stamp)
            self._log.add(self._session, "tool", self._unsaid(outcome.content), meta=meta)

        await self._shared.in_thread(keep)

    async def replied(self, text: str, meta: Callable[[], JsonObject]) -> str:
        """Store the end of a reply. Returns the id of the message."""
        message = await self._shared.in_thread(
            lambda: self._log.add(self._session, "assistant", self._unsaid(text), meta=meta())
        )
        return message.id

    def _unsaid(self, text: str) -> str:
        """Remove forgotten text from the model's answer, because the model may have read it before it was forgotten."""
        if self._shared.generation() == self.generation:
            return text
        return without_forgotten(text, self._shared.resources.memory.catalog)
