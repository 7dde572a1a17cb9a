"""Converts our request to pydantic-ai's types. Pure: knows no client, no network and no time.

The prefix stands first and byte for byte the same in every request, with the cache point behind it where a vendor has such
points; the delta follows, then the turns.
"""

from typing import TYPE_CHECKING, Any, assert_never, cast

from everself.models.chat.protocol import ChatRequest, ModelTurn, ToolTurn, Turn, UserTurn
from everself.models.chat.vendors import WireName

if TYPE_CHECKING:
    from pydantic_ai.messages import InstructionPart, ModelMessage
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_NOTE = "[Note from the runtime, not from the person. Already done because of this message:]"
# a request without a single message is refused everywhere
_NOTHING = "(nothing was said)"


def render_turns(turns: tuple[Turn, ...]) -> "list[ModelMessage]":
    """Every turn in its order. Turns that hold nothing are left out: vendors refuse empty messages."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    found = [message for turn in turns if (message := _render(turn)) is not None]
    # vendors require a user message first; after compaction ours may start with a model turn
    if not found or not isinstance(found[0], ModelRequest):
        found.insert(0, ModelRequest(parts=[UserPromptPart(_NOTHING)]))
    return found


def render_user(turn: UserTurn) -> str:
    """What was said, and behind it what was done already."""
    if not turn.done:
        return turn.text
    note = "\n".join((_NOTE, *(f"- {sentence}" for sentence in turn.done)))
    return f"{turn.text}\n\n{note}" if turn.text else note


def _render(turn: Turn) -> "ModelMessage | None":
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    match turn:
        case UserTurn():
            text = render_user(turn)
            return ModelRequest(parts=[UserPromptPart(text)]) if text.strip() else None
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


def render_parameters(request: ChatRequest, model: "Model[Any]", *, native: bool) -> "ModelRequestParameters":
    """Instructions, tools and the shape of the answer; `native` lets the vendor hold the model to the schema."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    instructions = _instructions(request)
    if request.schema is None:
        tools = [
            ToolDefinition(name=tool.name, parameters_json_schema=dict(tool.parameters), description=tool.description)
            for tool in request.tools
        ]
        return ModelRequestParameters(function_tools=tools, instruction_parts=instructions)
    shape = OutputObjectDefinition(dict(request.schema), name="answer")
    held = native and bool(model.profile.get("supports_json_schema_output"))
    return ModelRequestParameters(
        output_mode="native" if held else "prompted", output_object=shape, instruction_parts=instructions
    )


def _instructions(request: ChatRequest) -> "list[InstructionPart]":
    from pydantic_ai.messages import InstructionPart

    parts = (InstructionPart(request.prefix), InstructionPart(request.delta, dynamic=True))
    return [part for part in parts if part.content.strip()]


def render_settings(request: ChatRequest, wire: WireName, model: "Model[Any]") -> "ModelSettings":
    """Retries of the vendor's own client are off, so that ours are all there are."""
    settings: dict[str, Any] = {"max_retries": 0}
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    if wire == "anthropic" and request.prefix.strip():
        settings["anthropic_cache_instructions"] = True
    if wire in ("openai", "responses") and model.profile.get("openai_supports_prompt_cache_breakpoints"):
        settings["openai_cache_instructions"] = True
    if wire == "responses":
        # the vendor must not store the conversation
        settings["openai_store"] = False
    return cast("ModelSettings", settings)
