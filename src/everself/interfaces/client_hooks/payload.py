"""Parses a coding agent's hook input, and formats the answer. Pure; imports almost nothing."""

import json
from typing import Final

# maximum number of bytes to read
MOST: Final = 900_000
_EVENTS: Final = {
    "sessionstart": "start",
    "userpromptsubmit": "prompt",
    "beforesubmitprompt": "prompt",
    "beforeagent": "prompt",
    "stop": "note",
    "afteragent": "note",
    "precompact": "note",
    "precompress": "note",
    "sessionend": "note",
}
# the names of events that accept an answer
_NAMES: Final = {"start": "SessionStart", "prompt": "UserPromptSubmit"}
# a field that only Cursor sends
_CURSORS: Final = "cursor_version"
_CLIENTS: Final = ("claude-code", "codex", "cursor", "gemini")


def event_of(name: str) -> str:
    """The event: `SessionStart`, `session-start` and `sessionStart` are the same; empty for an unknown one."""
    return _EVENTS.get(name.replace("-", "").replace("_", "").lower(), "")


def client_of(name: str) -> str:
    return name if name in _CLIENTS else ""


def read_payload(event: str, client: str, data: bytes) -> dict[str, object] | None:
    """The request of the operation `client.event`; None if the input is unreadable or irrelevant."""
    if not event or not client or len(data) > MOST:
        return None
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None

    def text(*names: str) -> str:
        values = (read.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value), "")

    names = ("session_id", "conversation_id")
    if text(_CURSORS):
        # Cursor also runs the hooks in Claude Code's settings; the prompt then arrives twice and is stored once
        client, names = "cursor", names[::-1]
    roots = read.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    request: dict[str, object] = {
        "event": event,
        "client": client,
        "session": text(*names),
        "folder": text("cwd") or root,
        "prompt": text("prompt"),
        "id": text("prompt_id", "turn_id", "generation_id"),
        "transcript": text("transcript_path"),
    }
    if not request["session"] or (event == "prompt" and not request["prompt"]):
        return None
    return request


def render_answer(event: str, client: str, text: str) -> bytes:
    """The output for the client; empty if there is none."""
    if not text or event not in _NAMES:
        return b""
    if client == "cursor":
        told: dict[str, object] = {"additional_context": text}
        if event == "prompt":
            told["continue"] = True
    else:
        told = {"hookSpecificOutput": {"hookEventName": _NAMES[event], "additionalContext": text}}
    return json.dumps(told).encode() + b"\n"
