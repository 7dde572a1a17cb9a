"""The first hour of somebody new, at a real terminal: what made people wince, one after the other."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.panes import Pane, needs_tmux, sit_down
from tests.models.chat.servers import Asked, Reply, Server, say, serve

TOP = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, needs_tmux]


@pytest.fixture
def environ(_own_home: Path) -> dict[str, str]:
    host = _own_home / ".everself" / "everself.json5"
    host.parent.mkdir()
    host.write_text('{ agents: { defaults: { memorySearch: { provider: "none" } } } }')
    return {"HOME": str(_own_home), "PATH": os.defpath, "PYTHONPATH": str(TOP / "src"), "LANG": "C.UTF-8"}


@pytest.fixture
def pane(environ: dict[str, str], tmp_path: Path) -> Iterator[Pane]:
    with sit_down(tmp_path, environ, "chat") as made:
        yield made


def notes(environ: dict[str, str]) -> str:
    days = (Path(environ["HOME"]) / ".everself" / "workspace" / "memory").glob("*.md")
    return "\n".join(day.read_text("utf-8") for day in days)


def said(message: str) -> str:
    """What somebody typed, without what stands beside it for the model."""
    return message.partition("\n\n")[0]


class Slow:
    """Answers each message when it is let."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._gates = [threading.Event() for _ in range(8)]
        self.asked = threading.Event()

    def __call__(self, asked: Asked) -> Reply:
        said = [one["content"] for one in asked.body["messages"] if one["role"] == "user"]
        last = said[-1] if isinstance(said[-1], str) else said[-1][-1]["text"]
        self.heard.append(last)
        self.asked.set()
        self._gates[len(self.heard) - 1].wait(100)
        return say(f"reply {len(self.heard)}.")

    def let(self, number: int) -> None:
        self._gates[number].set()


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def server(environ: dict[str, str], slow: Slow) -> Iterator[Server]:
    with serve("openai", script=slow) as made:
        host = Path(environ["HOME"]) / ".everself" / "everself.json5"
        host.write_text(
            '{ agents: { defaults: { model: "near/small", memorySearch: { provider: "none" } } },'
            f'  provider: {{ near: {{ baseUrl: "{made.url}", contextWindow: 64000 }} }} }}'
        )
        yield made


@pytest.mark.usefixtures("server")
def test_what_is_typed_while_a_reply_comes_is_sent_line_by_line(
    slow: Slow, environ: dict[str, str], tmp_path: Path
) -> None:
    with sit_down(tmp_path, environ, "chat") as pane:
        pane.wait("›")
        pane.type("How are you?")
        while not slow.heard:
            pane.wait("How are you?")
        pane.type("What is new?")
        # what is pasted meanwhile is one message, however many lines it has
        pane.tmux("set-buffer", "first line\nsecond line")
        pane.tmux("paste-buffer", "-p")
        pane.type("", "/model", "/quit")
        slow.let(0)
        pane.wait("reply 1.", "› What is new?")
        while len(slow.heard) < 2:
            pane.wait("What is new?")
        slow.let(1)
        slow.let(2)
        shown = pane.wait("reply 2.", "› first line", "second line", "reply 3.", "› /model", "near/small", "› /quit")
        assert pane.left() == 0
    assert [said(one) for one in slow.heard] == ["How are you?", "What is new?", "first line\nsecond line"], shown


def test_without_a_command_it_says_what_it_is_and_talks(environ: dict[str, str], tmp_path: Path) -> None:
    with sit_down(tmp_path, environ) as pane:
        pane.wait("Everself remembers what you tell it", "Your agent's files are in", "Three things to try", "›")
        pane.type("/quit")
        assert pane.left() == 0
    again = tmp_path / "again"
    again.mkdir()
    with sit_down(again, environ) as pane:
        assert "Three things to try" not in pane.wait("›")
        pane.type("/quit")
        assert pane.left() == 0


def test_the_first_words_break_between_words_in_a_narrow_terminal(environ: dict[str, str], tmp_path: Path) -> None:
    with sit_down(tmp_path, environ, width=58) as pane:
        pane.wait("Three things to try", "›")
        rows = [row.strip() for row in pane.tmux("capture-pane", "-p", "-S", "-").splitlines()]
        assert "Everself remembers what you tell it. It runs on this" in rows
        assert "machine and needs no account and no key." in rows
        pane.type("help", "/quit")
        pane.wait("/forget ID|WORDS")
        assert pane.left() == 0


