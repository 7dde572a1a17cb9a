"""Sub-agents: run one task in a session of their own, with reduced context, without memory and without write access.

What it comes back with is only as good as what it read: the taint of its session goes with its report.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from everself.conversation.events import Done, Event, Notice
from everself.conversation.shared_state import SharedState
from everself.conversation.tools.protocol import Outcome, Stamp, Tool, ToolContext, told
from everself.conversation.turn import TurnRunner
from everself.errors import WrongUse
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import is_owner

CHANNEL: Final = "spawn"
_TIMEOUT: Final = 600.0
_SPAWN: Final = ToolSpec(
    "spawn",
    "Hand a task of its own to a sub-agent: it knows nothing of this conversation or your memory, cannot write, and reports back once.",
    {
        "type": "object",
        "properties": {"task": {"type": "string", "description": "All that it has to know and to do."}},
        "required": ["task"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class SubagentReport:
    """What a sub-agent came back with, and how far its words are to be trusted."""

    text: str
    session: str
    stamp: Stamp = "own"
    failed: bool = False


class Subagents:
    def __init__(self, shared: SharedState) -> None:
        self._shared = shared

    async def send(self, task: str, setting: ToolContext) -> SubagentReport:
        """Have it done. A failure is a report too; being cancelled stops it, and what it said stays in its session."""
        log = self._shared.log
        scope = Scope(SessionKind.SUBAGENT, project=setting.scope.project)
        session = await self._shared.in_thread(lambda: log.begin(scope, CHANNEL))
        events: list[Event] = []
        # the task is worded by a model, which may have read a page
        await TurnRunner(self._shared, session, task, "", events.append, taint=setting.taint).run()
        self._shared.drop_prefix(session.id)
        await self._shared.leave(session.id)
        after = await self._shared.in_thread(lambda: log.fresh(session))
        done = next((one for one in reversed(events) if isinstance(one, Done)), None)
        failed = done is None or done.why not in ("stop", "length", "steps")
        troubles = [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
        said = done.text if done is not None else ""
        return SubagentReport("\n".join(filter(None, (said, *troubles))), session.id, after.taint, failed)


def spawn_tool(scope: Scope, subagents: Callable[[], Subagents]) -> tuple[Tool, ...]:
    """The tool for the owner's sessions, nothing for others."""
    if not is_owner(scope):
        return ()

    async def run(arguments: JsonObject, setting: ToolContext) -> Outcome:
        task = arguments.get("task")
        if not isinstance(task, str) or not task.strip():
            raise WrongUse("`task` is missing or empty.")
        report = await subagents().send(task, setting)
        content = told({"session": report.session, "report": report.text})
        return Outcome(content, report.failed, origin=f"session:{report.session}", stamp=report.stamp)

    return (Tool(_SPAWN, run, timeout=_TIMEOUT),)
