"""The worked examples of CONTRIBUTING.md work."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy
import pytest
from tools.train_classify.written import messages

from everself.agent import open_runtime
from everself.operations import declaration
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import Operation
from everself.operations.setup import set_up

PAGE = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text("utf-8")


def block(name: str) -> str:
    (found,) = re.findall(rf"^```\w+ {name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found


def load(name: str, called: str, folder: Path) -> ModuleType:
    file = folder / f"{name}.py"
    file.write_text(block(name), "utf-8")
    spec = importlib.util.spec_from_file_location(called, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_embedder_is_one(tmp_path: Path) -> None:
    made = load("embedder", "lengths", tmp_path).open_embedder("", None, "")
    rows = made.embed(["a b", "c"], purpose="query")
    assert (made.provider, made.model, made.paid) == ("lengths", "lengths-1", False)
    assert rows.dtype == numpy.float32
    assert rows.shape == (2, made.dimensions)


def test_the_operation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # nobody else shall find it among the declared ones
    monkeypatch.setattr(declaration, "_DECLARED", {})
    made = load("operation", "everself.operations.longest", tmp_path).list_longest
    assert isinstance(made, Operation)
    with open_runtime() as runtime:
        set_up(runtime)
        for words in ("The shed is green.", "The ferry to Jeju leaves at 7:40 from pier three."):
            (Path(runtime.agent.workspace) / "memory" / f"{len(words)}.md").write_text(f"- {words}\n", "utf-8")
        found = made(runtime, AT_TERMINAL, made.request(limit=1))
    assert [length for _, length in found.entries] == [len("The ferry to Jeju leaves at 7:40 from pier three.")]


def test_the_messages_can_be_labelled() -> None:
    made = list(messages(block("messages").splitlines(), "it"))
    assert [one["correction"] for one in made] == ["none", "explicit", "none"]
    assert made[0]["keep"]
