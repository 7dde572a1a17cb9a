"""Own tools over a memory and a workspace without an app, for the trust rows: called as a model calls them, in the owner's session."""

import asyncio
import json
from collections.abc import Mapping

from everself.conversation.tools.calls import CallResult, call_tools
from everself.conversation.tools.own.kit import Kit
from everself.conversation.tools.own.selection import own_tools
from everself.conversation.tools.protocol import Tool, ToolContext
from everself.conversation.worker_thread import WorkerThread
from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.memory.memory import Memory
from everself.models.chat.protocol import ToolCall
from everself.search.scopes import Scope, SessionKind
from everself.storage.state.database import State
from everself.workspace.protocol import Workspace

OWNER = Scope(SessionKind.MAIN)


def kit_over(memory: Memory, workspace: Workspace, state: State, personas: tuple[str, ...] = ()) -> Kit:
    """Without search and without history to forget from."""

    def no_forgetting() -> object:
        raise NotImplementedError

    return Kit(
        in_thread=WorkerThread(),
        memory=lambda: memory,
        workspace=lambda: workspace,
        find=workspace.find,
        growth=lambda: Growth(workspace, state, memory.clock, SoulRules()),
        forgetting=no_forgetting,  # type: ignore[arg-type]  # whoever forgets hands in their own
        asks_to_forget=lambda _: True,
        personas=personas,
    )


def box_of(kit: Kit, scope: Scope = OWNER) -> dict[str, Tool]:
    return {tool.spec.name: tool for tool in own_tools(kit, scope)}


def call(tools: Mapping[str, Tool], name: str, arguments: Mapping[str, object], said: str = "") -> CallResult:
    """One call, as the owner's message `said` led to it."""
    return call_in(tools, ToolContext(OWNER, "SESSION", "MESSAGE", said, by_owner=True), name, arguments)


def call_in(tools: Mapping[str, Tool], setting: ToolContext, name: str, arguments: Mapping[str, object]) -> CallResult:
    """One call in a conversation of whatever kind."""

    async def run() -> CallResult:
        calls = [ToolCall("1", name, json.dumps(arguments))]
        (called,) = [one async for one in call_tools(tools, calls, setting)]
        return called

    return asyncio.run(run())
