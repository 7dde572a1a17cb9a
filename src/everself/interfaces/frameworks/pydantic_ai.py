"""An agent of pydantic-ai with the memory of a session: its tools, its history, and the record of each run.

    result = await agent.run(prompt.message, instructions=prompt.prefix, toolsets=[MemoryToolset(s)], message_history=history)
    await record_run(s, message, result)

What the person said is recorded as theirs, what the model said as its own. What tools of your own give counts from the end of the run on;
wrapped in an `ObservedToolset` it counts before the model goes on.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from everself.agent_session import AgentSession
from everself.interfaces.frameworks.missing_package import missing
from everself.operations.loop_calls import LoopCall, outside_source

try:
    from pydantic_ai import RunContext
    from pydantic_ai.exceptions import ModelRetry, ToolFailed
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        RetryPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
    from pydantic_core import SchemaValidator, core_schema
except ImportError as error:
    raise missing("pydantic-ai-slim", "pydantic-ai") from error

if TYPE_CHECKING:
    from everself.agent_session import RecordedTurn

__all__ = ["MemoryToolset", "ObservedToolset", "load_history", "record_run"]

Deps = TypeVar("Deps")
# the session validates arguments itself, and reports errors to the model
_ANY = SchemaValidator(core_schema.any_schema())


class MemoryToolset(AbstractToolset[Any]):
    """The agent's own tools. Calls are stored with the turn, and text written with them counts as the model's."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    @property
    def id(self) -> str | None:
        return "everself"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        del ctx
        found = {}
        for one in self._session.tools("json-schema"):
            definition = ToolDefinition(
                name=one["name"], description=one["description"], parameters_json_schema=one["parameters"]
            )
            found[definition.name] = ToolsetTool(toolset=self, tool_def=definition, max_retries=0, args_validator=_ANY)
        return found

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str:
        del tool
        return (await self._session.call(name, tool_args, id=ctx.tool_call_id or "")).content


@dataclass
class ObservedToolset(WrapperToolset[Deps], Generic[Deps]):
    """A toolset of your own whose results the session records before the model sees them. `source` is the source of the results."""

    session: AgentSession
    source: str = "tool"

    def __post_init__(self) -> None:
        self.source = outside_source(self.source)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        async def observe(told: str, *, failed: bool = False) -> None:
            call = ctx.tool_call_id or ""
            await self.session.observe(name, told, arguments=tool_args, source=self.source, failed=failed, id=call)

        try:
            result = await super().call_tool(name, tool_args, ctx, tool)
        except (ModelRetry, ToolFailed) as error:
            # the error's message goes to the model, and may contain text of a page
            await observe(str(error), failed=True)
            raise
        await observe(result if isinstance(result, str) else str(result))
        return result


async def load_history(session: AgentSession) -> list[ModelMessage]:
    """The session's messages for `message_history`: the person's and the model's text, without calls."""
    found: list[ModelMessage] = []
    for one in await session.messages():
        if one.role == "user":
            found.append(ModelRequest(parts=[UserPromptPart(one.text)]))
        elif one.role == "assistant" and one.text.strip():
            found.append(ModelResponse(parts=[TextPart(one.text)]))
    return found


async def record_run(session: AgentSession, message: str, result: Any, *, id: str = "") -> "RecordedTurn":
    """Store a run (`AgentRunResult`) as the turn that answers `message`, the person's own words."""
    messages: list[ModelMessage] = result.new_messages()
    told = [part for one in messages if isinstance(one, ModelRequest) for part in one.parts]
    returned = {part.tool_call_id: part.model_response_str() for part in told if isinstance(part, ToolReturnPart)}
    returned |= {part.tool_call_id: part.model_response() for part in told if isinstance(part, RetryPromptPart)}
    asked = [part for one in messages if isinstance(one, ModelResponse) for part in one.parts]
    calls = [
        LoopCall(part.tool_name, returned[part.tool_call_id], part.args_as_json_str(), part.tool_call_id)
        for part in asked
        if isinstance(part, ToolCallPart) and part.tool_call_id in returned
    ]
    reply = result.output if isinstance(result.output, str) else str(result.output)
    return await session.record(user=message, assistant=reply, tool_calls=calls, id=id)
