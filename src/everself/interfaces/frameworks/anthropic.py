"""Anthropic's memory tool over an agent's own files, for the tool runner of the Anthropic SDK.

    client.beta.messages.tool_runner(model=…, messages=…, tools=[MemoryTool(agent)])

What the model writes is stored as the model's. Without a session nobody tells what else it has read, so that its words count as a
tool's, unless the program says otherwise; within a session of `Agent.session` the conversation tells.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from everself.agent import Agent
from everself.agent_session import AgentSession
from everself.errors import EverselfError, WrongUse
from everself.interfaces.frameworks.missing_package import missing
from everself.memory.provenance import AGENT, OWN, TOOL, taint_of
from everself.operations.caller import Audience, Caller
from everself.operations.loop_calls import outside_source
from everself.operations.registry import get_operation
from everself.operations.tools import clean
from everself.search.scopes import Scope, SessionKind
from everself.text.normalise import slug

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise missing("anthropic", "anthropic") from error

if TYPE_CHECKING:
    from anthropic.types.beta import BetaCacheControlEphemeralParam

    from everself.operations.memory_tool.paths import MemoryAnswer

__all__ = ["AsyncMemoryTool", "MemoryTool"]

_OPERATION: Final = "tool.memory"
_TOOL: Final = "memory"


class _Calls:
    """The calls of one model. The sources of what it has viewed apply to what it writes afterwards."""

    def __init__(self, agent: Agent, project: str, source: str) -> None:
        self.agent = agent
        self._scope = Scope(SessionKind.MAIN, None, slug(project) if project else None)
        self._taint = OWN if source == AGENT else outside_source(source)

    def run(self, given: object) -> str:
        if self.agent.runtime.closed:
            raise WrongUse("The agent is closed.", mend="Open it again with Agent.open(…).")
        operation = get_operation(_OPERATION)
        try:
            request = operation.read(_fields(given), "tool")
            caller = Caller(Audience.AGENT, self._scope, taint=self._taint, channel="library")
            answer: MemoryAnswer = operation(self.agent.runtime, caller, request)
        except EverselfError as error:
            raise ToolError(f"{error} {error.mend}".strip()) from error
        self._taint = taint_of((self._taint, answer.source))
        if answer.failed:
            raise ToolError(answer.text)
        return answer.text


class MemoryTool(BetaAbstractMemoryTool):
    """`/memories` is the agent's folder `memory/`, or that of a `project`.

    `source` is the source of the model's words: `tool` if it may have read pages or files, `agent` if it reads only its memory and the
    owner's messages.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        project: str = "",
        source: str = TOOL,
        cache_control: "BetaCacheControlEphemeralParam | None" = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        if not isinstance(agent, Agent):
            raise WrongUse("MemoryTool takes an Agent.", mend="Use AsyncMemoryTool(session) within a session.")
        self._calls = _Calls(agent, project, source)

    def call(self, input: object) -> str:
        return self._run(input)

    def _run(self, command: object) -> str:
        """Each command object contains its own name."""
        return self._calls.run(command)

    view = create = str_replace = insert = delete = rename = _run


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same without blocking the event loop; for an agent, or for one of its sessions, whose project and conversation are used."""

    def __init__(
        self,
        agent: Agent | AgentSession,
        *,
        project: str = "",
        source: str = "",
        cache_control: "BetaCacheControlEphemeralParam | None" = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._session = agent if isinstance(agent, AgentSession) else None
        self._calls = _Calls(agent, project, source or TOOL) if isinstance(agent, Agent) else None
        if self._session is not None and (project or source):
            raise WrongUse("A session says itself what is read in it, and which project it is about.")

    async def call(self, input: object) -> str:
        return await self._run(input)

    async def _run(self, command: object) -> str:
        if self._session is not None:
            done = await self._session.call(_TOOL, _fields(command))
            if done.failed:
                raise ToolError(done.content)
            return done.content
        calls = self._calls
        if calls is None:
            raise WrongUse("AsyncMemoryTool takes an Agent or a session of one.")
        return await calls.agent.runtime.worker(lambda: calls.run(command))

    view = create = str_replace = insert = delete = rename = _run


def _fields(given: object) -> Mapping[str, Any]:
    """The input of a call, from the model or parsed by the SDK. Unknown fields are dropped."""
    dump = getattr(given, "to_dict", None)
    found = dump() if callable(dump) else given
    known = {one.name for one in get_operation(_OPERATION).fields}
    if not isinstance(found, Mapping):
        raise ToolError("The input of the memory tool must be one JSON object.")
    return cast(Mapping[str, Any], clean({key: value for key, value in found.items() if key in known}))
