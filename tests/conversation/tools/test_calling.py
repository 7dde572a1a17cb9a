"""Calls run at once, each within its time and size; whatever goes wrong is told to the model."""

import asyncio
from collections.abc import Mapping

from everself.conversation.tools.calls import MOST_AT_ONCE, CallResult, call_tools
from everself.conversation.tools.protocol import Outcome, Run, Stamp, Tool, ToolContext
from everself.errors import RefusedByRule
from everself.models.chat.protocol import JsonObject, ToolCall, ToolSpec
from everself.search.scopes import Scope, SessionKind

SETTING = ToolContext(Scope(SessionKind.MAIN), "s", "m", "hello", by_owner=True)


def tool(name: str, run: Run, *, stamp: Stamp = "own", timeout: float = 5.0, most: int = 1_000) -> Tool:
    return Tool(ToolSpec(name, "", {"type": "object"}), run, stamp, timeout=timeout, most_characters=most)


def run_all(tools: Mapping[str, Tool], *calls: ToolCall) -> dict[str, CallResult]:
    async def run() -> list[CallResult]:
        return [one async for one in call_tools(tools, calls, SETTING)]

    return {one.call.id: one for one in asyncio.run(run())}


async def echo(arguments: JsonObject, _: ToolContext) -> Outcome:
    return Outcome(str(arguments.get("words", "")))


def test_calls_run_at_the_same_time() -> None:
    async def meet(_: JsonObject, __: ToolContext) -> Outcome:
        # ends only when both have come
        await barrier.wait()
        return Outcome("met")

    async def run() -> list[CallResult]:
        nonlocal barrier
        barrier = asyncio.Barrier(2)
        calls = [ToolCall("1", "meet", "{}"), ToolCall("2", "meet", "{}")]
        return [one async for one in call_tools({"meet": tool("meet", meet)}, calls, SETTING)]

    barrier: asyncio.Barrier
    assert [one.outcome.content for one in asyncio.run(run())] == ["met", "met"]


def test_a_call_that_takes_too_long_is_left_and_the_others_are_not_held_up() -> None:
    async def sleep(_: JsonObject, __: ToolContext) -> Outcome:
        await asyncio.sleep(3_600)
        return Outcome("late")

    tools = {"sleep": tool("sleep", sleep, timeout=0.05), "echo": tool("echo", echo)}
    found = run_all(tools, ToolCall("1", "sleep", "{}"), ToolCall("2", "echo", '{"words": "quick"}'))
    assert found["1"].outcome.failed
    assert "longer than 0.05 seconds" in found["1"].outcome.content
    assert found["2"].outcome.content == "quick"


def test_a_result_that_is_too_long_is_cut_and_says_so() -> None:
    found = run_all({"echo": tool("echo", echo, most=10)}, ToolCall("1", "echo", '{"words": "0123456789abcdef"}'))
    assert found["1"].outcome.content == "0123456789\n[6 more characters were left out]"


def test_what_cannot_be_called_is_told_in_words() -> None:
    async def refuse(_: JsonObject, __: ToolContext) -> Outcome:
        raise RefusedByRule("Not you.", mend="Ask somebody else.")

    tools = {"echo": tool("echo", echo), "refuse": tool("refuse", refuse)}
    found = run_all(
        tools,
        ToolCall("1", "nothing", "{}"),
        ToolCall("2", "echo", '{"words": '),
        ToolCall("3", "echo", '["words"]'),
        ToolCall("4", "refuse", "{}"),
        ToolCall("5", "echo", ""),
    )
    assert [found[name].outcome.failed for name in "12345"] == [True, True, True, True, False]
    assert "Available tools: echo, refuse." in found["1"].outcome.content
    assert "not JSON" in found["2"].outcome.content
    assert "one JSON object" in found["3"].outcome.content
    assert "Not you. Ask somebody else." in found["4"].outcome.content


def test_no_more_than_a_few_calls_are_made_at_once() -> None:
    calls = [ToolCall(str(number), "echo", "{}") for number in range(MOST_AT_ONCE + 2)]
    found = run_all({"echo": tool("echo", echo)}, *calls)
    assert len(found) == len(calls)
    assert sum(one.outcome.failed for one in found.values()) == 2


def test_the_worse_of_two_stamps_counts() -> None:
    async def page(_: JsonObject, __: ToolContext) -> Outcome:
        return Outcome("words", stamp="web")

    tools = {"page": tool("page", page, stamp="tool"), "echo": tool("echo", echo, stamp="tool")}
    found = run_all(tools, ToolCall("1", "page", "{}"), ToolCall("2", "echo", "{}"))
    assert (found["1"].stamp, found["2"].stamp) == ("web", "tool")