def test_keys_pressed_before_the_first_prompt_are_messages_of_their_own(pane: Pane, environ: dict[str, str]) -> None:
    # the terminal itself makes line feeds of these; the first words on the screen tell of what takes long
    pane.type("My dog is called Bruno.", "/forget Bruno", "yes", "/mmory", "/quit")
    shown = pane.wait("› My dog is called Bruno.", "› /forget Bruno", "Forget it for good?", "› /mmory", "› /quit")
    assert "Unpacking the search model, once" in shown
    assert "Forgotten:" in shown
    assert "Did you mean /memory?" in shown
    # one confirmation, without line numbers
    before = shown.partition("› /forget")[0]
    assert (before.count("remember that"), before.count("✓"), before.count("#L")) == (1, 0, 0)
    # neither a typo nor leaving is a failure
    assert pane.left() == 0
    assert "Bruno" not in notes(environ)
    assert "/forget" not in notes(environ)


@pytest.mark.usefixtures("server")
def test_the_bar_below_says_who_answers_and_what_it_took(slow: Slow, environ: dict[str, str], tmp_path: Path) -> None:
    with sit_down(tmp_path, environ, "chat") as pane:
        pane.wait("›", "main · near/small")
        slow.let(0)
        pane.type("How are you?")
        pane.wait("reply 1.", "main · near/small · 150 tokens · $0")
        pane.press("C-d")
        assert pane.left() == 0


def test_the_first_conversation_goes_on_where_somebody_left_it(environ: dict[str, str], tmp_path: Path) -> None:
    with sit_down(tmp_path, environ, "chat") as pane:
        pane.wait("›")
        pane.type("/bootstrap", "Aria", "a fox")
        pane.wait("How should it feel")
        pane.press("C-d")
        pane.wait("Your answers are kept")
        pane.type("/quit")
        assert pane.left() == 0
    again = tmp_path / "again"
    again.mkdir()
    with sit_down(again, environ, "chat") as pane:
        pane.wait("›")
        pane.type("/bootstrap", "warm", "otter", "Alex", "Lex", "", "Berlin", "", "", "vibe: dry", "はい")
        shown = pane.wait("name: Aria", "nature: a fox", "Shall I write this?", "Nice to meet you, Lex!")
        assert "What shall I be called?" not in shown
        # what it is called stands below at once
        pane.wait("🦦 Aria · reflex")
        pane.type("/why", "/quit")
        assert pane.left() == 0
    workspace = Path(environ["HOME"]) / ".everself" / "workspace"
    assert "- **Vibe:** dry\n- **Emoji:** 🦦\n" in (workspace / "IDENTITY.md").read_text("utf-8")
    assert "- **Time zone:** Europe/Berlin\n" in (workspace / "USER.md").read_text("utf-8")


@pytest.mark.usefixtures("server")
def test_a_reply_that_takes_long_says_so_and_ctrl_c_ends_it(
    slow: Slow, environ: dict[str, str], tmp_path: Path
) -> None:
    with sit_down(tmp_path, environ, "chat") as pane:
        pane.wait("›")
        pane.type("How are you?")
        pane.wait("waiting for near/small …")
        # what waits may not have been sent yet
        assert slow.asked.wait(60)
        pane.press("C-c")
        pane.wait("Stopped.", "›", "main · near/small")
        slow.let(0)
        slow.let(1)
        pane.type("And now?")
        pane.wait("reply 2.", "›")
        pane.type("/why")
        pane.wait("The reply:  reply 2.", "›")
        pane.type("exit")
        assert pane.left() == 0
    assert [said(one) for one in slow.heard] == ["How are you?", "And now?"]


def test_what_was_taken_back_stays_away_and_the_agent_knows_its_name(environ: dict[str, str], tmp_path: Path) -> None:
    with sit_down(tmp_path, environ, "chat") as pane:
        pane.wait("›")
        pane.type("My locker has the number 212.")
        pane.wait("I'll remember that")
        pane.type("/undo", "ok")
        shown = pane.wait("− My locker has the number 212.", "Take it back?", "Taken back")
        assert "everself:" not in shown
        pane.type("/bootstrap", "Miso", "a ghost", "", "", "Jonas", "", "", "leipzig", "berlin", "", "", "si")
        pane.wait("What shall I be called?", "Name the nearest big city", "Nice to meet you, Jonas!", "Miso · reflex")
        pane.type("What is your name?")
        pane.wait("I am Miso, a ghost (IDENTITY.md).")
        pane.press("C-d")
        assert pane.left() == 0
    assert "212" not in notes(environ)
