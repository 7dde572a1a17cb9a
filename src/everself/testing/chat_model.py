"""A scripted chat model for tests: its answers, tool calls and failures follow a script.

Keeps every request, so that a test can check what a real model would have received.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import count

from everself.errors import ModelFailed
from everself.frozen import Frozen
from everself.models.chat.protocol import (
    ChatRequest,
    ReplyCall,
    ReplyEnd,
    ReplyPart,
    ReplyText,
    ReplyThinking,
    ToolCall,
    Usage,
)


class Wait(Frozen):
    """The model sends nothing for that many seconds."""

    seconds: float = 3_600.0


# One part of an answer; a text is sent word by word.
Part = str | ReplyPart | Wait | ModelFailed
# One scripted answer; a function is called with the request.
Answer = Part | Sequence[Part]
Step = Answer | Callable[[ChatRequest], Answer]

_numbers = count(1)


def call(name: str, **arguments: object) -> ReplyCall:
    """A tool call with a unique id."""
    return ReplyCall(ToolCall(f"call-{next(_numbers)}", name, json.dumps(arguments, ensure_ascii=False)))


class FakeModel:
    """Answers each request with the next step of its script; repeats the last step when the script is used up."""

    def __init__(
        self,
        *script: Step,
        name: str = "fake/1",
        window: int = 128_000,
        most_output: int = 4_096,
        paid: bool = False,
        takes_images: bool = False,
    ) -> None:
        self.name = name
        self.window = window
        self.most_output = most_output
        self.paid = paid
        self.takes_images = takes_images
        self.requests: list[ChatRequest] = []
        self._script = list(script) or ["All right."]

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        import asyncio

        self.requests.append(request)
        step = self._script[min(len(self.requests), len(self._script)) - 1]
        answer = step(request) if callable(step) else step
        parts: Iterable[Part] = answer if isinstance(answer, Sequence) and not isinstance(answer, str) else (answer,)
        received = 0
        called = False
        for part in parts:
            if isinstance(part, ModelFailed):
                raise part
            if isinstance(part, Wait):
                await asyncio.sleep(part.seconds)
            elif isinstance(part, ReplyEnd):
                yield part
                return
            elif isinstance(part, ReplyText | ReplyThinking | ReplyCall):
                called = called or isinstance(part, ReplyCall)
                received += 1
                yield part
            else:
                for word in _words(part):
                    received += 1
                    yield ReplyText(word)
        sent = sum(len(part.split()) for part in (request.prefix, request.delta))
        yield ReplyEnd(Usage(sent, received), "tools" if called else "stop")


def _words(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]
