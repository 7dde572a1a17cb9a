"""Events as the hooks of a coding agent tell them, and transcripts of its own that hold words which nobody typed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from everself.operations.caller import Audience, Caller
from everself.operations.coding_agents import ClientAnswer, take_event
from everself.runtime import Runtime

EVENTS: Final = ("start", "prompt", "note")
CLIENTS: Final = ("claude-code", "codex")
# what each calls the prompt of its transcript that it sent itself
SENT: Final = {"claude-code": "p2", "codex": "t2"}
_CALLER: Final = Caller(Audience.OWNER, by_owner=True, unwatched=True, channel="claude-code")


def tell_hook(runtime: Runtime, event: str, session: str, client: str = "claude-code", **more: Any) -> ClientAnswer:
    given = {"event": event, "client": client, "session": session, "by_words": True, **more}
    return take_event(runtime, _CALLER, take_event.read(given, "cli"))


def write_transcript(folder: Path, client: str, session: str, typed: str, strange: str) -> Path:
    """The person typed `typed`; `strange` stands wherever else words can stand."""
    lines = _claude(typed, strange) if client == "claude-code" else _codex(typed, strange)
    file = folder / f"{client}-{session}.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return file


def _claude(typed: str, strange: str) -> Iterator[dict[str, Any]]:
    person = {"type": "user", "promptSource": "typed", "promptId": "p1", "isSidechain": False}
    yield person | {"uuid": "u1", "message": {"role": "user", "content": typed}}
    said = person | {"promptId": "p2", "message": {"role": "user", "content": strange}}
    for flag in ("isSidechain", "isMeta", "isCompactSummary"):
        yield said | {flag: True, "uuid": flag}
    for origin in ("task-notification", "channel", "peer", "coordinator", "auto-continuation"):
        yield said | {"origin": {"kind": origin}, "uuid": origin}
    for source in ("system", "suggestion_accepted", "unheard-of"):
        yield said | {"promptSource": source, "uuid": source}
    yield {key: value for key, value in said.items() if key != "promptSource"}
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": strange}, {"type": "text", "text": strange}]
    yield person | {"message": {"role": "user", "content": result}, "toolUseResult": {"stdout": strange}}
    for kind in ("hook_additional_context", "file", "queued_command"):
        yield {"type": "attachment", "attachment": {"type": kind, "content": [strange], "prompt": strange}}
    yield {"type": "queue-operation", "operation": "enqueue", "content": strange}
    yield {"type": "last-prompt", "lastPrompt": strange}
    yield {"type": "system", "content": strange, "promptSource": "typed", "message": {"content": strange}}
    answer = {"role": "assistant", "content": [{"type": "text", "text": strange}]}
    yield {"type": "assistant", "uuid": "a1", "promptSource": "typed", "message": answer}


def _codex(typed: str, strange: str) -> Iterator[dict[str, Any]]:
    yield _item("user", typed, ["user.text"], turn="t1")
    for kinds in (
        ["hooks.additional_context"],
        ["environments.environment_context"],
        ["user.text", "skills.text"],
        [],
        None,
    ):
        yield _item("user", strange, kinds, turn="t2")
    for role in ("developer", "system", "tool"):
        yield _item(role, strange, ["user.text"], turn="t3")
    yield {"type": "event_msg", "payload": {"type": "user_message", "message": strange, "role": "user"}}
    yield {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": strange}}
    yield _item("assistant", strange, ["user.text"], turn="t4", part="output_text")


def _item(role: str, text: str, kinds: list[str] | None, turn: str, part: str = "input_text") -> dict[str, Any]:
    about: dict[str, Any] = {"turn_id": turn} | ({} if kinds is None else {"content_item_kinds": kinds})
    payload = {"type": "message", "role": role, "content": [{"type": part, "text": text}], "id": f"{role}-{turn}"}
    return {"type": "response_item", "payload": payload | {"internal_chat_message_metadata_passthrough": about}}
