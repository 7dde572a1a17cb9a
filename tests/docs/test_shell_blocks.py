"""Every `everself` command of a shell block is run, in an empty home in which setup has run. It neither fails nor crashes.

Commands of one block follow each other. What other programs, a model or a browser would do is not run here; the reason stands beside it.
"""

import io
import sys
from pathlib import Path

import pytest
from tests.docs.fences import Fence, all_fences, commands

from everself.interfaces.cli.entry import run
from everself.interfaces.rendering.view import ExitCode

# how a command begins, and why it is not run here
ELSEWHERE = {
    ("gateway", "run"): "serves until a signal: tests/interfaces/http",
    ("gateway", "start"): "starts a process: tests/interfaces/http",
    ("gateway", "restart"): "as start",
    ("web",): "starts the gateway: tests/interfaces/web",
    ("mcp",): "serves a client: tests/interfaces/mcp",
    ("demo", "--web"): "waits for a key: tests/interfaces/web",
    ("model", "test"): "asks a model: tests/interfaces/cli/test_models.py",
}
# pages whose commands stand for a reader's own case, with what is missing here
UNLIKE_HERE = {
    "everself config set memorySearch.provider acme": "a package that the page makes up",
    "everself model use acme/one": "a package that the page makes up",
}
BLOCKS = [
    one for one in all_fences() if one.language == "sh" and any(words[0] == "everself" for words in commands(one.text))
]
# refused, not found (the ids of a page are made up) and partly done are answers; a failure and a wrong call are none
ANSWERS = (ExitCode.DONE, ExitCode.REFUSED, ExitCode.NOT_FOUND, ExitCode.DEGRADED)


def is_elsewhere(words: list[str]) -> bool:
    return any(words[: len(one)] == list(one) for one in ELSEWHERE)


@pytest.mark.slow
@pytest.mark.parametrize("block", [pytest.param(one, id=str(one)) for one in BLOCKS])
def test_the_commands_of_a_block_can_be_typed_one_after_the_other(
    block: Fence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # as the pages say: with the key in the environment
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-nobody")
    assert run(["setup"]) == ExitCode.DONE
    for words in commands(block.text):
        line = " ".join(words)
        if words[0] != "everself" or is_elsewhere(words[1:]) or line in UNLIKE_HERE:
            continue
        monkeypatch.setattr(sys, "stdin", io.StringIO("I like tea.\n"))
        capsys.readouterr()
        code = run(words[1:])
        said = capsys.readouterr()
        asked = code == ExitCode.WRONG_USE and "or --yes to do it." in said.err
        assert code in ANSWERS or asked, f"$ {line}\n{said.out}{said.err}"
