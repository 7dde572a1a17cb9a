"""What the MCP registry is told: name, version and the marker in the README agree."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from tools.release import find_faults

from everself import __version__

TOP = Path(__file__).resolve().parents[3]
SERVER: dict[str, Any] = json.loads((TOP / "server.json").read_text("utf-8"))


def test_name_version_and_marker_agree() -> None:
    (package,) = SERVER["packages"]
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert (SERVER["version"], package["version"]) == (__version__, __version__)
    assert package["identifier"] == project["name"]
    assert project["readme"] == "README.md"
    assert re.findall(r"<!-- mcp-name: (\S+) -->", (TOP / "README.md").read_text("utf-8")) == [SERVER["name"]]
    assert "mcp" in project["optional-dependencies"]


def test_the_form_is_that_of_the_registry() -> None:
    assert SERVER["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    assert re.fullmatch(r"io\.github\.[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 0 < len(SERVER["description"]) <= 100
    (package,) = SERVER["packages"]
    assert package["registryType"] == "pypi"
    assert package["transport"] == {"type": "stdio"}
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_a_release_of_another_version_is_refused() -> None:
    assert any("server.json" in one for one in find_faults(TOP, "9.9.9"))
    assert not any("server.json" in one for one in find_faults(TOP, __version__))
