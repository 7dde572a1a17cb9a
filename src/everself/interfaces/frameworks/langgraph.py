"""A graph of LangGraph with the memory of a session: a node that asks a chat model, and tools.

    graph.add_node("chat", chat_node(s, model))
    graph.add_node("tools", ToolNode(memory_tools(s)))

The node tells the model who it is and what it remembers, lets the session know what other tools gave before the model goes on, and records
the turn when the model calls no more tools.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everself.agent_session import AgentSession
from everself.errors import WrongUse
from everself.interfaces.frameworks.missing_package import missing
from everself.operations.loop_calls import outside_source

try:
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.tools import StructuredTool
except ImportError as error:
    raise missing("langgraph", "langgraph") from error

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

__all__ = ["chat_node", "memory_tools"]

Node = Callable[[Mapping[str, Any]], Awaitable[dict[str, list[AnyMessage]]]]


def memory_tools(session: AgentSession) -> list[StructuredTool]:
    """The agent's own tools, for `ToolNode` and `model.bind_tools`. Text that a model writes with them counts as the model's."""
    return [_tool(session, one) for one in session.tools("json-schema")]


def chat_node(session: AgentSession, model: "Runnable[Any, Any]", *, source: str = "tool") -> Node:
    """A node over the state's `messages`. `model` has its tools bound; `source` is the source of your own tools' results."""
    own = {one["name"] for one in session.tools("json-schema")}
    outside = outside_source(source)
    seen: set[str] = set()

    async def node(state: Mapping[str, Any]) -> dict[str, list[AnyMessage]]:
        messages: Sequence[AnyMessage] = state["messages"]
        newest = max((at for at, one in enumerate(messages) if isinstance(one, HumanMessage)), default=-1)
        if newest < 0:
            raise WrongUse("The state contains no message of a person.", mend="Begin with a HumanMessage in messages.")
        said = _text(messages[newest])
        prompt = await session.prompt(said)
        names = {call["id"]: call["name"] for one in messages if isinstance(one, AIMessage) for call in one.tool_calls}
        for one in messages[newest + 1 :]:
            if isinstance(one, ToolMessage) and one.tool_call_id not in seen:
                seen.add(one.tool_call_id)
                name = one.name or names.get(one.tool_call_id, "unknown")
                if name not in own:
                    await session.observe(name, _text(one), source=outside, id=one.tool_call_id)
        asked = [
            SystemMessage(prompt.prefix),
            *messages[:newest],
            HumanMessage(prompt.message),
            *messages[newest + 1 :],
        ]
        answer = await model.ainvoke(asked)
        if not answer.tool_calls:
            await session.record(user=said, assistant=_text(answer))
        return {"messages": [answer]}

    return node


def _tool(session: AgentSession, described: Mapping[str, Any]) -> StructuredTool:
    name = described["name"]

    async def call(**arguments: Any) -> str:
        return (await session.call(name, arguments)).content

    return StructuredTool(
        name=name, description=described["description"], args_schema=described["parameters"], coroutine=call
    )


def _text(message: AnyMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
