"""An agent of the OpenAI Agents SDK with the memory of a session: its `Session`, its tools, and hooks that see what other tools give.

    memory = MemorySession(s)
    agent = Agent(name=…, instructions=memory.instructions, tools=memory.tools())
    await Runner.run(agent, message, session=memory, hooks=memory.hooks())

Items are recorded by their roles: a user's are the person's words, an assistant's the model's, outputs of tools those of a tool. What a
program says as `system` or `developer` is nobody's word and is not recorded.
"""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from everself.agent_session import AgentSession, LoopCall
from everself.errors import WrongUse
from everself.interfaces.frameworks.missing_package import missing
from everself.operations.loop_calls import outside_source

try:
    from agents import FunctionTool, RunHooks
except ImportError as error:
    raise missing("openai-agents", "openai-agents") from error

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

__all__ = ["MemorySession"]


class MemorySession:
    """The protocol `agents.Session` over a conversation of `Agent.session`. One per person."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self.session_id = session.id
        self.session_settings: SessionSettings | None = None
        # the items for the framework; None until read from the store
        self._items: list[Any] | None = None
        # items that were popped: if added again, they are not recorded twice
        self._popped: list[Any] = []
        self._seen: set[str] = set()
        self._said = ""

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """The newest `limit` items, oldest first."""
        items = await self._loaded()
        return list(items) if limit is None else list(items[-limit:]) if limit > 0 else []

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        known = await self._loaded()
        for item in items:
            if item in self._popped:
                self._popped.remove(item)
            else:
                await self._record(item, items)
            known.append(item)

    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove the newest item from the model's view. It stays on record; use `Agent.forget` to forget."""
        items = await self._loaded()
        if not items:
            return None
        self._popped.append(items.pop())
        found: TResponseInputItem = self._popped[-1]
        return found

    async def clear_session(self) -> None:
        """End the conversation with a note about it, and start another."""
        await self._session.end()
        self.session_id, self._items, self._said = self._session.id, [], ""
        self._popped.clear()
        self._seen.clear()

    async def instructions(self, context: Any, agent: object) -> str:
        """The agent's identity and memory for `Agent(instructions=…)`, including memories about the newest message."""
        del agent
        said = [_text(one) for one in getattr(context, "turn_input", ()) if one.get("role") == "user"]
        message = next((one for one in reversed(said) if one.strip()), self._said)
        if not message.strip():
            raise WrongUse("There is no message of a person yet.", mend="Give Runner.run a message and session=.")
        return (await self._session.prompt(message)).text

    def tools(self) -> list[FunctionTool]:
        """The agent's own tools. Text that a model writes with them counts as the model's."""
        return [self._tool(one) for one in self._session.tools("json-schema")]

    def hooks(self, source: str = "tool") -> "RunHooks[Any]":
        """Hooks for `Runner.run`, which record results of your own tools before the model continues. `source` is the source of these
        results."""
        return _Observer(self, outside_source(source))

    async def observe(self, call: str, name: str, result: object, source: str) -> None:
        if call in self._seen:
            return
        self._seen.add(call)
        await self._session.observe(name, result if isinstance(result, str) else str(result), source=source, id=call)

    def _tool(self, described: Mapping[str, Any]) -> FunctionTool:
        name = described["name"]

        async def invoke(context: Any, arguments: str) -> str:
            call = str(getattr(context, "tool_call_id", ""))
            self._seen.add(call)
            return (await self._session.call(name, arguments, id=call)).content

        return FunctionTool(
            name=name,
            description=described["description"],
            params_json_schema=described["parameters"],
            on_invoke_tool=invoke,
            strict_json_schema=False,
        )

    async def _loaded(self) -> list[Any]:
        if self._items is None:
            self._items = [item for one in await self._session.messages() for item in _items(one)]
        return self._items

    async def _record(self, item: Any, beside: Iterable[Any]) -> None:
        kind, role = item.get("type", "message"), item.get("role")
        if kind == "message" and role == "user":
            self._said = _text(item)
            if self._said.strip():
                await self._session.say(self._said)
        elif kind == "message" and role == "assistant":
            if (text := _text(item)).strip():
                await self._session.record(assistant=text)
        elif kind == "function_call_output" and item["call_id"] not in self._seen:
            asked = [*(self._items or ()), *beside]
            call: Mapping[str, Any] = next(
                (one for one in asked if one.get("call_id") == item["call_id"] and "name" in one), {}
            )
            self._seen.add(item["call_id"])
            told = LoopCall(call.get("name", "unknown"), _output(item), call.get("arguments", "{}"), item["call_id"])
            await self._session.observe(told.name, told.result or "", arguments=told.arguments, id=told.id)


class _Observer(RunHooks[Any]):
    def __init__(self, memory: MemorySession, source: str) -> None:
        self._memory = memory
        self._source = source

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        del agent
        await self._memory.observe(str(getattr(context, "tool_call_id", "")), tool.name, result, self._source)


def _items(message: Any) -> list[Any]:
    if message.role == "user":
        return [{"role": "user", "content": message.text}]
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.call, "output": message.text}]
    spoken = [{"role": "assistant", "content": message.text}] if message.text.strip() else []
    called = [
        {"type": "function_call", "call_id": call, "name": name, "arguments": arguments}
        for call, name, arguments in message.calls
    ]
    return [*spoken, *called]


def _text(item: Mapping[str, Any]) -> str:
    content = item.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part)


def _output(item: Mapping[str, Any]) -> str:
    output = item.get("output")
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
