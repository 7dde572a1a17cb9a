"""spawn: hands a task to a sub-agent, which sees less, remembers nothing and comes back with words."""

from collections.abc import Awaitable, Callable
from typing import Final

from everself.conversation.tools.own._arguments import TEXT, describe, field, text_of
from everself.conversation.tools.own.kit import SubagentReport, told
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext
from everself.models.chat.protocol import JsonObject

_TIMEOUT: Final = 600.0
_SPAWN = describe(
    "spawn",
    "Hand a task of its own to a sub-agent: it knows nothing of this conversation or your memory, cannot write, and reports back once.",
    {"task": field(TEXT, "All that it has to know and to do.")},
    ("task",),
)


def spawning_tools(spawn: Callable[[str, ToolContext], Awaitable[SubagentReport]]) -> tuple[Tool, ...]:
    async def run(arguments: JsonObject, setting: ToolContext) -> Outcome:
        report = await spawn(text_of(arguments, "task"), setting)
        content = told({"session": report.session, "report": report.text})
        return Outcome(content, report.failed, origin=f"session:{report.session}", stamp=report.stamp)

    return (Tool(_SPAWN, run, timeout=_TIMEOUT),)
