"""Own tools over a memory and a workspace without an app, for the trust rows: called as a model calls them, in the owner's session."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

from everself.config import load_here
from everself.conversation.tools.calls import CallResult, call_tools
from everself.conversation.tools.protocol import Tool, ToolContext
from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.memory.memory import Memory
from everself.models.chat.protocol import ToolCall
from everself.operations.tools import own_tools
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.storage.state.database import State
from everself.workspace.protocol import Workspace

OWNER = Scope(SessionKind.MAIN)


def runtime_over(
    memory: Memory, workspace: Workspace, state: State, personas: tuple[str, ...] = (), forgetting: object = None
) -> Runtime:
    """An agent whose files and database are handed in. Without search, and without history to forget from unless that is given."""
    loaded = load_here({"EVERSELF_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"})
    agent = loaded.config.agent("")
    made = Runtime(loaded.config.places, loaded, replace(agent, search=replace(agent.search, enabled=False)))
    growth = Growth(workspace, state, memory.clock, SoulRules())
    made.__dict__ |= {"memory": memory, "workspace": workspace, "state": state, "clock": memory.clock, "growth": growth}
    made.__dict__ |= {"forgetting": forgetting, "find_usable": workspace.find}
    if personas:
        hooks = loaded.config.hooks
        found = replace(hooks, persona=replace(hooks.persona, file=personas[0]))
        made.loaded = replace(loaded, config=replace(loaded.config, hooks=found))
    return made


def box_of(runtime: Runtime, scope: Scope = OWNER) -> dict[str, Tool]:
    return {tool.spec.name: tool for tool in own_tools(runtime, scope)}


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
