"""Sub-agents: run one task in a session of their own, with reduced context, without memory and without write access.

What it comes back with is only as good as what it read: the taint of its session goes with its report.
"""

from typing import Final

from everself.conversation._shared import SharedState
from everself.conversation.events import Done, Event, Notice
from everself.conversation.tools.own.kit import SubagentReport
from everself.conversation.tools.protocol import ToolContext
from everself.conversation.turn import TurnRunner
from everself.search.scopes import Scope, SessionKind

CHANNEL: Final = "spawn"


class Subagents:
    def __init__(self, shared: SharedState) -> None:
        self._shared = shared

    async def send(self, task: str, setting: ToolContext) -> SubagentReport:
        """Have it done. A failure is a report too; being cancelled stops it, and what it said stays in its session."""
        log = self._shared.parts.log
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
