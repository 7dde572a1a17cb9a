"""The package with nothing but what it asks for: everything works that needs no other machine, and the rest names its extra."""

import os
import subprocess
import sys
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
from tools.install_costs import Package, brings, direct_dependencies, key_of, needed

from everself.config.installation import install_command

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def others() -> list[str]:
    """What is installed beside us for tests and extras, as names to import."""
    found = {
        key_of(one.metadata["Name"]): Package(one.metadata["Name"], 0, needed(one.requires or ()))
        for one in distributions()
    }
    core = frozenset().union(*(brings(name, found) for name in direct_dependencies(TOP / "pyproject.toml")))
    return [
        module
        for module, names in packages_distributions().items()
        if not core & {key_of(name) for name in names} and module != "everself"
    ]


def test_without_extras_it_talks_searches_and_says_what_is_missing(tmp_path: Path) -> None:
    absent = others()
    home = tmp_path / "home"
    home.mkdir()
    assert {"httpx2", "rich", "watchfiles", "pydantic_ai", "starlette", "anyio", "markdown_it"} <= set(absent)
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nfor name in {absent!r}:\n    sys.modules[name] = None\n")
    environ = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": f"{tmp_path}:{TOP / 'src'}"}

    def run(*words: str, said: str = "") -> tuple[int, str]:
        command = [sys.executable, "-m", "everself", *words]
        done = subprocess.run(
            command, input=said, env=environ, capture_output=True, text=True, timeout=600, check=False
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    assert "I'll remember that" in run("chat", said="I am working on a Rust project called tundra.\n")[1]
    assert "tundra" in run("chat", said="What project am I working on?\n/quit\n")[1]
    assert "tundra" in run("memory", "search", "which project?")[1]
    assert run("doctor")[0] == 0
    code, words = run("gateway", "run")
    assert (code != 0, install_command("gateway") in words) == (True, True)
    assert run("config", "set", "agents.defaults.model", "ollama/tiny")[0] == 0
    code, words = run("model", "test")
    assert (code != 0, install_command("models") in words) == (True, True)
    assert run("config", "set", "memorySearch.provider", "ollama")[0] == 0
    code, words = run("memory", "index", "--force")
    assert install_command("models") in words
