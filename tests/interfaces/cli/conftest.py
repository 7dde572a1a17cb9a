"""The command as a person calls it, without starting a process for it."""

import io
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from everself.agent import open_runtime
from everself.interfaces.cli.entry import run
from everself.operations.setup import set_up


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


Everself = Callable[..., Said]


@pytest.fixture
def everself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Everself:
    """`everself("log", "--json")`. `typed` is what comes from stdin, at a terminal if `at_terminal`."""

    def call(*words: str, typed: str = "", at_terminal: bool = False) -> Said:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Terminal(typed) if at_terminal else io.StringIO(typed))
            capsys.readouterr()
            code = run(words)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture(scope="session")
def _model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which setup has run, made once: it takes longer than most of what is tested in it."""
    home = tmp_path_factory.mktemp("model")
    with open_runtime(environ={"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}) as app:
        set_up(app)
    return home


@pytest.fixture
def home(_own_home: Path) -> Path:
    """The home of this test, still empty."""
    return _own_home


@pytest.fixture
def workspace(_model_home: Path, home: Path) -> Path:
    """The workspace of an agent that has been set up."""
    shutil.copytree(_model_home, home, dirs_exist_ok=True)
    return home / ".everself" / "workspace"
