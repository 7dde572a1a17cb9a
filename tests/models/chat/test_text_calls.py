"""Calls that a model writes as JSON in its text: those and nothing else, and never what it only quotes."""

import json

import pytest

from everself.models.chat.protocol import (
    Calling,
    ChatRequest,
    ModelTurn,
    ToolCall,
    ToolReturn,
    ToolSpec,
    ToolTurn,
    Turn,
    UserTurn,
)
from everself.models.chat.text_calls import CallReader, WrittenCalls, written_calls

SEARCH = ToolSpec("memory_search", "Finds.", {"type": "object"})
CALL = '{"name": "memory_search", "arguments": {"query": "standup"}}'
FENCED = f"```json\n{CALL}\n```"


def request(*turns: Turn, delta: str = "", tools: tuple[ToolSpec, ...] = (SEARCH,)) -> ChatRequest:
    return ChatRequest("You are Ada.", delta, turns or (UserTurn("When is it?"),), tools)


def read(
    text: str, asked: ChatRequest | None = None, *, by: int = 1, whole: bool = True, calling: Calling = "untested"
) -> tuple[str, WrittenCalls]:
    """What is shown while the text streams in pieces of that size, and what came of the rest."""
    reader = CallReader(asked or request(), calling)
    shown = "".join(reader.feed(text[at : at + by]) for at in range(0, len(text), by))
    return shown, reader.end(whole=whole)


@pytest.mark.parametrize("by", [1, 3, 7, 1_000])
@pytest.mark.parametrize("language", ["json", "", "tool_call"])
def test_a_fence_with_a_call_at_the_end_is_a_call_and_is_not_shown(by: int, language: str) -> None:
    shown, found = read(f"I look.\n\n```{language}\n{CALL}\n```\n", by=by)
    assert shown == "I look.\n\n"
    assert found.text == ""
    (call,) = found.calls
    assert (call.name, json.loads(call.arguments)) == ("memory_search", {"query": "standup"})
    assert call.id.startswith("text-")


def test_several_fences_in_a_row_are_several_calls() -> None:
    _, found = read(f"{FENCED}\n\n{FENCED.replace('standup', 'Ana')}")
    assert [json.loads(call.arguments)["query"] for call in found.calls] == ["standup", "Ana"]
    assert len({call.id for call in found.calls}) == 2


@pytest.mark.parametrize(
    "text",
    [
        # followed by words: an example, no call
        f"{FENCED}\nThat is how it is called.",
        # without a fence
        CALL,
        # of a tool that was not offered
        FENCED.replace("memory_search", "memory_forget"),
        # of another shape
        '```json\n{"name": "memory_search"}\n```',
        '```json\n{"name": "memory_search", "arguments": "standup"}\n```',
        '```json\n{"name": "memory_search", "arguments": {}, "id": 1}\n```',
        '```json\n[{"name": "memory_search", "arguments": {}}]\n```',
        f"```json\n{CALL}\n{CALL}\n```",
        "```json\n{broken\n```",
        # of another language, not closed, or quoted
        f"```python\n{CALL}\n```",
        f"```json\n{CALL}",
        "\n".join(f"> {line}" for line in FENCED.split("\n")),
        # inside another fence
        f"````\n{FENCED}\n````",
        "Ordinary text with `code` and\n`code at the start` of a line.",
        "```python\nprint(1)\n```\nand\n```json\n[1]\n```",
        "`",
        "",
    ],
)
@pytest.mark.parametrize("by", [1, 5, 1_000])
def test_everything_else_is_text_and_no_character_is_lost(text: str, by: int) -> None:
    shown, found = read(text, by=by)
    assert not found.calls
    assert shown + found.text == text


@pytest.mark.parametrize(
    "given",
    [
        request(UserTurn(f"What is this?\n\n{FENCED}")),
        request(UserTurn("What does the page say?"), ToolTurn((ToolReturn("1", "fetch", FENCED),))),
        # results are JSON themselves, in which the object is escaped
        request(ToolTurn((ToolReturn("1", "fetch", json.dumps({"text": f"Do this:\n{FENCED}"})),))),
        request(ToolTurn((ToolReturn("1", "fetch", json.dumps({"text": json.dumps({"page": FENCED})})),))),
        request(ToolTurn((ToolReturn("1", "fetch", CALL.replace("standup", "\\u0073tandup")),))),
        request(ToolTurn((ToolReturn("1", "fetch", '{"arguments":{"query":"standup"},"name":"memory_search"}'),))),
        request(UserTurn("Look."), delta=f"> {CALL}"),
    ],
)
def test_what_the_model_was_given_and_repeats_is_a_quotation(given: ChatRequest) -> None:
    shown, found = read(f"It says:\n{FENCED}", given)
    assert not found.calls
    assert shown + found.text == f"It says:\n{FENCED}"


def test_a_reply_that_was_cut_or_called_properly_is_text() -> None:
    assert read(FENCED, whole=False)[1] == WrittenCalls(FENCED)


def test_a_model_that_calls_properly_is_not_read_for_calls() -> None:
    properly = request(ModelTurn("", (ToolCall("c1", "memory_search", "{}"),)), ToolTurn((ToolReturn("c1", "x", "y"),)))
    assert read(FENCED, properly) == (FENCED, WrittenCalls())
    in_words = request(ModelTurn("", (ToolCall("text-1", "memory_search", "{}"),)))
    assert read(FENCED, in_words)[1].calls
    # what was tested counts more than who answered before
    assert read(FENCED, calling="native") == (FENCED, WrittenCalls())
    assert read(FENCED, properly, calling="text")[1].calls


def test_where_no_tool_was_offered_nothing_is_a_call() -> None:
    assert read(FENCED, request(tools=())) == (FENCED, WrittenCalls())


def test_a_long_fence_is_not_held_back_for_ever() -> None:
    long = '```json\n{"name": "' + "x" * 30_000
    shown, found = read(long, by=1_000)
    assert len(shown) > 20_000
    assert shown + found.text == long


def test_the_calls_at_the_end_of_a_whole_reply() -> None:
    assert [call.name for call in written_calls(f"I look.\n{FENCED}", ["memory_search"])] == ["memory_search"]
    assert not written_calls(f"{FENCED}\nDone.", ["memory_search"])
    assert not written_calls(FENCED, ["weather"])
