"""Whatever a body holds, it is read or refused by a name. What is read makes a request that `chat.say` takes, or refuses."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.errors import WrongUse
from everself.interfaces.anthropic.requests import read_messages
from everself.interfaces.http.dialogue import Asked
from everself.interfaces.http.problems import Problem, Refused
from everself.interfaces.openai.requests import read_completion
from everself.interfaces.openai.response_requests import read_response
from everself.operations.caller import Audience, Caller
from everself.operations.client_turns import schema_fault
from everself.operations.conversation import _options, converse

WORDS = (
    *("user", "assistant", "tool", "system", "text", "function", "auto", "any", "none", "required", "json_schema"),
    *("image_url", "image", "tool_use", "tool_result", "input_text", "function_call", "function_call_output", "base64"),
    *("object", "array", "weather", "c1", "data:image/png;base64,AAAA", "image/png", "AAAA", "{}", "<a>b</a>", "Hello"),
)
NAMES = (
    *(
        "role",
        "content",
        "type",
        "text",
        "messages",
        "model",
        "tools",
        "function",
        "name",
        "parameters",
        "id",
        "call_id",
    ),
    *("tool_calls", "tool_call_id", "arguments", "image_url", "url", "source", "media_type", "data", "tool_use_id"),
    *("input", "output", "system", "instructions", "tool_choice", "response_format", "json_schema", "schema", "format"),
    *("max_tokens", "temperature", "stop", "stream", "properties", "items", "anyOf", "required", "input_schema"),
)
leaf = st.one_of(
    st.sampled_from(WORDS), st.none(), st.booleans(), st.integers(-2, 200), st.floats(0, 3), st.text(max_size=4)
)
anything = st.recursive(
    leaf,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)),
    max_leaves=12,
)
part = st.fixed_dictionaries(
    {"type": st.sampled_from(WORDS)},
    optional=dict.fromkeys(("text", "id", "name", "input", "source", "image_url", "tool_use_id", "content"), anything),
)
message = st.fixed_dictionaries(
    {"role": st.sampled_from(("user", "assistant", "tool", "system", "developer"))},
    optional={
        "content": st.one_of(st.text(max_size=8), st.lists(part, max_size=3), anything),
        "type": st.sampled_from(("message", "function_call", "function_call_output", "reasoning")),
        **dict.fromkeys(("tool_calls", "tool_call_id", "call_id", "name", "arguments", "output"), anything),
    },
)
tool = st.fixed_dictionaries(
    {"type": st.sampled_from(("function", "custom", "web_search"))},
    optional=dict.fromkeys(("name", "function", "parameters", "input_schema", "description"), anything),
)
body = st.fixed_dictionaries(
    {"model": st.just("main"), "max_tokens": st.just(9)},
    optional={
        "messages": st.lists(message, max_size=4),
        "input": st.one_of(st.text(max_size=8), st.lists(message, max_size=4)),
        "tools": st.lists(tool, max_size=2),
        **dict.fromkeys(
            ("system", "tool_choice", "response_format", "text", "output_config", "stop", "temperature"), anything
        ),
    },
)
CALLER = Caller(Audience.OWNER, unwatched=True)
READERS: list[Callable[[Any], Asked]] = [
    lambda found: read_completion(found).asked,
    read_messages,
    lambda found: read_response(found).asked,
]


def reading(read: Callable[[Any], Asked], found: dict[str, Any]) -> tuple[dict[str, object], Problem | None]:
    try:
        return read(found).given, None
    except Refused as refused:
        return {}, refused.problem


@pytest.mark.slow
@pytest.mark.parametrize("read", READERS, ids=["completions", "messages", "responses"])
@given(body)
def test_a_body_is_read_or_refused_by_a_name(read: Callable[[Any], Asked], found: dict[str, Any]) -> None:
    asked, problem = reading(read, found)
    if problem is not None:
        assert (problem.status, bool(problem.param)) == (400, True)
        return
    try:
        request = converse.read(asked, "http")
        options = _options(CALLER, request)
    except WrongUse:
        return
    # only whoever speaks last is heard
    assert request.text.strip() or request.results or request.images
    assert {one.name for one in options.tools} >= set(options.must_call)


@given(anything)
def test_any_value_is_a_schema_or_is_said_to_be_none(value: Any) -> None:
    assert isinstance(schema_fault(value), str)
