"""What setup offers beside a workspace: every question has a default, `--yes` takes them all, and nothing paid is chosen unasked."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from everself.models.chat.local_server import find_local_models
from everself.models.chat.model_table import known_models
from everself.operations.caller import AT_TERMINAL
from everself.operations.home import Home
from everself.operations.setup_offers import PREFERRED, WEEKLY, Offers, OffersRequest, find_offers


class _Ollama(BaseHTTPRequestHandler):
    listed: object = {"models": [{"name": "bge-m3:latest"}, {"name": "qwen3:8b"}]}

    def do_GET(self) -> None:
        body = json.dumps(self.listed).encode()
        self.send_response(200 if self.path == "/api/tags" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def ollama() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Ollama)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def machine(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is the whole PATH, and no model server where one usually is."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    host = home / ".everself" / "everself.json5"
    host.parent.mkdir(exist_ok=True)
    host.write_text('{ provider: { ollama: { baseUrl: "http://127.0.0.1:1" } } }')
    return programs


def offers() -> Offers:
    return find_offers(Home(), AT_TERMINAL, OffersRequest())


def test_a_server_on_this_machine_is_asked_for_its_chat_models(ollama: str) -> None:
    assert find_local_models(f"{ollama}/v1") == ("qwen3:8b",)
    assert find_local_models("http://127.0.0.1:1/v1") == ()
    assert find_local_models("https://example.org/v1") == ()


@pytest.mark.slow
@pytest.mark.parametrize("listed", [[], {"models": 3}, {"models": [{"other": 1}]}, "text"])
def test_whatever_else_listens_there_is_no_model_server(
    ollama: str, listed: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Ollama, "listed", listed)
    assert find_local_models(ollama) == ()


def test_the_models_that_are_offered_are_known() -> None:
    known = {f"{row.provider}/{row.name}" for row in known_models()}
    assert {f"{provider}/{name}" for provider, name in PREFERRED.items()} <= known


@pytest.mark.usefixtures("machine")
def test_on_a_bare_machine_only_the_review_is_offered(everself) -> None:
    everself("setup")
    assert [one.kind for one in offers().offers] == ["review"]


def test_a_key_is_offered_and_never_taken_unasked(everself, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.is_dir()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    said = everself("setup", "--yes")
    assert said.code == 0
    assert "which costs money? Not without asking." in said.out
    assert "later: everself model use anthropic/claude-sonnet-5-5" in said.out
    assert everself("config", "get", "agents.defaults.model").out.strip() == "reflex"
    # the default of the other offer was taken, and is not offered again
    assert everself("cron", "list").out.count(WEEKLY["name"]) == 1
    assert [one.kind for one in offers().offers] == ["model"]


@pytest.mark.slow
def test_a_local_model_is_taken_by_yes(everself, home: Path, machine: Path, ollama: str) -> None:
    assert machine.is_dir()
    (home / ".everself" / "everself.json5").write_text(f'{{ provider: {{ ollama: {{ baseUrl: "{ollama}" }} }} }}')
    said = everself("setup", "--yes")
    assert "done: everself model use ollama/qwen3:8b" in said.out
    assert everself("config", "get", "agents.defaults.model").out.strip() == "ollama/qwen3:8b"


def test_a_coding_agent_that_is_installed_is_named(everself, machine: Path) -> None:
    program = machine / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    everself("setup")
    found = offers()
    assert any("Claude Code is installed" in words for words in (*found.notes, *(one.question for one in found.offers)))


def test_at_a_terminal_each_is_asked_with_its_default(everself, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from tests.interfaces.cli.conftest import Terminal

    assert machine.is_dir()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    screen = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        said = everself("setup", typed="\nn\n", at_terminal=True)
    asked = said.err + screen.getvalue()
    assert "Let anthropic/claude-sonnet-5-5 answer, which costs money? [y/N]" in asked
    assert "which notes to keep for good? [Y/n]" in asked
    assert screen.getvalue().count("later: ") == 2
    assert os.environ["ANTHROPIC_API_KEY"] == "sk-ant-test"


def test_json_is_one_object_and_asks_nothing(everself, machine: Path) -> None:
    assert machine.is_dir()
    assert everself("setup", "--yes", "--json").json["ok"] is True
