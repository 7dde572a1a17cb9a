"""What tests of chat models share: a model that talks to a scripted server, and all that came of one request."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from tests.models.chat.servers import Server, Wire

from everself.config.secrets import Secret, Vault
from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.models.chat._remote import RemoteChatModel, StreamTimeouts
from everself.models.chat.factory import open_model
from everself.models.chat.protocol import (
    ChatRequest,
    ReplyCall,
    ReplyEnd,
    ReplyPart,
    ReplyText,
    ReplyThinking,
    ToolCall,
    ToolSpec,
    UserTurn,
)

NAMES: dict[Wire, str] = {
    "anthropic": "anthropic/claude-sonnet-5",
    "openai": "openai/gpt-5.2",
    "responses": "openai-responses/gpt-5.2",
    "gemini": "gemini/gemini-2.5-flash",
    "ollama": "ollama/qwen3",
}
KEY = "sk-scripted-0123456789"
SEARCH = ToolSpec(
    "memory_search",
    "Finds what was said.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
REQUEST = ChatRequest("You are Mira.\n\nYou are calm.", "It is Monday.", (UserTurn("Where do I live?"),), (SEARCH,))


@dataclass
class Naps:
    """Waits as they were asked for, none of them slept."""

    taken: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.taken.append(seconds)


def model_at(server: Server, patience: StreamTimeouts = StreamTimeouts(stall=5.0), name: str = "") -> RemoteChatModel:  # noqa: B008 (frozen)
    name = name or NAMES[server.wire]
    section = Provider(name.partition("/")[0], Secret("provider.x.apiKey", KEY, Vault()), server.url)
    return open_model(name, (section,), patience)


def napping(naps: Naps, stall: float = 5.0) -> StreamTimeouts:
    return replace(StreamTimeouts(stall=stall), sleep=naps.sleep)


@dataclass(frozen=True)
class Heard:
    pieces: tuple[ReplyPart, ...]
    failure: ModelFailed | None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, ReplyText))

    @property
    def thinking(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, ReplyThinking))

    @property
    def calls(self) -> list[ToolCall]:
        return [piece.call for piece in self.pieces if isinstance(piece, ReplyCall)]

    @property
    def end(self) -> ReplyEnd:
        last = self.pieces[-1]
        assert isinstance(last, ReplyEnd)
        assert not any(isinstance(piece, ReplyEnd) for piece in self.pieces[:-1])
        return last


def ask(model: RemoteChatModel, request: ChatRequest = REQUEST) -> Heard:
    return asyncio.run(hear(model.stream(request)))


async def hear(stream: AsyncGenerator[ReplyPart, None]) -> Heard:
    pieces: list[ReplyPart] = []
    try:
        async with aclosing(stream):
            async for piece in stream:
                pieces.append(piece)  # noqa: PERF401 (what came before a failure is kept)
    except ModelFailed as failure:
        return Heard(tuple(pieces), failure)
    return Heard(tuple(pieces), None)
