"""Responses for Anthropic's clients: messages, ordered stream events, errors. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from everself.conversation.events import Done, ToolCalled
from everself.frozen import Frozen
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.wire_turns import Piece, Told
from everself.models.chat.protocol import Usage

_REASONS: Final[Mapping[str, str]] = {
    "length": "max_tokens",
    "steps": "max_tokens",
    "refused": "refusal",
    "tool_calls": "tool_use",
}
_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
}

# the name and the data of an event
Sent = tuple[str, dict[str, Any]]


class Head(Frozen):
    id: str
    model: str

    def message(self, told: Told) -> dict[str, Any]:
        text = [{"type": "text", "text": told.text, "citations": None}] if told.text or not told.calls else []
        ended = {"stop_reason": reason_of(told.done), "usage": usage_of(told.done.usage)}
        return self._empty() | {"content": [*text, *(_block(one) for one in told.calls)]} | ended

    def _empty(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage_of(Usage()),
        }

    def start(self) -> Sent:
        """Token usage is known only at the end, so it is sent in the last event."""
        return _sent("message_start", message=self._empty())


class Blocks:
    """The ordered events of the blocks of one message: each starts, continues and ends before the next."""

    def __init__(self) -> None:
        self._index = -1
        self._open = False

    def feed(self, piece: Piece) -> Iterator[Sent]:
        if isinstance(piece, str):
            yield from self._text(piece)
        elif isinstance(piece, ToolCalled):
            yield from self._close()
            yield self._begin(_block(piece) | {"input": {}})
            yield self._delta({"type": "input_json_delta", "partial_json": piece.arguments})
        else:
            if self._index < 0:
                # every message contains a block
                yield from self._text("")
            yield from self._close()
            ended = {"stop_reason": reason_of(piece), "stop_sequence": None}
            yield _sent("message_delta", delta=ended, usage=usage_of(piece.usage))
            yield _sent("message_stop")

    def _text(self, text: str) -> Iterator[Sent]:
        if not self._open:
            yield self._begin({"type": "text", "text": "", "citations": None})
        if text:
            yield self._delta({"type": "text_delta", "text": text})

    def _begin(self, block: dict[str, Any]) -> Sent:
        self._index, self._open = self._index + 1, True
        return _sent("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: dict[str, Any]) -> Sent:
        return _sent("content_block_delta", index=self._index, delta=delta)

    def _close(self) -> Iterator[Sent]:
        if self._open:
            self._open = False
            yield _sent("content_block_stop", index=self._index)


def _sent(kind: str, **data: Any) -> Sent:
    return kind, {"type": kind, **data}


def _block(call: ToolCalled) -> dict[str, Any]:
    # a call with invalid arguments does not end a turn
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments or "{}")}


def reason_of(done: Done) -> str:
    return _REASONS.get(done.why, "end_turn")


def usage_of(usage: Usage) -> dict[str, Any]:
    """Usage as Anthropic counts it: tokens read from or written to the cache are separate."""
    cached = min(usage.cached, usage.sent)
    stored = min(usage.stored, usage.sent - cached)
    return {
        "input_tokens": usage.sent - cached - stored,
        "output_tokens": usage.received,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": stored,
    }


def error_of(problem: Problem, request: str) -> tuple[dict[str, object], str]:
    """An error in Anthropic's format, with the field and the next step in the message."""
    kind = _TYPES.get(problem.status, "api_error" if problem.status >= 500 else "invalid_request_error")
    detail = problem.detail or f"{problem.title}."
    named = f"{problem.param}: {detail}" if problem.param and problem.param not in detail else detail
    message = " ".join(filter(None, (named, problem.mend)))
    error: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    return error | ({"request_id": request} if request else {}), "application/json"
