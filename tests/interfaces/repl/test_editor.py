"""What keys do in the line that is typed into, with real keys through a pipe."""

import asyncio

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.editor import Commands, Editor

NAMES = {name: one.summary for name, one in COMMANDS.items()}


def typed(*keys: str, earlier: tuple[str, ...] = ()) -> list[str]:
    """What comes of each line that these keys send."""

    async def read() -> list[str]:
        with create_pipe_input() as source:
            editor = Editor(NAMES, lambda: earlier, lambda: "below", terminal=(source, DummyOutput()))
            found = []
            for one in keys:
                source.send_text(one)
                try:
                    found.append(await asyncio.wait_for(editor.read(), 10))
                except EOFError:
                    found.append("<left>")
            return found

    return asyncio.run(read())


def test_enter_sends_and_other_ways_begin_a_new_line() -> None:
    assert typed("hello\r") == ["hello"]
    assert typed("one\x1b\rtwo\r") == ["one\ntwo"]
    assert typed("one\ntwo\r") == ["one\ntwo"]
    assert typed("one\\\rtwo\r") == ["one\ntwo"]
    assert typed("```\rcode\r```\r") == ["```\ncode\n```"]


def test_an_empty_line_sends_what_a_fence_holds_open() -> None:
    assert typed("```\rcode\r\r", "next\r") == ["```\ncode", "next"]


def test_lines_that_were_typed_ahead_are_messages_of_their_own() -> None:
    async def read() -> list[str]:
        with create_pipe_input() as source:
            editor = Editor(NAMES, tuple, lambda: "", terminal=(source, DummyOutput()))
            editor.put("one\rtwo\rthr")
            source.send_text("ee\r")
            return [await asyncio.wait_for(editor.read(), 10) for _ in range(3)]

    assert asyncio.run(read()) == ["one", "two", "three"]


def test_two_thousand_pasted_lines_are_one_message() -> None:
    text = "\n".join(f"line {number}" for number in range(2_000))
    assert typed(f"\x1b[200~{text}\x1b[201~\r", "next\r") == [text, "next"]


def test_ctrl_c_throws_the_line_away_and_ctrl_d_leaves() -> None:
    assert typed("half a th\x03whole\r", "\x03\x04") == ["whole", "<left>"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("/me", ["/memory"]), ("/s", ["/search", "/soul", "/sessions"]), ("a /s", []), ("/search x", [])],
)
def test_commands_are_completed_at_the_beginning(text: str, expected: list[str]) -> None:
    found = Commands(NAMES).get_completions(Document(text), CompleteEvent())
    assert [one.text for one in found] == expected
