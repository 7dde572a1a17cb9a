"""`everself identity` as a person types it."""

from datetime import UTC, datetime

import pytest

from everself.agent import open_runtime
from everself.storage.state.personas import PersonaTurn
from everself.values import digest

ARIA = "- **Name:** Aria\n- **Emoji:** 🌿\n- **Creature:** fox\n- **Avatar:** avatars/aria.png\n"


def test_identity_says_what_is_active_and_from_where(everself, workspace) -> None:
    (workspace / "IDENTITY.md").write_text(ARIA)
    everself("config", "set", "ui.assistant.emoji", "🦊")
    (workspace / "avatars").mkdir()
    (workspace / "avatars" / "aria.png").write_bytes(b"png")
    said = everself("identity")
    assert said.code == 0
    lines = {line.split()[0]: line for line in said.out.splitlines()}
    assert lines["Name"] == "Name      Aria  from IDENTITY.md"
    assert lines["Emoji"] == "Emoji     🦊  from ui.assistant"
    assert "avatars/aria.png" in lines["Avatar"]
    assert "fox" in lines["Creature"]
    assert lines["Vibe"].endswith("(none)")
    assert f"SOUL.md  {digest((workspace / 'SOUL.md').read_bytes())[:12]}" in lines["Soul"]
    assert said.err == ""


def test_identity_as_json(everself, workspace) -> None:
    (workspace / "IDENTITY.md").write_text(ARIA)
    data = everself("identity", "--json").json["data"]
    assert data["card"]["name"] == {"value": "Aria", "source": "IDENTITY.md"}
    assert data["soul_hash"] == digest((workspace / "SOUL.md").read_bytes())
    assert data["missing"] == []
    assert data["notices"] == ["The avatar avatars/aria.png is not a file of the workspace."]


def test_without_its_files_the_agent_is_still_somebody(everself, workspace) -> None:
    for name in ("IDENTITY.md", "SOUL.md"):
        (workspace / name).unlink()
    said = everself("identity")
    assert said.code == 0
    assert "Assistant  from the default" in said.out
    assert "(SOUL.md is missing)" in said.out
    assert "IDENTITY.md is missing." in said.err
    assert everself("identity", "--json").json["data"]["missing"] == ["IDENTITY.md", "SOUL.md"]


def test_under_strict_integrity_a_name_from_outside_does_not_count(everself, workspace) -> None:
    everself("identity")
    everself("config", "set", "soul.integrity", "strict")
    (workspace / "IDENTITY.md").write_text(ARIA)
    assert "Aria" not in everself("identity").out
    everself("config", "set", "soul.integrity", "notice")
    assert "Aria" in everself("identity").out


@pytest.mark.usefixtures("workspace")
def test_a_value_beyond_its_limit_is_told(everself) -> None:
    everself("config", "set", "ui.assistant.name", "x" * 80)
    said = everself("identity")
    assert "Assistant" in said.out
    assert "The name in ui.assistant is ignored" in said.err


def test_an_alternate_persona_that_is_missing_is_told(everself, workspace) -> None:
    for key, value in (("enabled", "true"), ("purge.at", "00:00"), ("purge.duration", "48h")):
        everself("config", "set", f"hooks.internal.entries.soul-evil.{key}", value)
    said = everself("identity")
    assert "The alternate persona SOUL_EVIL.md is missing; SOUL.md speaks." in said.err
    assert "daily from 00:00 for 2880 min" in said.out
    (workspace / "SOUL_EVIL.md").write_text("You are Moriarty.\n")
    said = everself("identity")
    assert "SOUL_EVIL.md" in said.out
    assert "window of the alternate persona is open" in said.out
    assert said.err == ""


@pytest.mark.usefixtures("workspace")
def test_the_ledger_of_personas_is_listed_newest_first(everself) -> None:
    assert "No turn is recorded yet." in everself("identity", "--personas").out
    with open_runtime() as app:
        for turn in (1, 2):
            app.persona.speak("one", turn)
        app.state.personas.record(
            PersonaTurn("two", 1, datetime(2020, 1, 1, tzinfo=UTC).isoformat(), "X.md", "ab", "purge")
        )
    listed = everself("identity", "--personas", "--json").json["data"]
    assert [(one["session"], one["turn"], one["why"]) for one in listed] == [
        ("one", 2, "session"),
        ("one", 1, "soul"),
        ("two", 1, "purge"),
    ]
    said = everself("identity", "--personas", "--session", "two")
    assert "X.md" in said.out
    assert "SOUL.md" not in said.out
    assert everself("identity", "--personas", "--limit", "1").out.count("\n") == 1
    assert "No turn of a session" in everself("identity", "--personas", "--session", "three").out


@pytest.mark.usefixtures("workspace")
def test_a_session_alone_is_wrong_use(everself) -> None:
    assert everself("identity", "--session", "x").code == 2
