"""How much of what is sent to a model its vendor's cache could have served: what a request begins with that an earlier one began with too.

Counted over the text of the requests, in the order in which a vendor reads it: tools, instructions, messages.
"""

import json
from collections.abc import Sequence

from everself.models.chat._rendering import render_turns
from everself.models.chat.protocol import ChatRequest
from everself.text.tokens import estimate


def text_of(request: ChatRequest) -> str:
    """A request as a vendor of the OpenAI kind reads it."""
    tools = json.dumps([[one.name, one.description, one.parameters] for one in request.tools], sort_keys=True)
    said = [
        f"{part.part_kind}: {getattr(part, 'tool_name', '')} {getattr(part, 'args', '')} {getattr(part, 'content', '')}"
        for message in render_turns(request, "openai")
        for part in message.parts
    ]
    return "\n".join((tools, request.prefix, *said))


def cacheable(requests: Sequence[ChatRequest]) -> float:
    """The share of all tokens sent that stood at the beginning of an earlier request."""
    texts = [text_of(one) for one in requests]
    sent = sum(map(estimate, texts))
    served = sum(
        max((estimate(text[: _common(text, before)]) for before in texts[:at]), default=0)
        for at, text in enumerate(texts)
    )
    return served / sent if sent else 0.0


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
