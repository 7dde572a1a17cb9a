"""Tool calls that a model writes into its reply as fenced JSON, because its server supports no other way. Pure.

A call is a fence at the end of the reply with one object: `name`, of an offered tool, and `arguments`. Such a model can be tricked into
quoting, so an object that occurs in its input is a quotation and not a call. These calls have the same permissions and taint as all
others. Knows no tool.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import re2

from everself.frozen import Frozen
from everself.models.chat.protocol import Calling, ChatRequest, ModelTurn, ToolCall, ToolTurn, UserTurn
from everself.values import new_id

# prefix of ids for calls in text: a model with other ids supports real calls
_MARK: Final = "text-"
_FENCE: Final = "```"
_LANGUAGES: Final = frozenset({"", "json", "tool_call", "tool"})
# a longer fence is shown as it streams
_LONGEST: Final = 20_000
_NEAR: Final = 16
_ESCAPED: Final = re2.compile(r"\\+(?:u([0-9A-Fa-f]{4})|[nrtbf])")


class WrittenCalls(Frozen):
    """`calls` were requested in text; `text` was held back and is not a call, so it is shown."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class CallReader:
    """Reads a streaming reply and holds back text that may be a call."""

    def __init__(self, request: ChatRequest, calling: Calling = "untested") -> None:
        """`calling` is the tested way of calling. A model that has made real calls in this conversation is not read for text calls."""
        self._request = request
        self._names = frozenset(tool.name for tool in request.tools)
        in_words = calling == "text" or (calling == "untested" and not _calls_properly(request))
        self._active = in_words and bool(self._names)
        # the current last line of the shown text, and whether it is inside an ordinary fence
        self._line = ""
        self._inside = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """The part of the text that can be shown now."""
        if not self._active:
            return piece
        shown = ""
        for char in piece:
            if self._held:
                self._held += char
                if len(self._held) > _LONGEST or (self._begins_a_line() and not self._may_be_calls()):
                    shown += self._release()
                continue
            if char == "`" and not self._inside and not self._line.strip():
                self._held = char
                continue
            if char == "\n":
                self._inside = self._inside and self._line.strip() != _FENCE
            self._line = "" if char == "\n" else self._line + char
            shown += char
        return shown

    def end(self, *, whole: bool) -> WrittenCalls:
        """The held-back text, as calls or as text. `whole`: the reply is complete and has no real calls."""
        held, self._held = self._held, ""
        calls = _calls_in(held, self._names) if whole else ()
        if not calls or any(is_quoted(call, self._request) for call in calls):
            return WrittenCalls(held)
        return WrittenCalls("", tuple(calls))

    def _release(self) -> str:
        held, self._held = self._held, ""
        lines = held.split("\n")
        self._inside = sum(line.lstrip().startswith(_FENCE) for line in lines) % 2 == 1
        self._line = lines[-1]
        return held

    def _begins_a_line(self) -> bool:
        """Whether to check the held text now: checking at every character would take quadratic time."""
        return len(self._held) - self._held.rfind("\n") <= _NEAR

    def _may_be_calls(self) -> bool:
        """Whether the held text may still become a sequence of fences with calls and nothing else."""
        rest = self._held
        while rest.strip():
            rest = rest.lstrip()
            if len(rest) < len(_FENCE) or not rest.startswith(_FENCE):
                return _FENCE.startswith(rest)
            head, newline, body = rest.removeprefix(_FENCE).partition("\n")
            if not newline:
                return not head.strip() or any(name.startswith(head.strip()) for name in _LANGUAGES)
            if head.strip() not in _LANGUAGES or (body.strip() and not body.lstrip().startswith("{")):
                return False
            inner, closed, rest = _closed(body)
            if not closed:
                return True
            if _call_of(inner, self._names) is None:
                return False
        return True


def is_quoted(call: ToolCall, request: ChatRequest) -> bool:
    """Whether this call occurs in the model's input."""
    wanted = _bones(json.dumps({"name": call.name, "arguments": json.loads(call.arguments)}, ensure_ascii=False))
    turned = _bones(json.dumps({"arguments": json.loads(call.arguments), "name": call.name}, ensure_ascii=False))
    return any(wanted in given or turned in given for given in map(_bones, _given(request)))


def written_calls(text: str, names: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls at the end of a complete reply."""
    start = 0
    while (start := text.find(_FENCE, start)) >= 0:
        found = _calls_in(text[start:], names)
        if found:
            return tuple(found)
        start += len(_FENCE)
    return ()


def _calls_in(text: str, names: Collection[str]) -> Sequence[ToolCall]:
    """The calls in a sequence of fences; empty if anything else occurs among them."""
    calls: list[ToolCall] = []
    rest = text.strip()
    while rest:
        if not rest.startswith(_FENCE):
            return ()
        head, _, body = rest.removeprefix(_FENCE).partition("\n")
        inner, closed, rest = _closed(body)
        call = _call_of(inner, names) if closed and head.strip() in _LANGUAGES else None
        if call is None:
            return ()
        calls.append(call)
        rest = rest.strip()
    return calls


def _closed(body: str) -> tuple[str, bool, str]:
    """The content of a fence, whether it is closed, and the text after it."""
    lines = body.split("\n")
    for at, line in enumerate(lines):
        if line.strip() == _FENCE:
            return "\n".join(lines[:at]), True, "\n".join(lines[at + 1 :])
    return body, False, ""


def _call_of(text: str, names: Collection[str]) -> ToolCall | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.keys() != {"name", "arguments"}:
        return None
    name, arguments = found["name"], found["arguments"]
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return None
    return ToolCall(f"{_MARK}{new_id()}", name, json.dumps(arguments, ensure_ascii=False))


def _calls_properly(request: ChatRequest) -> bool:
    turns = (turn for turn in request.turns if isinstance(turn, ModelTurn))
    return any(not call.id.startswith(_MARK) for turn in turns for call in turn.calls)


def _given(request: ChatRequest) -> Iterable[str]:
    yield from (request.prefix, request.delta)
    for turn in request.turns:
        if isinstance(turn, UserTurn):
            yield turn.text
        elif isinstance(turn, ToolTurn):
            yield from (back.content for back in turn.returns)


def _bones(text: str) -> str:
    """The letters and digits of a text: in JSON results, a quoted object is escaped once or more."""
    plain: str = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    return "".join(char for char in plain if char.isalnum())
