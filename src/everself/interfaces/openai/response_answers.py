"""Responses for clients of OpenAI's Responses API, and the ordered events of a stream. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from everself.conversation.events import Done, ToolCalled
from everself.frozen import Frozen
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.wire_turns import Piece, Told
from everself.models.chat.protocol import Usage

# OpenAI's names for incomplete endings
_INCOMPLETE: Final[Mapping[str, str]] = {
    "length": "max_output_tokens",
    "steps": "max_output_tokens",
    "refused": "content_filter",
}


class Head(Frozen):
    """The common fields of one response. `name` is the base of its parts' names."""

    name: str
    created: int
    model: str
    echo: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"resp_{self.name}"

    def response(self, status: str, output: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        empty = {"error": None, "incomplete_details": None, "usage": None}
        told = {"id": self.id, "object": "response", "created_at": self.created, "status": status, "model": self.model}
        return told | {"output": output} | empty | dict(self.echo) | more

    def ended(self, output: list[dict[str, Any]], done: Done) -> dict[str, Any]:
        why = _INCOMPLETE.get(done.why)
        details = {"incomplete_details": {"reason": why}} if why else {}
        return self.response("incomplete" if why else "completed", output, usage=usage_of(done.usage), **details)

    def whole(self, told: Told) -> dict[str, Any]:
        text = [self.message(told.text)] if told.text or not told.calls else []
        return self.ended([*text, *(self.call(one) for one in told.calls)], told.done)

    def message(self, text: str | None, status: str = "completed") -> dict[str, Any]:
        """The message item; without text it has just started."""
        content = [] if text is None else [part_of(text)]
        return {"id": f"msg_{self.name}", "type": "message", "status": status, "role": "assistant", "content": content}

    def call(self, call: ToolCalled, status: str = "completed", arguments: str | None = None) -> dict[str, Any]:
        said = call.arguments if arguments is None else arguments
        named = {"call_id": call.id, "name": call.name, "arguments": said}
        return {"id": f"fc_{call.id}", "type": "function_call", "status": status, **named}


class Events:
    """The ordered, numbered events of one response: each item starts, continues and ends before the next."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._number = -1
        self._output: list[dict[str, Any]] = []
        # of the current message; None if there is none
        self._text: str | None = None

    def start(self) -> Iterator[dict[str, Any]]:
        begun = self._head.response("in_progress", [])
        yield self._sent("response.created", response=begun)
        yield self._sent("response.in_progress", response=begun)

    def feed(self, piece: Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, str):
            yield from self._tell(piece)
        elif isinstance(piece, ToolCalled):
            yield from self._close()
            yield from self._call(piece)
        else:
            if self._text is None and not self._output:
                # every response contains an item
                yield from self._tell("")
            yield from self._close()
            made = self._head.ended(self._output, piece)
            yield self._sent(f"response.{made['status']}", response=made)

    def fail(self, problem: Problem) -> dict[str, Any]:
        message = " ".join(filter(None, (problem.detail or f"{problem.title}.", problem.mend)))
        code = "rate_limit_exceeded" if problem.status == 429 else "server_error"
        error = {"code": code, "message": message}
        return self._sent("response.failed", response=self._head.response("failed", self._output, error=error))

    def _tell(self, text: str) -> Iterator[dict[str, Any]]:
        at = self._place()
        if self._text is None:
            self._text = ""
            item = self._head.message(None, "in_progress")
            yield self._sent("response.output_item.added", output_index=len(self._output), item=item)
            yield self._sent("response.content_part.added", **at, part=part_of(""))
        self._text += text
        if text:
            yield self._sent("response.output_text.delta", **at, delta=text, logprobs=[])

    def _close(self) -> Iterator[dict[str, Any]]:
        if self._text is None:
            return
        at, text, self._text = self._place(), self._text, None
        yield self._sent("response.output_text.done", **at, text=text, logprobs=[])
        yield self._sent("response.content_part.done", **at, part=part_of(text))
        yield from self._end(self._head.message(text))

    def _call(self, call: ToolCalled) -> Iterator[dict[str, Any]]:
        item = self._head.call(call, "in_progress", "")
        at = {"output_index": len(self._output), "item_id": item["id"]}
        yield self._sent("response.output_item.added", output_index=at["output_index"], item=item)
        yield self._sent("response.function_call_arguments.delta", **at, delta=call.arguments)
        done = {"name": call.name, "arguments": call.arguments}
        yield self._sent("response.function_call_arguments.done", **at, **done)
        yield from self._end(self._head.call(call))

    def _end(self, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield self._sent("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)

    def _place(self) -> dict[str, Any]:
        return {"item_id": f"msg_{self._head.name}", "output_index": len(self._output), "content_index": 0}

    def _sent(self, kind: str, **data: Any) -> dict[str, Any]:
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **data}


def part_of(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def usage_of(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.sent,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.stored},
        "output_tokens": usage.received,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.sent + usage.received,
    }
