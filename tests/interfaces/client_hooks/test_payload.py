"""What coding agents send to their hooks, and what they take for an answer."""

import json

import pytest

from everself.interfaces.client_hooks.payload import MOST, client_of, event_of, read_payload, render_answer

CLAUDE = b'{"session_id":"s","cwd":"/w","prompt_id":"p","prompt":"Hi","transcript_path":"/t/s.jsonl","extra":[1]}'
CURSOR = b'{"conversation_id":"c","generation_id":"g","workspace_roots":["/w","/x"],"prompt":"Hi"}'


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("SessionStart", "start"),
        ("session-start", "start"),
        ("sessionStart", "start"),
        ("UserPromptSubmit", "prompt"),
        ("beforeSubmitPrompt", "prompt"),
        ("Stop", "note"),
        ("PreCompact", "note"),
        ("SessionEnd", "note"),
        ("PreToolUse", ""),
        ("", ""),
    ],
)
def test_events_are_known_under_the_names_of_every_client(name: str, event: str) -> None:
    assert event_of(name) == event


def test_the_fields_of_each_client_are_read() -> None:
    claude = read_payload("prompt", "claude-code", CLAUDE)
    assert claude == {
        "event": "prompt",
        "client": "claude-code",
        "session": "s",
        "folder": "/w",
        "prompt": "Hi",
        "id": "p",
        "transcript": "/t/s.jsonl",
    }
    cursor = read_payload("prompt", "cursor", CURSOR)
    assert cursor is not None
    assert (cursor["session"], cursor["id"], cursor["folder"]) == ("c", "g", "/w")


def test_cursor_is_known_when_it_runs_the_hooks_of_claude_code() -> None:
    told = CURSOR[:-1] + b',"session_id":"other","cursor_version":"2.1"}'
    one, other = (read_payload("prompt", client, told) for client in ("cursor", "claude-code"))
    assert one is not None
    assert one == other
    assert (one["client"], one["session"], one["id"]) == ("cursor", "c", "g")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        CLAUDE[:-5],
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"session_id": 7, "prompt": "Hi"}',
        b'{"session_id": "s", "prompt": ["Hi"]}',
        b'{"jsonrpc": "2.0", "method": "initialize"}',
        b'{"session_id":"s","prompt":"' + b"x" * MOST + b'"}',
    ],
)
def test_what_is_no_prompt_is_nothing(data: bytes) -> None:
    assert read_payload("prompt", "claude-code", data) is None


def test_unknown_clients_and_events_are_nothing() -> None:
    assert read_payload("", "codex", CLAUDE) is None
    assert read_payload("prompt", client_of("emacs"), CLAUDE) is None


def test_each_client_gets_the_answer_in_its_own_form() -> None:
    told = json.loads(render_answer("prompt", "codex", "Ümläut ⟦1⟧"))
    assert told == {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Ümläut ⟦1⟧"}}
    assert (
        json.loads(render_answer("start", "claude-code", "x"))["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    )
    assert json.loads(render_answer("prompt", "cursor", "x")) == {"additional_context": "x", "continue": True}
    assert render_answer("start", "claude-code", "") == b""
    # what Stop says would send the model on another round
    assert render_answer("note", "claude-code", "x") == b""
