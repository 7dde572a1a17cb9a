"""The plugin for Claude Code says what `everself connect claude-code` does, and its files are as Claude Code wants them."""

import json
from pathlib import Path
from typing import Any

from everself.interfaces.client_hooks.payload import event_of

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "plugins" / "everself"


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_marketplace_names_the_plugin() -> None:
    market = load(ROOT / ".claude-plugin" / "marketplace.json")
    (listed,) = market["plugins"]
    assert (ROOT / listed["source"]).resolve() == PLUGIN
    assert listed["name"] == load(PLUGIN / ".claude-plugin" / "plugin.json")["name"] == market["name"] == "everself"


def test_its_hooks_are_those_of_connect_with_time_outs_in_seconds() -> None:
    hooks = load(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    for event, groups in hooks.items():
        (hook,) = groups[0]["hooks"]
        assert event_of(event)
        assert f"everself hook {event} --client claude-code" in hook["command"]
        assert 1 <= hook["timeout"] <= 10
    assert load(PLUGIN / ".mcp.json")["mcpServers"]["everself"] == {"command": "everself", "args": ["mcp"]}


def test_its_skill_has_the_name_of_its_folder_and_a_description() -> None:
    (skill,) = (PLUGIN / "skills").glob("*/SKILL.md")
    head, _, body = skill.read_text("utf-8").removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == skill.parent.name
    assert 0 < len(fields["description"]) <= 1_024
    assert len(body.splitlines()) < 500
