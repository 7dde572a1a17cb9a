"""The share of tokens sent to a model that its vendor's cache could have served, by the vendors' published rules.

Computed from the request bodies, in the order in which a vendor reads them: tools, instructions, messages. Expiry is
ignored: a person who pauses for an hour pays for the next request in full.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from everself.models.chat.protocol import ChatRequest
from everself.text.tokens import estimate

Wire = Literal["openai", "anthropic"]
WIRES: Final[tuple[Wire, ...]] = ("openai", "anthropic")
_NAMES: Final[dict[Wire, str]] = {"openai": "openai/gpt-5.2", "anthropic": "anthropic/claude-sonnet-5"}
# tokens; both vendors cache nothing shorter
_LEAST: Final = 1_024
# tokens; the length of OpenAI's cached prefix is a multiple of this
_STEP: Final = 128
# content blocks before a cache point in which Anthropic looks for an earlier request's cache
_LOOKBACK: Final = 20
# earlier requests to compare with: a conversation finds its cache in its last turns
_EARLIER: Final = 8


def bodies(requests: Sequence[ChatRequest], wire: Wire) -> list[dict[str, Any]]:
    """The request bodies as the vendor's own package writes them. Nothing is sent."""
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
    """The same for request bodies."""
    read = [_blocks(body) for body in sent_bodies]
    sent = sum(estimate("".join(text for text, _ in blocks)) for blocks in read)
    served = sum(_by_points(read) if wire == "anthropic" else _by_beginning(read))
    return served / sent if sent else 0.0


def _blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """The blocks of a request in the order in which a vendor reads them, and whether each carries a cache point."""
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
    """OpenAI's rule: the tokens of the longest prefix shared with an earlier request, in whole steps."""
    texts = ["".join(text for text, _ in blocks) for blocks in requests]
    found = []
    for at, text in enumerate(texts):
        common = max((_common(text, before) for before in texts[max(0, at - _EARLIER) : at]), default=0)
        tokens = estimate(text[:common])
        found.append(tokens // _STEP * _STEP if tokens >= _LEAST else 0)
    return found


def _by_points(requests: Sequence[list[tuple[str, bool]]]) -> list[int]:
    """Anthropic's rule: the tokens up to an earlier request's cache point, if that lies at or shortly before a cache
    point of this request.
    """
    stored: set[str] = set()
    found = []
    for blocks in requests:
        texts = [text for text, _ in blocks]
        points = [at for at, (_, point) in enumerate(blocks) if point]
        # twice the lookback: this list has an extra block per message, and the vendor counts only blocks of content
        near = {end for point in points for end in range(max(0, point - 2 * _LOOKBACK), point + 1)}
        served = max((end for end in near if _key(texts, end) in stored), default=-1)
        tokens = estimate("".join(texts[: served + 1]))
        found.append(tokens if tokens >= _LEAST else 0)
        stored |= {_key(texts, point) for point in points}
    return found


def _key(texts: Sequence[str], end: int) -> str:
    return "".join(texts[: end + 1])


def _common(one: str, other: str) -> int:
    """The number of characters of the common prefix."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
