"""The examples of docs/library.md run in their order, in one program, and are what a strict type checker accepts."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import everself
from everself.agent import open_runtime
from everself.operations.setup import set_up

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "library.md"


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_library_run_and_say_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    with open_runtime() as app:
        set_up(app)
    program: dict[str, Any] = {"__name__": "library"}
    said = []
    for number, example in enumerate(examples(), 1):
        exec(compile(example, f"library.md#{number}", "exec"), program)  # noqa: S102 the page is ours
        said.append(capsys.readouterr().out)
    assert said[0].startswith("main ")
    entry, path = said[1].split()
    assert path.startswith("memory/")
    assert entry in said[2]
    assert "tundra" in said[3]
    assert "#L" in said[3]
    assert "ForgetProof" in said[4]
    assert "Zig project called tundra" in said[5]
    assert said[5].endswith("tokens\n")
    assert "tundra" in program["answered"]
    assert "tundra" in said[7]
    assert "Zig project called tundra" in said[8]
    assert "nobody-of-that-name" in said[9]


@pytest.mark.slow
def test_the_examples_are_typed(tmp_path: Path) -> None:
    program = tmp_path / "library.py"
    program.write_text("\n\n".join(examples()))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(TOP / "pyproject.toml"), str(program)],
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=1_000,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_package_holds_what_it_promises_and_nothing_else() -> None:
    assert all(getattr(everself, name) for name in everself.__all__)
    assert everself.open_runtime is open_runtime
    with pytest.raises(AttributeError, match="no attribute 'opn_app'"):
        _ = everself.opn_app  # type: ignore[attr-defined]
