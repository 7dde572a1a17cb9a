"""Every setting is read by a package, by its name: what a person may set decides something.

A tunable's name is its own. Other settings have names such as `every` that much else has too, so that less is shown by finding them.
"""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from everself.config import sections
from everself.config.sections import AgentSettings, Config, McpServer, Provider, Tunables

PACKAGE = Path(sections.__file__).parents[1]
# settings that nobody asks for, and why they are there all the same
WAITING: dict[str, str] = {}


@pytest.fixture(scope="module")
def asked() -> frozenset[str]:
    """The names of attributes that packages outside `config` read."""
    files = (file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] != "config")
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    return frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


def declared(section: type) -> Iterator[str]:
    """The fields that are settings, and the groups of such, of a section and of the sections in it."""
    for member in fields(section):
        inner = member.metadata.get("group")
        if inner or "setting" in member.metadata:
            yield member.name
        if inner:
            yield from declared(inner)


def test_every_tunable_is_read_outside_config(asked: frozenset[str]) -> None:
    names = set(declared(Tunables))
    assert {"correction_relevance_boost", "heartbeat_custom_patterns"} <= names
    assert names - asked == set()


def test_every_other_setting_is_read_too_or_waits_for_a_reason(asked: frozenset[str]) -> None:
    names = {name for section in (Config, AgentSettings, Provider, McpServer) for name in declared(section)}
    # one that is read by now no longer waits
    assert names - asked == WAITING.keys()
