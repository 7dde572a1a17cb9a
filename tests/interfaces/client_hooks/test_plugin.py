"""The plugin for Claude Code says what `everself connect claude-code` does, and its files are as Claude Code wants them."""

import json
import re
from pathlib import Path
from typing import Any

from everself import __version__
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


def test_manifests_have_the_fields_of_claude_code_and_no_others() -> None:
    market, plugin = load(ROOT / ".claude-plugin" / "marketplace.json"), load(PLUGIN / ".claude-plugin" / "plugin.json")
    assert set(market) == {"name", "description", "owner", "plugins"}
    assert set(market["owner"]) <= {"name", "email", "url"}
    (listed,) = market["plugins"]
    # a version in both places would have to agree; the plugin's own one counts
    assert set(listed) == {"name", "source", "description"}
    assert listed["source"].startswith("./")
    assert set(plugin) == {"name", "version", "description", "author", "license", "keywords"}
    assert plugin["version"] == __version__
    assert plugin["author"] == market["owner"]
    for one in (market, plugin):
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", one["name"])
    # what Claude Code looks for stands at the root of the plugin, and nothing but the manifest beside the manifest
    assert {one.name for one in PLUGIN.iterdir()} == {".claude-plugin", ".mcp.json", "hooks", "skills"}
    assert [one.name for one in (PLUGIN / ".claude-plugin").iterdir()] == ["plugin.json"]


def test_its_hooks_are_those_of_connect_with_time_outs_in_seconds() -> None:
    hooks = load(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    for event, groups in hooks.items():
        (group,) = groups
        # without a matcher a hook runs for every source, so that a session is told again after a compaction
        assert set(group) == {"hooks"}
        (hook,) = group["hooks"]
        assert set(hook) == {"type", "command", "timeout"}
        assert hook["type"] == "command"
        assert event_of(event)
        assert f"everself hook {event} --client claude-code" in hook["command"]
        assert 1 <= hook["timeout"] <= 10
    assert load(PLUGIN / ".mcp.json")["mcpServers"]["everself"] == {"command": "everself", "args": ["mcp"]}


def test_its_skill_has_the_name_of_its_folder_and_a_description() -> None:
    # what agentskills.io allows
    (skill,) = (PLUGIN / "skills").glob("*/SKILL.md")
    head, _, body = skill.read_text("utf-8").removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(fields) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert fields["name"] == skill.parent.name
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert len(fields["name"]) <= 64
    assert 0 < len(fields["description"]) <= 1_024
    assert len(body.splitlines()) < 500
