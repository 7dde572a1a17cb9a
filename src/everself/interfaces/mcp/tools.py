"""The MCP tools, made from operations: listing and calling.

They are called by a client's model. Errors it can correct are returned as results; only unknown tools give a protocol error.
"""

from collections.abc import Mapping
from typing import Any, Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, Tool, ToolAnnotations

from everself.conversation.tools.protocol import Outcome
from everself.errors import EverselfError, RefusedByRule, WrongUse
from everself.interfaces.http.access import Access
from everself.interfaces.http.problems import Problem, Refused, problem_of
from everself.interfaces.mcp.hosts import Host
from everself.operations.caller import Audience
from everself.operations.client_prompts import client_caller
from everself.operations.declaration import McpOffer, Operation
from everself.operations.registry import LISTED, get_operation
from everself.operations.tools import clean, may_use
from everself.runtime import Runtime
from everself.search.sharing import effective

# limit for all arguments together
MOST_CHARACTERS: Final = 256 * 1024


def offered(access: Access) -> "tuple[tuple[Operation[Any, Any], McpOffer[Any]], ...]":
    """The operations that the caller may use, in a fixed order."""
    found = (get_operation(one.name) for one in sorted(LISTED, key=lambda one: one.mcp) if one.mcp)
    return tuple((one, one.mcp) for one in found if one.mcp is not None and _is_offered(one, access))


def _is_offered(operation: Operation[Any, Any], access: Access) -> bool:
    if access.read and operation.effect != "read":
        return False
    if access.is_owner:
        return operation.audience < Audience.OWNER
    return operation.tool is not None and effective(access.scope).kind in operation.tool.sessions


def list_tools(access: Access) -> list[Tool]:
    return [_tool(operation, offer) for operation, offer in offered(access)]


def _tool(operation: Operation[Any, Any], offer: McpOffer[Any]) -> Tool:
    reads = operation.effect == "read"
    hints = ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=None if reads else operation.effect == "destructive",
        # repeating the call has no further effect
        idempotent_hint=None if reads else True,
        open_world_hint=False,
    )
    return Tool(name=offer.name, description=offer.help, input_schema=operation.schema("mcp"), annotations=hints)


async def call_tool(host: Host, access: Access, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    found = next(((one, offer) for one, offer in offered(access) if offer.name == name), None)
    if found is None:
        known = ", ".join(offer.name for _, offer in offered(access))
        raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:60]}. Known are {known}.")
    operation, offer = found

    def work(runtime: Runtime) -> Outcome:
        caller = client_caller(access.scope)
        if not access.is_owner and not may_use(operation, runtime, caller.scope):
            raise RefusedByRule("Permission denied: this is not offered to guests.")
        request = operation.read(clean(dict(arguments)), "mcp")
        return offer.show(runtime, request, operation(runtime, caller, request))

    try:
        _check_size(arguments)
        shown = await host.run(access, work, long=bool(operation.progress))
    except EverselfError as error:
        return _failed(problem_of(error, to_owner=access.is_owner))
    except Refused as refused:
        return _failed(refused.problem)
    return CallToolResult(content=[TextContent(text=shown.content)], is_error=shown.failed)


def _check_size(arguments: Mapping[str, Any]) -> None:
    if sum(len(one) for one in _texts(arguments)) > MOST_CHARACTERS:
        raise WrongUse(f"The arguments have more than {MOST_CHARACTERS:,} characters. Nothing was done.")


def _texts(value: Any) -> list[str]:
    """All texts in the value, at any depth."""
    found: list[str] = []
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Mapping):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            left += one
    return found


def _failed(problem: Problem) -> CallToolResult:
    words = "\n".join(filter(None, (problem.detail or problem.title, f"→ {problem.mend}" if problem.mend else "")))
    return CallToolResult(content=[TextContent(text=words)], is_error=True)
