"""`everself chat` and `everself ask` as they are typed."""

import io
import sys
from pathlib import Path

import pytest

from everself.interfaces.cli.entry import run


@pytest.fixture
def wordwise(everself, workspace: Path) -> Path:
    """A workspace whose memory is searched by words: nobody waits for a model of meaning."""
    assert everself("config", "set", "memorySearch.provider", "none").code == 0
    return workspace


def test_the_first_time_the_workspace_is_made_with_one_line(everself, home: Path) -> None:
    host = home / ".everself" / "everself.json5"
    host.parent.mkdir()
    host.write_text('{ agents: { defaults: { memorySearch: { provider: "none" } } } }')
    said = everself("chat", typed="/soul\n")
    assert said.code == 0
    assert said.err.startswith("Your agent's files are in ")
    assert said.err.count("\n") == 1
    assert (home / ".everself" / "workspace" / "SOUL.md").is_file()
    assert everself("chat", typed="/soul\n").err == ""


def test_asking_makes_the_workspace_the_first_time_too(everself, home: Path) -> None:
    host = home / ".everself" / "everself.json5"
    host.parent.mkdir()
    host.write_text('{ agents: { defaults: { memorySearch: { provider: "none" } } } }')
    said = everself("ask", "Hello")
    assert said.code == 0
    assert said.err.startswith("Your agent's files are in ")
    assert (home / ".everself" / "workspace" / "SOUL.md").is_file()
    assert "Your agent's files are in" not in everself("ask", "Hello").err


def test_a_reply_of_several_lines_is_printed_as_such(everself, wordwise: Path) -> None:
    assert wordwise.is_dir()
    everself("ask", "The demo is on 27 March.")
    said = everself("ask", "My cat is called Mo. When is the demo?")
    assert said.out.count("\n") > 1
    assert "␊" not in said.out


def test_a_workspace_that_was_lost_is_not_quietly_made_anew(everself, workspace: Path) -> None:
    workspace.rename(workspace.with_name("moved"))
    said = everself("chat", typed="hello\n")
    assert said.code == 5
    assert "Not found: workspace" in said.err
    assert not workspace.exists()


def test_an_agent_that_nobody_knows_is_not_made(everself) -> None:
    said = everself("chat", "--agent", "nobody", typed="hello\n")
    assert said.code in (1, 5)
    assert "nobody" in said.err


def test_a_conversation_is_no_json(everself) -> None:
    said = everself("chat", "--json", typed="hello\n")
    assert (said.code, said.json["error"]["mend"]) == (2, "everself ask --json TEXT")


@pytest.mark.usefixtures("wordwise")
def test_one_question_is_answered_with_its_citation(everself) -> None:
    told = everself("ask", "I am working on a Rust project called tundra.", "--json").json
    assert told["ok"]
    assert [one["deed"] for one in told["data"]["written"]] == ["remembered"]
    asked = everself("ask", "-", "--json", typed="What project am I working on?\n").json["data"]
    assert "tundra" in asked["reply"]
    assert asked["citations"]
    assert all(cited.startswith("memory/") for cited in asked["citations"])
    assert set(asked) >= {"reply", "citations", "written", "session", "usage", "cost", "model", "why"}
    plain = everself("ask", "What project am I working on?")
    assert plain.code == 0
    assert plain.out == f"{asked['reply']}\n"
    assert (
        everself("ask", "--resume", asked["session"][:6], "And my name?", "--json").json["data"]["session"]
        == asked["session"]
    )


def test_nothing_to_say_is_wrong_use(everself) -> None:
    assert everself("ask", "-", typed="  \n").code == 2
    assert everself("ask").code == 2


def test_a_model_that_cannot_be_reached_is_told_and_what_was_said_is_kept(everself, wordwise: Path) -> None:
    everself("config", "set", "agents.defaults.model", "nowhere/none")
    said = everself("ask", "My dog is called Bruno.")
    assert said.code == 1
    assert said.out == ""
    assert said.err.count("\n") <= 3
    as_json = everself("ask", "My cat is called Mo.", "--json")
    assert as_json.code == 1
    assert not as_json.json["ok"]
    logs = "".join(day.read_text("utf-8") for day in (wordwise / "memory").glob("*.md"))
    assert "Bruno" in logs


def test_bytes_that_are_no_text_are_heard_as_far_as_they_are(wordwise: Path, monkeypatch, capsys) -> None:
    broken = io.TextIOWrapper(io.BytesIO(b"My cat \xff is called Mo.\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", broken)
    assert run(["chat"]) == 0
    assert "memory/" in capsys.readouterr().out
    assert any("is called Mo" in day.read_text("utf-8") for day in (wordwise / "memory").glob("*.md"))
