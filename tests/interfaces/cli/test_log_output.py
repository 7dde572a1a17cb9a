"""The log at the terminal: quiet unless asked for, on stderr, and gone after the command."""

import logging
import re
import sys

import pytest
from tests.interfaces.cli.conftest import Everself

from everself.workspace import state_factory

pytestmark = pytest.mark.usefixtures("workspace")

LINE = r"^\d\d:\d\d:\d\d\.\d{3} INFO everself\.workspace\.disk_workspace: Change \w{12} of owner applied in \d+ ms: memory/[\d-]+\.md\.$"


def test_nothing_is_logged_unless_somebody_asks(everself: Everself, monkeypatch: pytest.MonkeyPatch) -> None:
    # not even a warning
    monkeypatch.setattr(state_factory._log, "info", state_factory._log.warning)
    assert everself("memory", "add", "My heron is called Otto.").err == ""


def test_v_logs_to_stderr_and_leaves_the_answer_alone(everself: Everself) -> None:
    plain = everself("memory", "list", "--json")
    said = everself("-v", "memory", "add", "My heron is called Otto.", "--json")
    assert said.code == 0
    assert said.json["ok"]
    assert re.search(LINE, said.err, re.MULTILINE), said.err
    assert "DEBUG" not in said.err
    assert "Otto" not in said.err
    assert everself("-v", "memory", "list", "--json").json["data"] != plain.json["data"]
    everself("config", "set", "memorySearch.provider", "none")
    assert "DEBUG everself.search" in everself("-vv", "memory", "search", "heron").err


def test_the_variable_names_loggers(everself: Everself, monkeypatch: pytest.MonkeyPatch) -> None:
    everself("config", "set", "memorySearch.provider", "none")
    monkeypatch.setenv("EVERSELF_LOG", "search=debug")
    said = everself("memory", "search", "heron")
    assert "everself.search." in said.err
    assert "everself.workspace" not in said.err
    monkeypatch.setenv("EVERSELF_LOG", "loud")
    refused = everself("memory", "list")
    assert refused.code != 0
    assert "EVERSELF_LOG" in refused.err
    assert "search=debug" in refused.err


def test_after_the_command_everything_is_as_before(everself: Everself) -> None:
    root = logging.getLogger("everself")
    before = (root.level, list(root.handlers))
    everself("-vv", "memory", "list")
    assert (root.level, list(root.handlers)) == before


def test_a_log_that_cannot_be_written_stops_nothing(
    everself: Everself,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Full:
        encoding = "utf-8"

        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stderr", Full())
    said = everself("-v", "memory", "add", "My heron is called Otto.")
    assert said.code == 0
    assert "Remembered" in said.out
