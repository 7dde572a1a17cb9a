"""A framework that is not installed: what is said, and where its tests run instead."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from everself.config.installation import install_command

TOP = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("anthropic", "anthropic.lib.tools", "anthropic"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("openai_agents", "agents", "openai-agents"),
        ("langgraph", "langchain_core.messages", "langgraph"),
    ],
)
def test_a_missing_package_is_told_with_the_command_that_installs_it(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"everself.interfaces.frameworks.{module}"
    # as if it were not installed
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ImportError, match=re.escape(install_command(extra))):
        importlib.import_module(name)
    assert f"\n{extra} = [" in (TOP / "pyproject.toml").read_text("utf-8")
    assert f"everself[{extra}]" in (TOP / "docs" / "frameworks.md").read_text("utf-8")


def test_what_does_not_fit_here_is_tested_in_an_environment_of_its_own() -> None:
    made = (TOP / "Makefile").read_text("utf-8")
    assert "\ntest-all: $(VENV)/.dev test-frameworks\n" in made
    assert "tests/frameworks\n" in made
    # and nowhere else, so that a run without the packages says nothing about them
    assert [one.name for one in (TOP / "tests" / "frameworks").glob("test_*.py")] == ["test_frameworks.py"]
