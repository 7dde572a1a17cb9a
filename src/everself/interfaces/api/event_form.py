"""How `/api/v1` writes results and events of a conversation as JSON. Pure."""

import json

from everself.conversation.events import Event
from everself.interfaces.http.event_stream import event_lines
from everself.interfaces.rendering.json_form import to_json


def encode(value: object) -> bytes:
    return json.dumps(to_json(value), ensure_ascii=False).encode("utf-8", "replace")


def name_of(event: Event) -> str:
    """`ToolCalled` → `tool_called`."""
    name = type(event).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def lines_of(number: int, event: Event) -> bytes:
    """One server-sent event."""
    return event_lines(encode(event).decode(), name_of(event), number)
