"""The model's tools, made from operations: arguments become a request, and the result is rendered by the operation.

Access fails closed: a session gets only the tools that its kind is offered.
"""

from typing import Any

from everself.conversation.tools.protocol import TIMEOUT, Outcome, Tool, ToolContext
from everself.memory.provenance import TOOL
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Operation, ToolOffer
from everself.operations.registry import LISTED, get_operation
from everself.runtime import Runtime
from everself.search.scopes import Scope
from everself.search.sharing import effective, is_owner
from everself.text.normalise import without_surrogates


def own_tools(runtime: Runtime, scope: Scope) -> tuple[Tool, ...]:
    operations = (get_operation(one.name) for one in LISTED if one.tool)
    offers = ((one, one.tool) for one in operations if one.tool is not None)
    return tuple(tool_of(one, offer, runtime) for one, offer in offers if _is_offered(offer, runtime, scope))


def give_tools(runtime: Runtime) -> Runtime:
    """Make the tools available to the conversations of this agent."""
    runtime.tools = lambda scope: own_tools(runtime, scope)
    return runtime


def unlisted_tools(runtime: Runtime, scope: Scope) -> dict[str, Tool]:
    """Tools that a program may call although the settings do not offer them to models: Anthropic's memory tool."""
    operation = get_operation("tool.memory")
    offer = operation.tool
    if offer is None or effective(scope).kind not in offer.sessions:
        return {}
    return {offer.name: tool_of(operation, offer, runtime)}


def may_use(operation: Operation[Any, Any], runtime: Runtime, scope: Scope) -> bool:
    """Whether a session of this scope is offered the operation as a tool."""
    return operation.tool is not None and _is_offered(operation.tool, runtime, scope)


def _is_offered(offer: ToolOffer[Any], runtime: Runtime, scope: Scope) -> bool:
    if effective(scope).kind not in offer.sessions:
        return False
    return offer.where is None or offer.where(runtime, scope)


def tool_of(operation: Operation[Any, Any], offer: ToolOffer[Any], runtime: Runtime) -> Tool:
    show = offer.show or _show

    def work(arguments: JsonObject, context: ToolContext) -> Outcome:
        request = operation.read(clean(arguments), "tool")
        caller = caller_in(context)
        shown: Outcome = show(runtime, request, operation(runtime, caller, request))
        return shown

    async def run(arguments: JsonObject, context: ToolContext) -> Outcome:
        return await runtime.worker(lambda: work(arguments, context))

    spec = ToolSpec(offer.name, offer.help or operation.help, operation.schema("tool"))
    return Tool(spec, run, changes=operation.effect != "read", timeout=offer.timeout or TIMEOUT)


def caller_in(context: ToolContext) -> Caller:
    """The caller of a tool: the agent in the owner's sessions, a guest elsewhere."""
    return Caller(
        Audience.AGENT if is_owner(context.scope) else Audience.GUEST,
        context.scope,
        context.session,
        context.message,
        context.said,
        context.by_owner,
        context.taint,
    )


def clean(value: Any) -> Any:
    """Replace lone surrogates, which JSON can contain and files cannot."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {key: clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list) else value


def _show(_: Runtime, __: object, result: Any) -> Outcome:
    import msgspec

    return Outcome(msgspec.json.encode(result).decode(), stamp=TOOL)
