"""What is read from the body of a chat completion."""

from typing import Any

import pytest

from everself.interfaces.http.problems import Refused
from everself.interfaces.openai.answers import error_of
from everself.interfaces.openai.requests import given_of, read_completion


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"n": 2}, "n"),
        ({"stop": ["x"]}, "stop"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages"),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stream": "yes"}, "stream"),
    ],
)
def test_what_is_not_served_is_refused_by_its_name(given: dict[str, Any], param: str) -> None:
    body = {"model": "main", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.2, "unheard_of": 1}
    assert read_completion(body).text == "Hi"
    with pytest.raises(Refused) as refused:
        read_completion(body | given)
    answer, _ = error_of(refused.value.problem, "")
    assert refused.value.problem.status == 400
    error: Any = answer["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


def test_only_the_last_message_is_the_text_and_a_named_session_needs_no_history() -> None:
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
    )
    assert (asked.text, asked.system) == ("Two", "Be brief.\n\nIn German.")
    assert asked.earlier == (("user", "One!"), ("assistant", ""))
    assert "constant" not in str(given_of(asked, ""))
    assert given_of(asked, "ABC")["earlier"] == []
