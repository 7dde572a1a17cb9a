"""What is said of the tools: to the MCP registry, in the documents, and by the operations that they are made from."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from tests.interfaces.mcp.clients import TOOLS
from tools.release import find_faults

from everself import __version__
from everself.interfaces.mcp.answers import PROMPTS
from everself.interfaces.mcp.resources import RESOURCES, TEMPLATES
from everself.operations.caller import Audience
from everself.operations.registry import LISTED, all_operations

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


def test_every_field_is_one_that_the_registry_knows() -> None:
    """As its schema of 2025-12-11 has them; a package may hold no others."""
    assert set(SERVER) <= {"$schema", "name", "title", "description", "version", "repository", "websiteUrl", "packages"}
    assert 3 <= len(SERVER["name"]) <= 200
    (package,) = SERVER["packages"]
    assert set(package) <= {
        *("registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport"),
        *("runtimeArguments", "packageArguments", "environmentVariables"),
    }
    for version in (SERVER["version"], package["version"]):
        assert not set(version) & set("^~<>=*x "), "a range is refused"
    assert "runtimeHint" in package, "it is needed where its arguments are given"
    inputs = {
        "description",
        "isRequired",
        "format",
        "value",
        "isSecret",
        "default",
        "placeholder",
        "choices",
        "variables",
    }
    for one in (*package["runtimeArguments"], *package["packageArguments"]):
        assert set(one) <= inputs | {"type", "name", "valueHint", "isRepeated"}
        needed = {"positional": {"value", "valueHint"}, "named": {"name"}}[one["type"]]
        assert needed & set(one)
    for one in package["environmentVariables"]:
        assert set(one) <= inputs | {"name"}
        assert one["name"]
        assert one["format"] in ("string", "number", "boolean", "filepath")


def test_nothing_is_offered_that_asks_for_the_owner() -> None:
    offered = [one for one in all_operations() if one.mcp is not None]
    assert sorted(one.mcp.name for one in offered if one.mcp) == TOOLS
    assert all(one.audience <= Audience.AGENT and one.on == "agent" and not one.stream for one in offered)
    assert sorted(one.mcp for one in LISTED if one.mcp) == TOOLS
    for one in offered:
        known = set(one.schema("mcp")["properties"])  # type: ignore[call-overload] # a schema is made of plain objects
        assert not known & {"source", "session", "person", "about", "project", "audience"}, (
            "a model may not say who it is"
        )


def test_the_page_lists_every_tool_resource_and_prompt() -> None:
    page = (TOP / "docs" / "mcp.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == TOOLS
    for one in (*RESOURCES, *PROMPTS):
        assert f"`{getattr(one, 'uri', one.name)}`" in page
    for template in TEMPLATES:
        assert f"`{template.uri_template.partition('{')[0]}" in page


def test_a_release_of_another_version_is_refused() -> None:
    assert any("server.json" in one for one in find_faults(TOP, "9.9.9"))
    assert not any("server.json" in one for one in find_faults(TOP, __version__))
