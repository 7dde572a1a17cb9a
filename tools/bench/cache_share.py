"""How much of what is sent to a model its vendor's cache could have served, by the rules that the vendors publish.

Counted over the requests as they go over the wire, in the order in which a vendor reads them: tools, instructions, messages. How long a
vendor keeps its cache is not counted: a person who pauses for an hour pays for the next request in full.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from everself.models.chat.protocol import ChatRequest
from everself.text.tokens import estimate

Wire = Literal["openai", "anthropic"]
WIRES: Final[tuple[Wire, ...]] = ("openai", "anthropic")
_NAMES: Final[dict[Wire, str]] = {"openai": "openai/gpt-5.2", "anthropic": "anthropic/claude-sonnet-5"}
# both vendors cache nothing that is shorter
_LEAST: Final = 1_024
# OpenAI's cache grows in steps of so many tokens
_STEP: Final = 128
# so many blocks before a cache point Anthropic looks for what an earlier request stored
_LOOKBACK: Final = 20
# requests before the present one that are compared with it: the cache of a conversation is that of its last turns
_EARLIER: Final = 8


def bodies(requests: Sequence[ChatRequest], wire: Wire) -> list[dict[str, Any]]:
    """The requests as the vendor's own package writes them. Nothing is sent."""
    import asyncio

    return asyncio.run(_bodies(requests, wire))


async def _bodies(requests: Sequence[ChatRequest], wire: Wire) -> list[dict[str, Any]]:
    import httpx2
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.exceptions import ModelHTTPError

    from everself.config.secrets import Secret, Vault
    from everself.config.sections import Provider
    from everself.models.chat._rendering import render_parameters, render_settings, render_turns
    from everself.models.chat.factory import find_account
    from everself.models.chat.vendors import build

    found: list[dict[str, Any]] = []

    def take(request: httpx2.Request) -> httpx2.Response:
        found.append(json.loads(request.content))
        return httpx2.Response(400, json={"error": {"message": "not sent"}})

    section = Provider(wire, Secret(f"provider.{wire}.apiKey", "none", Vault()), "")
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(take)) as client:
        model = build(find_account(_NAMES[wire], (section,)), client)
        for request in requests:
            try:
                async with model_request_stream(
                    model,
                    render_turns(request, wire),
                    model_settings=render_settings(request, wire, model),
                    model_request_parameters=render_parameters(request, model, native=True),
                    instrument=False,
                ):
                    raise AssertionError("the request was answered")
            except ModelHTTPError:
                continue
    return found


def cacheable(requests: Sequence[ChatRequest], wire: Wire = "openai") -> float:
    """The share of all tokens sent that the vendor's cache could have served."""
    return cacheable_share(bodies(requests, wire), wire)


def cacheable_share(sent_bodies: Sequence[dict[str, Any]], wire: Wire) -> float:
    """The same of requests as they went over the wire."""
    read = [_blocks(body) for body in sent_bodies]
    sent = sum(estimate("".join(text for text, _ in blocks)) for blocks in read)
    served = sum(_by_points(read) if wire == "anthropic" else _by_beginning(read))
    return served / sent if sent else 0.0


def _blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """What a vendor reads, block by block, and which of them carries a cache point."""
    system = body.get("system", [])
    parts = [*body.get("tools", []), *([system] if isinstance(system, str) else system)]
    for message in body["messages"]:
        content = message.get("content")
        inner = content if isinstance(content, list) else [content]
        rest = {key: value for key, value in message.items() if key != "content"}
        parts += [{"message": rest}, *(one for one in inner if one)]
    return [_block(part) for part in parts]


def _block(part: object) -> tuple[str, bool]:
    point = isinstance(part, dict) and "cache_control" in part
    shown = {key: value for key, value in part.items() if key != "cache_control"} if isinstance(part, dict) else part
    return json.dumps(shown, ensure_ascii=False, sort_keys=True) + "\n", point


def _by_beginning(requests: Sequence[list[tuple[str, bool]]]) -> list[int]:
    """By the rule of OpenAI: the longest beginning that an earlier request had too, in steps."""
    texts = ["".join(text for text, _ in blocks) for blocks in requests]
    found = []
    for at, text in enumerate(texts):
        common = max((_common(text, before) for before in texts[max(0, at - _EARLIER) : at]), default=0)
        tokens = estimate(text[:common])
        found.append(tokens // _STEP * _STEP if tokens >= _LEAST else 0)
    return found


def _by_points(requests: Sequence[list[tuple[str, bool]]]) -> list[int]:
    """By the rule of Anthropic: what an earlier request stored at a cache point, found from a cache point or shortly before it."""
    stored: set[str] = set()
    found = []
    for blocks in requests:
        texts = [text for text, _ in blocks]
        points = [at for at, (_, point) in enumerate(blocks) if point]
        # the rows that begin a message are ours: the vendor counts blocks of content
        near = {end for point in points for end in range(max(0, point - 2 * _LOOKBACK), point + 1)}
        served = max((end for end in near if _key(texts, end) in stored), default=-1)
        tokens = estimate("".join(texts[: served + 1]))
        found.append(tokens if tokens >= _LEAST else 0)
        stored |= {_key(texts, point) for point in points}
    return found


def _key(texts: Sequence[str], end: int) -> str:
    return "".join(texts[: end + 1])


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
