"""The agent loop: ask the model, stream its reply, run the tools it calls, repeat until it has answered.

A function that emits events. It knows neither prompts nor how a conversation is stored: the caller passes in a recorder for each step and
finds in `LoopState` how far the turn got, even if it was cancelled or the model failed.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

from everself.conversation.events import Event, MemoryWritten, Text, Thinking, ToolCalled, ToolReturned
from everself.conversation.sessions.history import labelled
from everself.conversation.tools.calls import CallResult, call_tools, read_arguments
from everself.conversation.tools.protocol import Stamp, Tool, ToolContext, Written, worse
from everself.memory.provenance import OWN
from everself.models.chat.protocol import (
    Calling,
    ChatModel,
    ChatRequest,
    ModelTurn,
    ReplyCall,
    ReplyEnd,
    ReplyText,
    ReplyThinking,
    ToolCall,
    ToolReturn,
    ToolTurn,
    Usage,
)
from everself.models.chat.text_calls import CallReader
from everself.values import new_id

MOST_STEPS: Final = 24

Ending = Literal["stop", "length", "refused", "steps", "tool_calls"]


class StepRecorder(Protocol):
    """Makes each step durable before the model is shown anything that follows from it.

    `renewed` is called before each request and rebuilds it if something was forgotten since it was built.
    """

    async def renewed(self, request: ChatRequest) -> ChatRequest: ...

    async def called(self, text: str, calls: Sequence[ToolCall], usage: Usage, left: Sequence[str] = ()) -> None:
        """`left` are the ids of the calls that the calling program has to run."""

    async def returned(self, called: CallResult) -> None: ...

    async def spent(self, usage: Usage) -> None: ...


@dataclass(slots=True)
class LoopState:
    """How far a turn got. `said` is text not stored yet; `earlier` are the texts of the steps already stored."""

    taint: Stamp = OWN
    said: str = ""
    earlier: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    # usage of the latest request alone: how much of the window was in use
    latest: Usage = field(default_factory=Usage)
    written: list[Written] = field(default_factory=list)
    why: Ending = "stop"
    steps: int = 0
    # how the model calls tools, as far as tests have shown
    calling: Calling = "untested"
    # the reply has to be JSON: only its last step is, and it is shown only when complete
    shaped: bool = False

    def say(self, text: str) -> Iterator[Text]:
        """Add a piece of the reply. Yields what to show of it."""
        if self.shaped:
            self.said += text
        elif text:
            if not self.said and self.earlier:
                yield Text("\n\n")
            self.said += text
            yield Text(text)

    @property
    def text(self) -> str:
        """The whole reply, as its pieces were shown."""
        return "\n\n".join(part for part in (*self.earlier, self.said) if part)


async def run_loop(
    model: ChatModel,
    request: ChatRequest,
    tools: Sequence[Tool],
    setting: ToolContext,
    state: LoopState,
    keep: StepRecorder,
) -> AsyncIterator[Event]:
    """The events of one turn up to the model's final answer. Raises ModelFailed."""
    box = {tool.spec.name: tool for tool in tools}
    known = {call.id for turn in request.turns if isinstance(turn, ModelTurn) for call in turn.calls}
    request = replace(request, tools=tuple(tool.spec for tool in tools))
    state.shaped = request.schema is not None
    while True:
        calls: list[ToolCall] = []
        end = ReplyEnd()
        request = replace(await keep.renewed(request), tools=request.tools)
        reader = CallReader(request, state.calling)
        whole = False
        try:
            async for piece in model.stream(request):
                match piece:
                    case ReplyText(text):
                        for event in state.say(reader.feed(text)):
                            yield event
                    case ReplyThinking(text):
                        yield Thinking(text)
                    case ReplyCall(call):
                        calls.append(_named_anew(call, known))
                        known.add(calls[-1].id)
                    case ReplyEnd():
                        end = piece
            whole = True
        finally:
            # text that the reader held back belongs to a reply that breaks off
            state.said += "" if whole else reader.end(whole=False).text
        state.steps += 1
        state.usage += end.usage
        state.latest = end.usage
        await keep.spent(end.usage)
        state.why = "stop" if end.why == "tools" else end.why
        in_text = reader.end(whole=not calls and end.why in ("stop", "tools"))
        for event in state.say(in_text.text):
            yield event
        if in_text.calls:
            calls += in_text.calls
            state.said = state.said.rstrip()
        if not calls or end.why == "refused":
            if state.shaped and state.said:
                yield Text(state.said)
            return
        # cleared before it is stored, because storing completes even when the turn is cancelled: nothing is stored twice
        said, state.said = state.said, ""
        state.earlier += [said] if said and not state.shaped else []
        left = [call for call in calls if _is_left(call, box)]
        await keep.called(said, calls, end.usage, [call.id for call in left])
        for call in calls:
            yield ToolCalled(call.id, call.name, call.arguments, call in left)
        returns: dict[str, ToolReturn] = {}
        own = [call for call in calls if call not in left]
        async for called in call_tools(box, own, replace(setting, taint=state.taint)):
            state.taint = worse(state.taint, called.stamp)
            state.written += called.outcome.written
            await keep.returned(called)
            returns[called.call.id] = _return_of(called)
            yield _event_of(called)
            for written in called.outcome.written:
                yield MemoryWritten(written)
        if left:
            state.why = "tool_calls"
            return
        if state.steps >= MOST_STEPS:
            state.why = "steps"
            return
        ordered = tuple(returns[call.id] for call in calls)
        request = replace(request, turns=(*request.turns, ModelTurn(said, tuple(calls), end.vendor), ToolTurn(ordered)))


def _is_left(call: ToolCall, box: Mapping[str, Tool]) -> bool:
    """Whether the calling program has to run the call. A call with broken arguments is answered here, so that the model calls again."""
    tool = box.get(call.name)
    return tool is not None and tool.client and not isinstance(read_arguments(call.arguments), str)


def _named_anew(call: ToolCall, known: set[str]) -> ToolCall:
    """Give the call a new id if its id is empty or used before: some vendors restart the numbering with each answer."""
    return replace(call, id=f"{call.id}-{new_id()}".strip("-")) if not call.id or call.id in known else call


def _return_of(called: CallResult) -> ToolReturn:
    content = labelled(called.outcome.content, called.stamp)
    return ToolReturn(called.call.id, called.call.name, content, called.outcome.failed)


def _event_of(called: CallResult) -> ToolReturned:
    outcome = called.outcome
    return ToolReturned(called.call.id, called.call.name, outcome.content, outcome.failed, called.stamp, called.seconds)
