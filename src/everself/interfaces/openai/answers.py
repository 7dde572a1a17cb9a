"""Responses for clients of OpenAI's chat completions: completions, chunks, models, errors. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from everself.conversation.events import Done, ToolCalled
from everself.frozen import Frozen
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.wire_turns import Piece, Told
from everself.models.chat.protocol import Usage

_REASONS: Final[Mapping[str, str]] = {
    "length": "length",
    "steps": "length",
    "refused": "content_filter",
    "tool_calls": "tool_calls",
}
_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_FIRST: Final = "1970-01-01T00:00:00Z"


class Head(Frozen):
    """The common fields of all parts of one response. `created` is in seconds since 1970."""

    id: str
    created: int
    model: str

    def completion(self, told: Told) -> dict[str, Any]:
        called = [_call(one) for one in told.calls]
        message: dict[str, Any] = {"role": "assistant", "content": told.text, "refusal": None}
        if called:
            message |= {"content": told.text or None, "tool_calls": called}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason_of(told.done)}
        return self._told("chat.completion", [choice]) | {"usage": usage_of(told.done.usage)}

    def chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": reason}
        return self._told("chat.completion.chunk", [choice])

    def call_chunk(self, call: ToolCalled, number: int) -> dict[str, Any]:
        return self.chunk({"tool_calls": [{"index": number, **_call(call)}]})

    def usage_chunk(self, done: Done) -> dict[str, Any]:
        return self._told("chat.completion.chunk", []) | {"usage": usage_of(done.usage)}

    def _told(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, "choices": choices}


class Chunks:
    """The chunks of one streamed completion, in order; `include_usage` adds the usage at the end."""

    def __init__(self, head: Head, include_usage: bool) -> None:
        self._head = head
        self._include_usage = include_usage
        self._calls = 0

    def start(self) -> Iterator[dict[str, Any]]:
        yield self._head.chunk({"role": "assistant", "content": ""})

    def feed(self, piece: Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, str):
            yield self._head.chunk({"content": piece})
        elif isinstance(piece, ToolCalled):
            yield self._head.call_chunk(piece, self._calls)
            self._calls += 1
        else:
            yield self._head.chunk({}, reason_of(piece))
            if self._include_usage:
                yield self._head.usage_chunk(piece)


def _call(call: ToolCalled) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def reason_of(done: Done) -> str:
    return _REASONS.get(done.why, "stop")


def usage_of(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.sent,
        "completion_tokens": usage.received,
        "total_tokens": usage.sent + usage.received,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.stored},
    }


def model_of(agent: str) -> dict[str, Any]:
    """The model object, with the fields that Anthropic's clients need: both use the same address."""
    told = {"id": agent, "object": "model", "created": 0, "owned_by": "everself"}
    return told | {"type": "model", "display_name": agent, "created_at": _FIRST}


def models_of(agent: str) -> dict[str, Any]:
    data = [model_of(agent)]
    return {"object": "list", "data": data, "has_more": False, "first_id": agent, "last_id": agent}


def error_of(problem: Problem, request: str) -> tuple[dict[str, object], str]:
    """An error in OpenAI's format, with the next step in the message."""
    del request
    kind = _TYPES.get(problem.status, "server_error" if problem.status >= 500 else "invalid_request_error")
    message = " ".join(filter(None, (problem.detail or f"{problem.title}.", problem.mend)))
    code = "model_not_found" if problem.kind == "model-not-found" else problem.kind.replace("-", "_")
    error = {"message": message, "type": kind, "param": problem.param or None, "code": code}
    return {"error": error}, "application/json"
