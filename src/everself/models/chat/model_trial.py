"""Tests a model with a few short questions and reports what it can do for Everself.

Judges answers by their content. Knows no vendor: a model is anything that implements the protocol.
"""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Literal

from everself.errors import ModelFailed, ModelFault
from everself.frozen import Frozen
from everself.models.chat.protocol import (
    Calling,
    ChatModel,
    ChatRequest,
    ReplyCall,
    ReplyEnd,
    ReplyText,
    ToolCall,
    ToolSpec,
    Usage,
    UserTurn,
)
from everself.models.chat.text_calls import written_calls
from everself.text.normalise import one_line

Skill = Literal["answer", "stream", "usage", "tool", "tools", "schema", "memory"]

_SECONDS: Final = 120
# enough tokens for models that think before they answer
_MOST: Final = 1_024
_SHOWN: Final = 70
# failures that say nothing about the tested skill
_NOT_ITS_SKILL: Final[frozenset[ModelFault]] = frozenset({"network", "auth", "quota", "rate", "missing", "spend"})

_PREFIX: Final = "You are a helpful assistant. Answer in one short sentence."
_REMEMBERED: Final = (
    "You are a helpful assistant.\n\nWhat you know about the person:\n- The cat of the person is called Miso."
)
_WEATHER: Final = ToolSpec(
    "weather",
    "Tells the weather of one city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
_PERSON: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


class SkillResult(Frozen):
    """One skill, whether the model has it, and a sentence for the user."""

    skill: Skill
    able: bool
    words: str


class Trial(Frozen):
    """The result of a trial. `micros` is None if the price is unknown."""

    model: str
    window: int
    most_output: int
    paid: bool
    tried: tuple[SkillResult, ...]
    verdict: str
    sent: int
    received: int
    micros: int | None
    # how the model calls tools; stored, so that a model that cannot call tools is offered none
    calling: Calling = "untested"


class _Reply(Frozen):
    text: str
    pieces: int
    calls: tuple[ToolCall, ...]
    end: ReplyEnd
    # the calls were written as text
    written: bool = False


_Ask = Callable[[ChatRequest], Awaitable[_Reply]]


def trial_of(model: ChatModel, charge: Callable[[Usage], int | None]) -> Trial:
    """Test a model; `charge` records each request and returns its cost."""
    import asyncio

    costs: list[tuple[Usage, int | None]] = []
    ways: list[Calling] = []

    async def ask(request: ChatRequest) -> _Reply:
        reply = await _answered(model, request)
        if reply.calls:
            ways.append("text" if reply.written else "native")
        costs.append((reply.end.usage, charge(reply.end.usage)))
        return reply

    tried = asyncio.run(_tries(ask))
    known = [micros for _, micros in costs if micros is not None]
    return Trial(
        model=model.name,
        window=model.window,
        most_output=model.most_output,
        paid=model.paid,
        tried=tried,
        verdict=_verdict({one.skill for one in tried if one.able}),
        sent=sum(usage.sent for usage, _ in costs),
        received=sum(usage.received for usage, _ in costs),
        micros=sum(known) if len(known) == len(costs) else None,
        calling=ways[0] if ways else "none",
    )


async def _tries(ask: _Ask) -> tuple[SkillResult, ...]:
    plain = await ask(_request("Name the seven days of the week."))
    tried = [*_plain(plain)]
    questions: tuple[tuple[Skill, ChatRequest, Callable[[_Reply], SkillResult]], ...] = (
        ("tool", _request("What is the weather in Oslo? Use the tool.", tools=(_WEATHER,)), _one_call),
        (
            "tools",
            _request("What is the weather in Oslo, and in Lima? Use the tool for both.", (_WEATHER,)),
            _two_calls,
        ),
        ("schema", _request("Anna is 31 years old. Give her name and age.", schema=True), _shaped),
        ("memory", _request("What is my cat called?", prefix=_REMEMBERED), _remembered),
    )
    for skill, request, judge in questions:
        try:
            tried.append(judge(await ask(request)))
        except ModelFailed as error:
            if error.reason in _NOT_ITS_SKILL:
                raise
            tried.append(SkillResult(skill, False, f"{_LACKS[skill]}: {one_line(error.detail or str(error), _SHOWN)}"))
    return tuple(tried)


def _request(
    question: str, tools: tuple[ToolSpec, ...] = (), *, prefix: str = _PREFIX, schema: bool = False
) -> ChatRequest:
    turns = (UserTurn(question),)
    return ChatRequest(prefix, "", turns, tools, max_tokens=_MOST, schema=_PERSON if schema else None)


async def _answered(model: ChatModel, request: ChatRequest) -> _Reply:
    import asyncio

    text: list[str] = []
    calls: list[ToolCall] = []
    end = ReplyEnd(Usage(told=False))
    try:
        async with asyncio.timeout(_SECONDS):
            async for piece in model.stream(request):
                match piece:
                    case ReplyText(said):
                        text.append(said)
                    case ReplyCall(call):
                        calls.append(call)
                    case ReplyEnd():
                        end = piece
                    case _:
                        pass
    except TimeoutError:
        raise ModelFailed(f"It returned no complete answer within {_SECONDS} seconds.", reason="timeout") from None
    said = "".join(text)
    written = () if calls else written_calls(said, [tool.name for tool in request.tools])
    return _Reply(said, len([one for one in text if one]), (*calls, *written), end, bool(written))


_LACKS: Final[dict[Skill, str]] = {
    "tool": "It cannot call tools",
    "tools": "It cannot call two tools at once",
    "schema": "It cannot give JSON of a given shape",
    "memory": "It does not answer from memory in its prompt",
}


def _plain(reply: _Reply) -> tuple[SkillResult, ...]:
    said = bool(reply.text.strip())
    answer = f'It answers: "{one_line(reply.text, _SHOWN)}"' if said else "It returned no text."
    streamed = reply.pieces > 1
    stream = (
        f"The answer comes piece by piece ({reply.pieces} of them)." if streamed else "The answer comes all at once."
    )
    used = reply.end.usage
    told = used.told and used.sent > 0
    usage = f"It tells what was used: {used.sent} tokens sent, {used.received} received."
    return (
        SkillResult("answer", said, answer),
        SkillResult("stream", streamed, stream),
        SkillResult(
            "usage", told, usage if told else "It does not tell how many tokens were used; they are estimated."
        ),
    )


def _one_call(reply: _Reply) -> SkillResult:
    if "oslo" in _cities(reply):
        how = ", which it writes as JSON in its answer" if reply.written else ""
        return SkillResult("tool", True, f"It can call tools{how}.")
    if reply.calls:
        return SkillResult(
            "tool", False, f"{_LACKS['tool']} rightly: it called one with {one_line(reply.calls[0].arguments, _SHOWN)}"
        )
    return SkillResult("tool", False, f"{_LACKS['tool']}: asked to use one, it answered in words.")


def _two_calls(reply: _Reply) -> SkillResult:
    if {"oslo", "lima"} <= _cities(reply):
        return SkillResult("tools", True, "It can call two tools at once.")
    if reply.calls:
        return SkillResult("tools", False, "It calls one tool at a time.")
    return SkillResult("tools", False, f"{_LACKS['tools']}.")


def _cities(reply: _Reply) -> set[str]:
    """The cities in the arguments of the calls; invalid JSON is ignored."""
    found = set()
    for call in reply.calls:
        with suppress(json.JSONDecodeError, AttributeError):
            found.add(str(json.loads(call.arguments).get("city", "")).partition(",")[0].strip().casefold())
    return found


def _shaped(reply: _Reply) -> SkillResult:
    try:
        found = json.loads(reply.text)
    except json.JSONDecodeError:
        return SkillResult(
            "schema", False, f"{_LACKS['schema']}: {one_line(reply.text, _SHOWN) or 'it returned no text'}"
        )
    if not isinstance(found, dict) or not isinstance(found.get("name"), str) or not isinstance(found.get("age"), int):
        return SkillResult("schema", False, f"{_LACKS['schema']}: it gave {one_line(reply.text, _SHOWN)}")
    right = "anna" in found["name"].casefold() and found["age"] == 31
    words = "It gives JSON of a given shape"
    return SkillResult(
        "schema",
        True,
        f"{words}." if right else f"{words}, though not what was asked for: {one_line(reply.text, _SHOWN)}",
    )


def _remembered(reply: _Reply) -> SkillResult:
    if "miso" in reply.text.casefold():
        return SkillResult("memory", True, f'It answers from memory in its prompt: "{one_line(reply.text, _SHOWN)}"')
    return SkillResult("memory", False, f'{_LACKS["memory"]}: "{one_line(reply.text, _SHOWN)}"')


def _verdict(able: set[Skill]) -> str:
    if "answer" not in able:
        return "It cannot be talked with."
    if "memory" not in able:
        return "It talks, but does not use what memory puts into its prompt: another model would serve you better."
    if "tool" not in able:
        return (
            "It talks and uses what Everself recalls for it, but it cannot search or write memory by itself; "
            "what you tell it is kept when the conversation is summarised or ends. It is offered no tools."
        )
    if not {"tools", "schema"} <= able:
        return "It talks, remembers and uses tools; what it lacks makes it slower or less exact in the background."
    return "It can do all that Everself asks of a model."
