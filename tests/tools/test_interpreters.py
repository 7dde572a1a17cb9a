"""The tests on other interpreters: which are found, and that whatever is left out is said."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tools.interpreters import candidates, find_interpreter, main, promised

from tools import interpreters

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
TOP = Path(__file__).resolve().parents[2]


def script(path: Path, words: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_classifiers_say_what_is_promised() -> None:
    found = promised(TOP / "pyproject.toml")
    assert found[0] == "3.11"
    assert THIS in found


def test_a_shim_that_leads_nowhere_and_one_of_another_version_are_passed_over(tmp_path: Path) -> None:
    script(tmp_path / "shims/python3.99", "echo 'pyenv: python3.99: command not found' >&2; exit 127")
    script(tmp_path / "other/python3.99", "echo 3.98")
    real = script(tmp_path / "pyenv/versions/3.99.1/bin/python3.99", "echo 3.99")
    where = list(candidates("3.99", f"{tmp_path}/shims:{tmp_path}/other:{tmp_path}/none", f"{tmp_path}/pyenv"))
    assert len(where) == 3
    assert find_interpreter("3.99", where) == str(real)
    assert find_interpreter("3.99", where[:2]) is None


@pytest.mark.parametrize(
    ("outcomes", "code", "words"),
    [
        ({"make_venv": 0, "pytest": 0}, 0, "Python 3.99: passed"),
        ({"make_venv": 0, "pytest": 1}, 1, "Python 3.99: FAILED (1)"),
        ({"make_venv": 1, "pytest": 0}, 0, "Python 3.99: SKIPPED, because a dependency could not be installed"),
    ],
)
def test_what_became_of_each_is_said(
    outcomes: dict[str, int],
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = script(tmp_path / "bin/python3.99", "echo 3.99")
    (tmp_path / ".venv-3.99").mkdir()
    (tmp_path / "constraints.txt").touch()
    lines = "".join(f'  "Programming Language :: Python :: {one}",\n' for one in (THIS, "3.98", "3.99"))
    (tmp_path / "pyproject.toml").write_text(f"[project]\nclassifiers = [\n{lines}]\n", encoding="utf-8")
    monkeypatch.setattr(interpreters, "TOP", tmp_path)
    ran: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> int:
        ran.append(command)
        return outcomes["make_venv" if "make_venv" in command[1] else "pytest"]

    def where(version: str) -> list[str]:
        return [str(real)] if version == "3.99" else []

    assert main((), run, where) == code
    said = capsys.readouterr().out
    assert words in said
    assert f"Python {THIS}: make test runs on it." in said
    assert "Python 3.98: SKIPPED, because no such interpreter was found." in said
    made = [one for one in ran if "make_venv" in one[1]]
    assert len(made) == 1
    if not outcomes["make_venv"]:
        # the environment is reused, until what the project needs changes
        main((), run, where)
        assert len([one for one in ran if "make_venv" in one[1]]) == 1
