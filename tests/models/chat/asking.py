"""What tests of chat models share: a model that talks to a scripted server, and all that came of one request."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from tests.models.chat.servers import Server, Wire

from everself.config.secrets import Secret, Vault
from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.models.chat._remote import Patience, Remote
from everself.models.chat.opening import open_model
from everself.models.chat.protocol import (
    CallPiece,
    ChatRequest,
    EndPiece,
    Piece,
    TextPiece,
    ThinkingPiece,
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


def model_at(server: Server, patience: Patience = Patience(stall=5.0), name: str = "") -> Remote:  # noqa: B008 (frozen)
    name = name or NAMES[server.wire]
    section = Provider(name.partition("/")[0], Secret("provider.x.apiKey", KEY, Vault()), server.url)
    return open_model(name, (section,), patience)


def napping(naps: Naps, stall: float = 5.0) -> Patience:
    return replace(Patience(stall=stall), sleep=naps.sleep)


@dataclass(frozen=True)
class Heard:
    pieces: tuple[Piece, ...]
    failure: ModelFailed | None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, TextPiece))

    @property
    def thinking(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, ThinkingPiece))

    @property
    def calls(self) -> list[ToolCall]:
        return [piece.call for piece in self.pieces if isinstance(piece, CallPiece)]

    @property
    def end(self) -> EndPiece:
        last = self.pieces[-1]
        assert isinstance(last, EndPiece)
        assert not any(isinstance(piece, EndPiece) for piece in self.pieces[:-1])
        return last


def ask(model: Remote, request: ChatRequest = REQUEST) -> Heard:
    return asyncio.run(hear(model.stream(request)))


async def hear(stream: AsyncGenerator[Piece, None]) -> Heard:
    pieces: list[Piece] = []
    try:
        async with aclosing(stream):
            async for piece in stream:
                pieces.append(piece)  # noqa: PERF401 (what came before a failure is kept)
    except ModelFailed as failure:
        return Heard(tuple(pieces), failure)
    return Heard(tuple(pieces), None)
