"""The first two days with an agent, each word of them typed into a process of its own: by pipes, and once at a terminal."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def environ(_own_home: Path) -> dict[str, str]:
    """A home with one setting and nothing else: no test waits for a model of meaning."""
    host = _own_home / ".everself" / "everself.json5"
    host.parent.mkdir()
    host.write_text('{ agents: { defaults: { memorySearch: { provider: "none" } } } }')
    return {"HOME": str(_own_home), "PATH": os.defpath, "PYTHONPATH": str(TOP / "src"), "LANG": "C.UTF-8"}


def say(environ: dict[str, str], *lines: str, command: tuple[str, ...] = ("chat",)) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everself", *command],
        env=environ,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


@pytest.mark.slow
def test_it_is_told_something_and_knows_it_in_a_new_process(environ: dict[str, str]) -> None:
    first = say(environ, "My name is Alex and I am working on a Rust project called tundra.")
    assert first.returncode == 0
    assert "Your agent's files are in" in first.stderr
    assert first.stderr.count("\n") <= 3
    assert first.stdout.rstrip().endswith("/bootstrap asks a few questions about you and your agent.")
    soul = Path(environ["HOME"]) / ".everself" / "workspace" / "SOUL.md"
    soul.write_text(soul.read_text("utf-8") + "\nThis one likes otters.\n", "utf-8")
    second = say(environ, "What project am I working on?", "/soul", "/memory", "/prompt")
    assert second.returncode == 0
    answer, _, rest = second.stdout.partition("\n\n")
    assert "tundra" in answer
    assert "(memory/" in answer
    assert rest.count("likes otters") == 2
    assert "My name is Alex" in rest
    assert "Traceback" not in second.stderr


@pytest.mark.slow
def test_a_correction_holds_from_the_next_question_on(environ: dict[str, str]) -> None:
    rent = ("Our rent is due on the 3rd.", "No, the rent is due on the 5th, not the 3rd.", "When is the rent due?")
    kept, corrected, answered, *_ = say(environ, *rent).stdout.split("\n\n")
    assert "memory/" in kept
    assert "5th" in corrected
    assert "Our rent is due on the 5th." in answered
    assert "3rd" not in answered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "question", "name"),
    [
        ("我叫小明，我在做一个叫 tundra 的 Rust 项目。", "我在做什么项目？", "tundra"),
        ("제 이름은 민수이고 tundra라는 러스트 프로젝트를 하고 있어요.", "내가 무슨 프로젝트를 하고 있지?", "tundra"),
        (
            "私の名前は健太です。tundraというRustのプロジェクトに取り組んでいます。",
            "私は何のプロジェクトに取り組んでいますか？",
            "tundra",
        ),
    ],
)
def test_it_remembers_in_other_languages_too(environ: dict[str, str], statement: str, question: str, name: str) -> None:
    say(environ, statement)
    answer = say(environ, question).stdout
    assert name in answer
    assert "memory/20" in answer


@pytest.mark.slow
def test_one_message_for_a_script(environ: dict[str, str]) -> None:
    say(environ, "I am working on a Rust project called tundra.")
    asked = say(environ, "What project am I working on?", command=("ask", "-", "--json"))
    assert asked.returncode == 0
    answer = json.loads(asked.stdout)
    assert answer["ok"]
    assert "tundra" in answer["data"]["reply"]
    assert answer["data"]["session"]


@pytest.mark.slow
def test_at_a_terminal_a_word_is_said_and_the_person_leaves(environ: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "everself", "chat"],
        env={**environ, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        _await(ours, "›")
        os.write(ours, b"My dog is called Bruno.\r")
        assert "memory/" in _await(ours, "Bruno", "memory/", "›")
        os.write(ours, b"\x04")
        assert process.wait(600) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    days = (Path(environ["HOME"]) / ".everself" / "workspace" / "memory").glob("*.md")
    assert any("Bruno" in day.read_text("utf-8") for day in days)


def _await(terminal: int, *words: str) -> str:
    """What is shown until all of these words were, one after the other."""
    seen = ""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65_536).decode("utf-8", "replace")
        if "\x1b[6n" in seen:
            # the editor asks where the cursor is, and a terminal answers
            os.write(terminal, b"\x1b[1;1R")
            seen = seen.replace("\x1b[6n", "")
        at = 0
        for word in words:
            at = seen.find(word, at) + 1
            if not at:
                break
        else:
            return seen
    raise AssertionError(f"{words} never came: {seen!r}")
