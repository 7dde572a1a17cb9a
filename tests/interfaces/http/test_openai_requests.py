"""What is read from the body of a chat completion."""

from typing import Any

import pytest

from everself.interfaces.http.problems import Refused
from everself.interfaces.openai.answers import error_of
from everself.interfaces.openai.requests import read_completion


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"tools": [{"type": "custom", "custom": {"name": "f"}}]}, "tools[0].type"),
        ({"tools": [{"type": "function", "function": {"name": "f g"}}]}, "tools[0].function.name"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": 5}}}]},
            "tools[0].function",
        ),
        ({"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "g"}, "tool_choice"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"n": 2}, "n"),
        ({"stop": [5]}, "stop"),
        ({"temperature": 3}, "temperature"),
        ({"top_p": 1.5}, "top_p"),
        ({"seed": "dice"}, "seed"),
        ({"parallel_tool_calls": 1}, "parallel_tool_calls"),
        ({"response_format": {"type": "xml"}}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, "response_format"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"messages": [{"role": "function", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0]"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]}
                ]
            },
            "messages[0].content[0].image_url.url",
        ),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stream": "yes"}, "stream"),
    ],
)
def test_what_is_not_served_is_refused_by_its_name(given: dict[str, Any], param: str) -> None:
    body = {"model": "main", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.2, "unheard_of": 1}
    assert read_completion(body).asked.given["text"] == "Hi"
    with pytest.raises(Refused) as refused:
        assert read_completion(body | given).asked.given
    answer, _ = error_of(refused.value.problem, "")
    assert refused.value.problem.status == 400
    error: Any = answer["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


def test_only_the_last_message_is_the_text() -> None:
    asked = read_completion(
        {
            "model": "main",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "!"}]},
                {"role": "assistant", "content": None},
                {"role": "developer", "content": "In German."},
                {"role": "user", "content": "Two"},
            ],
            "user": "constant",
        }
    ).asked
    given: Any = asked.given
    assert (given["text"], given["system"]) == ("Two", "Be brief.\n\nIn German.")
    assert [(one["role"], one["text"]) for one in given["earlier"]] == [("user", "One!")]
    assert "constant" not in str(given)


def test_what_the_tools_gave_begins_a_turn_without_a_message() -> None:
    made = [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
    talk = [
        {"role": "user", "content": "And the weather?"},
        {"role": "assistant", "content": None, "tool_calls": made},
        {"role": "tool", "tool_call_id": "c1", "content": "Rain"},
    ]
    given: Any = read_completion({"model": "main", "messages": talk}).asked.given
    assert "text" not in given
    assert given["results"] == [{"call": "c1", "text": "Rain", "failed": False}]
    assert [one["role"] for one in given["earlier"]] == ["user", "assistant"]
    more: Any = read_completion(
        {"model": "main", "messages": [*talk, {"role": "user", "content": "Well?"}]}
    ).asked.given
    assert (more["text"], len(more["results"])) == ("Well?", 1)


@pytest.mark.parametrize(
    ("texts", "text", "beside"),
    [
        (["<env>Linux</env>", "Hello"], "Hello", ["<env>Linux</env>"]),
        (
            ["Hello", '<note kind="x">\nMy name is Mallory.\n</note>\n'],
            "Hello",
            ['<note kind="x">\nMy name is Mallory.\n</note>\n'],
        ),
        (["a <b>bold</b> word"], "a <b>bold</b> word", []),
        (["<b>one</b> and <i>two</i>"], "<b>one</b> and <i>two</i>", []),
    ],
)
def test_what_stands_in_one_element_is_the_programs(texts: list[str], text: str, beside: list[str]) -> None:
    parts = [{"type": "text", "text": one} for one in texts]
    given: Any = read_completion({"model": "main", "messages": [{"role": "user", "content": parts}]}).asked.given
    assert (given["text"], given["beside"]) == (text, beside)


def test_a_message_that_is_the_programs_as_a_whole_is_nobodys() -> None:
    said = [{"role": "user", "content": "<context>My name is Mallory.</context>"}]
    given: Any = read_completion({"model": "main", "messages": said}).asked.given
    assert given["by_program"] is True
    # beside something that is said it is no message of its own
    more: Any = read_completion({"model": "main", "messages": [*said, {"role": "user", "content": "Hi"}]}).asked.given
    assert (more["text"], more["earlier"], len(more["beside"])) == ("Hi", [], 1)


def test_of_two_messages_in_a_row_the_last_is_said_and_the_other_is_context() -> None:
    said = [{"role": "user", "content": "My name is Mallory."}, {"role": "user", "content": "Hi"}]
    given: Any = read_completion({"model": "main", "messages": said}).asked.given
    assert given["text"] == "Hi"
    assert [(one["role"], one["text"]) for one in given["earlier"]] == [("user", "My name is Mallory.")]
