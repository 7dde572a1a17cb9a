"""Converts our request to pydantic-ai's types. Pure: knows no client, no network and no time.

The prefix comes first, then the turns, byte for byte as in the previous request; the delta comes last, after the newest user message. So
a vendor's cache serves all but the last exchange. Cache points are set after the prefix, after that message and, during tool calls, at
the end.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

from everself.models.chat.protocol import ChatRequest, ModelTurn, ToolTurn, Turn, UserTurn
from everself.models.chat.vendors import WireName

if TYPE_CHECKING:
    from pydantic_ai.messages import InstructionPart, ModelMessage, ModelResponse, ThinkingPart, UserPromptPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_DONE = "[Note from the runtime, not from the person. Already done because of this message:]"
_UNCLEAR = "[Note from the runtime, not from the person. Nothing was changed yet. Ask the person:]"
_BESIDE = "[From the program through which this was said, not from the person:]"
_CONTEXT = "[Context for this message, from the runtime, not from the person:]"
_FIELDS: Final = frozenset({"openai", "compatible", "ollama"})
# all vendors refuse a request without messages
_NOTHING = "(nothing was said)"


def render_turns(request: ChatRequest, wire: WireName) -> "list[ModelMessage]":
    """All turns in order. Empty turns are left out, because vendors refuse empty messages."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    newest = _newest(request.turns)
    found = [
        message
        for at, turn in enumerate(request.turns)
        if (message := _render(turn, request.delta if at == newest else "", wire)) is not None
    ]
    # vendors require a user message first; after compaction ours may start with a model turn
    if not found or not isinstance(found[0], ModelRequest):
        found.insert(0, ModelRequest(parts=[UserPromptPart(_NOTHING)]))
    return found


def render_user(turn: UserTurn) -> str:
    """The user's text, followed by the program's additions, what was done already and what is unclear."""
    notes = ["\n\n".join((_BESIDE, *turn.beside))] if turn.beside else []
    notes += [
        "\n".join((head, *(f"- {sentence}" for sentence in sentences)))
        for head, sentences in ((_DONE, turn.done), (_UNCLEAR, turn.unclear))
        if sentences
    ]
    return "\n\n".join(part for part in (turn.text, *notes) if part)


def render_context(said: str, delta: str) -> str:
    """The text, followed by the delta under its heading."""
    context = f"{_CONTEXT}\n\n{delta.strip()}"
    return f"{said}\n\n{context}" if said.strip() else context


def _newest(turns: tuple[Turn, ...]) -> int | None:
    """The position of the message to answer."""
    return max((at for at, turn in enumerate(turns) if isinstance(turn, UserTurn)), default=None)


def _prompt_part(turn: UserTurn, delta: str, wire: WireName) -> "UserPromptPart | None":
    """The message with the delta after it. The next request has no delta here, so the cache ends between the two."""
    from pydantic_ai.messages import BinaryContent, CachePoint, UserPromptPart

    said = render_user(turn)
    images = [BinaryContent(one.data, media_type=one.media_type) for one in turn.images]
    if not delta.strip():
        return UserPromptPart([said, *images] if images else said) if said.strip() or images else None
    if wire == "anthropic" and said.strip():
        return UserPromptPart([said, *images, CachePoint(), render_context("", delta)])
    if images:
        return UserPromptPart([said, *images, render_context("", delta)] if said.strip() else [*images, delta])
    return UserPromptPart(render_context(said, delta))


def _render(turn: Turn, delta: str, wire: WireName) -> "ModelMessage | None":
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
    )

    match turn:
        case UserTurn():
            part = _prompt_part(turn, delta, wire)
            return ModelRequest(parts=[part]) if part is not None else None
        case ModelTurn() if (answered := _as_answered(turn, wire)) is not None:
            return answered
        case ModelTurn():
            said = [TextPart(turn.text)] if turn.text.strip() else []
            calls = [ToolCallPart(call.name, call.arguments, call.id) for call in turn.calls]
            return ModelResponse(parts=[*said, *calls]) if said or calls else None
        case ToolTurn():
            parts = [
                ToolReturnPart(back.name, back.content, back.id, outcome="failed" if back.failed else "success")
                for back in turn.returns
            ]
            return ModelRequest(parts=parts) if parts else None
        case _:
            assert_never(turn)


