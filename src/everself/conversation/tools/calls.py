"""Offers tools to a model and runs its calls concurrently, each with a time limit and a size limit.

Every failure of a call becomes an outcome that the model is shown; it does not end the turn.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from everself.clock import monotonic
from everself.conversation.context.request import SMALL_WINDOW
from everself.conversation.tools.protocol import Outcome, Stamp, Tool, ToolContext, worse
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.models.chat.protocol import Calling, ChatModel, JsonObject, ToolCall

_log = get_logger(__name__)

# a model that requests more calls at once is confused, and calls cost time or money
MOST_AT_ONCE: Final = 16
_NAMED: Final = 40
# the tools that a conversation needs in order to remember; eleven schemas would fill a fifth of a small window
MEMORY_TOOLS: Final = frozenset({"memory_search", "memory_get", "memory_write", "memory_correct", "memory_forget"})


class CallResult(Frozen):
    """A finished call. `stamp` is the source of the outcome's text, which says how far to trust it."""

    call: ToolCall
    outcome: Outcome
    stamp: Stamp = "own"
    seconds: float = 0.0


async def call_tools(
    tools: Mapping[str, Tool], calls: Sequence[ToolCall], setting: ToolContext
) -> AsyncIterator[CallResult]:
    """Yield each call's result when it ends. Leaving early cancels the calls that still run."""
    import asyncio

    running = [asyncio.ensure_future(_call(tools, call, setting)) for call in calls[:MOST_AT_ONCE]]
    try:
        for call in calls[MOST_AT_ONCE:]:
            yield CallResult(call, Outcome(f"Not run: at most {MOST_AT_ONCE} calls are allowed at once.", failed=True))
        for done in asyncio.as_completed(running):
            yield await done
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _call(tools: Mapping[str, Tool], call: ToolCall, setting: ToolContext) -> CallResult:
    import asyncio

    begun = monotonic()
    tool = tools.get(call.name)
    if tool is None:
        # logged without the name, because a model chose it
        _log.info("A tool was called that does not exist.")
        known = ", ".join(sorted(tools)[:_NAMED]) or "none"
        return CallResult(call, Outcome(f'Unknown tool: "{call.name[:80]}". Available tools: {known}.', failed=True))
    arguments = read_arguments(call.arguments)
    if isinstance(arguments, str):
        _log.info("Tool %s was called with arguments that are no JSON object.", call.name)
        return CallResult(call, Outcome(arguments, failed=True))
    try:
        async with asyncio.timeout(tool.timeout):
            outcome = await tool.run(arguments, setting)
    except TimeoutError:
        words = f"{call.name} took longer than {tool.timeout:g} seconds and was abandoned; it may still complete."
        outcome = Outcome(words, failed=True)
    except EverselfError as error:
        outcome = Outcome(f"{error} {error.mend}".strip(), failed=True)
    seconds = monotonic() - begun
    _log.info("Tool %s %s in %.0f ms.", call.name, "failed" if outcome.failed else "returned", seconds * 1000)
    fitted = replace(outcome, content=fit(outcome.content, tool.most_characters))
    return CallResult(call, fitted, worse(tool.stamp, outcome.stamp), seconds)


def read_arguments(text: str) -> JsonObject | str:
    """The arguments of a call; if they are broken, the error message for the model."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        return f"The arguments are not JSON: {error}. Call it again with one JSON object."
    if not isinstance(found, dict):
        return "The arguments must be one JSON object. Call it again."
    return found


def fit(content: str, most: int) -> str:
    """The start of a result, up to `most` characters, with a note of how much was left out."""
    if len(content) <= most:
        return content
    return f"{content[:most]}\n[{len(content) - most:,} more characters were left out]"


def offered(tools: Sequence[Tool], model: ChatModel, calling: Calling) -> tuple[Tool, ...]:
    """The agent's own tools that fit the model: none if it cannot call tools, only those of memory if its window is small."""
    if calling == "none":
        return ()
    if model.window < SMALL_WINDOW:
        return tuple(tool for tool in tools if tool.spec.name in MEMORY_TOOLS)
    return tuple(tools)
