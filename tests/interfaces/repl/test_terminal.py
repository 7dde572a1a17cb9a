"""A conversation at a terminal: keys through a pipe, what is shown into a string."""

import io

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tests.interfaces.repl.conftest import FakeChat

from everself.conversation.events import Done, MemoryWritten, Notice, Text, Thinking, ToolCalled, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.interfaces.repl.ritual import OFFER
from everself.interfaces.repl.screens import Terminal
from everself.interfaces.repl.terminal import Streams, talk_at_terminal
from everself.runtime import Runtime

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def sit(app: Runtime, chat: FakeChat, keys: str) -> str:
    out = io.StringIO()
    with create_pipe_input() as source:
        source.send_text(keys)
        assert talk_at_terminal(app, chat.begin(), Streams(out, False, source, DummyOutput()))
    return out.getvalue()


def test_a_sitting_from_the_offer_to_the_checkpoint(app: Runtime, chat: FakeChat) -> None:
    shown = sit(app, chat, "hello **you**\r/memory\r\x04")
    assert OFFER in shown
    assert "You said: hello you\n" in shown
    assert "No entry matches." in shown
    assert (chat.heard, chat.closed) == (["hello **you**"], ["SESSION"])


def test_leaving_without_a_word(app: Runtime, chat: FakeChat) -> None:
    sit(app, chat, "\x04")
    assert chat.heard == []


def test_the_ritual_is_asked_at_the_keyboard(app: Runtime, chat: FakeChat) -> None:
    shown = sit(app, chat, "/bootstrap\rAria\r\r\r\rAlex\r\r\rAsia/Seoul\r\r\rsure\r\x04")
    assert "Nice to meet you, Alex!" in shown
    assert app.workspace.find("BOOTSTRAP.md") is None


def test_activity_is_told_quietly_and_deeds_only_once() -> None:
    out = io.StringIO()
    screen = Terminal(out, colour=False)
    for event in (
        Thinking("a"),
        Thinking("b"),
        ToolCalled("1", "memory_search", '{"query": "the \\u001b[31m project"}'),
        ToolCalled("2", "memory_write", '{"content": "x"}'),
        ToolReturned("1", "memory_search", "out of reach", failed=True),
        MemoryWritten(Written("remembered", "My name is Alex.", "memory/2026-03-19.md#L3")),
        MemoryWritten(Written("remembered", "My name is Alex.", "memory/2026-03-19.md#L3")),
        MemoryWritten(Written("remembered", "My dog is called Mo.", "memory/2026-03-19.md#L8"), told=True),
        Text("Hello"),
        Notice("The disk is nearly full.", "warning", "everself doctor"),
        Text("Alex."),
        Done("M", "Hello Alex.", "cancelled"),
    ):
        screen.show(event)
    assert out.getvalue().splitlines() == [
        "· thinks",
        "· searches memory for: the ␛[31m project",
        "· memory_search failed: out of reach",
        "✓ remembered: My name is Alex.",
        "Hello",
        "! The disk is nearly full. → everself doctor",
        "Alex.",
        "! Stopped. What was said so far is kept.",
        "",
    ]


def test_a_question_back_is_told_without_the_name_of_the_tool_and_its_hint_for_the_model() -> None:
    content = (
        '{"forgotten": 0, "candidates": [], "hint": "Nothing was forgotten: this entry says more. Ask the person."}'
    )
    shown = {}
    for verbose in (False, True):
        screen = Terminal(out := io.StringIO(), colour=False)
        screen.verbose = verbose
        screen.show(ToolReturned("1", "memory_forget", content, failed=True))
        shown[verbose] = out.getvalue()
    assert shown[False] == "· Nothing was forgotten.\n"
    assert shown[True].startswith("· memory_forget failed: Nothing was forgotten: this entry says more.")


def test_a_line_beside_a_reply_leaves_no_gap_in_it() -> None:
    out = io.StringIO()
    screen = Terminal(out, colour=False)
    written = MemoryWritten(Written("remembered", "My name is Alex.", "memory/2026-03-19.md#L3"))
    for event in (Text("Sure! "), written, Text("\n\n"), Text("Done.\n\nBye."), Done("M", "", "stop")):
        screen.show(event)
    assert out.getvalue() == "Sure!\n✓ remembered: My name is Alex.\nDone.\n\nBye.\n\n"


def test_places_are_shown_to_whoever_asks_for_them() -> None:
    out = io.StringIO()
    screen = Terminal(out, colour=False)
    screen.verbose = True
    screen.show(MemoryWritten(Written("remembered", "My dog is called Mo.", "memory/2026-03-19.md#L8"), told=True))
    assert out.getvalue() == "✓ remembered: My dog is called Mo.  memory/2026-03-19.md#L8\n"