def wants_back(response: "ModelResponse", wire: WireName) -> bool:
    """Whether the vendor expects parts of the answer back with the results of its calls: signed thinking, or signed calls."""
    from pydantic_ai.messages import ThinkingPart, ToolCallPart

    return any(
        _is_expected(part, wire)
        if isinstance(part, ThinkingPart)
        else isinstance(part, ToolCallPart) and part.provider_details
        for part in response.parts
    )


def _is_expected(part: "ThinkingPart", wire: WireName) -> bool:
    """Whether the vendor expects this thinking back: if signed, or for chat completions, if it came in its own field and not as tagged
    text."""
    return bool(part.signature) or (wire in _FIELDS and bool(part.id) and part.id != "content")


def _as_answered(turn: ModelTurn, wire: WireName) -> "ModelResponse | None":
    """The vendor's own answer with our names for its calls; None if it is not available or has other calls."""

    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

    if not isinstance(turn.vendor, ModelResponse) or len(turn.vendor.tool_calls) != len(turn.calls):
        return None
    calls = iter(turn.calls)
    parts: list[TextPart | ThinkingPart | ToolCallPart] = []
    for part in turn.vendor.parts:
        if isinstance(part, ToolCallPart):
            call = next(calls)
            parts.append(replace(part, args=call.arguments, tool_call_id=call.id))
        elif isinstance(part, TextPart) or (isinstance(part, ThinkingPart) and _is_expected(part, wire)):
            parts.append(part)
    return replace(turn.vendor, parts=parts)


def render_parameters(request: ChatRequest, model: "Model[Any]", *, native: bool) -> "ModelRequestParameters":
    """Instructions, tools and the schema of the answer; `native` lets the vendor enforce the schema."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    instructions = _instructions(request)
    tools = [
        ToolDefinition(name=tool.name, parameters_json_schema=dict(tool.parameters), description=tool.description)
        for tool in request.tools
    ]
    if request.schema is None:
        return ModelRequestParameters(function_tools=tools, instruction_parts=instructions)
    shape = OutputObjectDefinition(dict(request.schema), name="answer")
    held = native and bool(model.profile.get("supports_json_schema_output"))
    return ModelRequestParameters(
        function_tools=tools,
        output_mode="native" if held else "prompted",
        output_object=shape,
        instruction_parts=instructions,
    )


def _instructions(request: ChatRequest) -> "list[InstructionPart]":
    from pydantic_ai.messages import InstructionPart

    # without a user message, the delta goes to the instructions
    delta = request.delta if _newest(request.turns) is None else ""
    parts = (InstructionPart(request.prefix), InstructionPart(delta, dynamic=True))
    return [part for part in parts if part.content.strip()]


def render_settings(request: ChatRequest, wire: WireName, model: "Model[Any]") -> "ModelSettings":
    """The settings of a request. Retries of the vendor's client are off, because we retry ourselves."""
    settings: dict[str, Any] = {"max_retries": 0}
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    # some models accept none; pydantic-ai would drop them with a warning
    sampled = {"temperature": request.temperature, "top_p": request.top_p, "seed": request.seed}
    if not model.profile.get("anthropic_disallows_sampling_settings"):
        settings |= {name: value for name, value in sampled.items() if value is not None}
    if request.parallel_tool_calls is not None and request.tools:
        settings["parallel_tool_calls"] = request.parallel_tool_calls
    if request.stop:
        settings["stop_sequences"] = list(request.stop)
    if request.must_call:
        settings["tool_choice"] = list(request.must_call)
    if wire == "anthropic" and request.prefix.strip():
        settings["anthropic_cache_instructions"] = True
        # during tool calls, the next request begins with all of this one
        settings["anthropic_cache_messages"] = bool(request.turns) and isinstance(request.turns[-1], ToolTurn)
    if wire in ("openai", "responses") and model.profile.get("openai_supports_prompt_cache_breakpoints"):
        settings["openai_cache_instructions"] = True
    if wire == "responses":
        # the vendor must not store the conversation
        settings["openai_store"] = False
    known = {name: value for name, value in settings.items() if name not in model.unsupported_settings}
    return cast("ModelSettings", known)
