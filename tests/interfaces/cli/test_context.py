"""`everself context` as a person types it."""

import pytest

from everself.config.sections import ContextProfile


def test_context_prints_the_prompt(everself, workspace) -> None:
    said = everself("context")
    assert said.code == 0
    assert said.out.startswith((workspace / "SOUL.md").read_text().splitlines()[0])
    assert "## AGENTS.md" in said.out
    assert "Slots" not in said.out


def test_context_as_json_is_exact(everself, workspace) -> None:
    soul = (workspace / "SOUL.md").read_text()
    data = everself("context", "--json").json["data"]
    assert data["text"] == f"{data['prefix']}\n{data['delta']}"
    assert data["text"].startswith(soul.strip())
    assert data["receipt"]["prefix_hash"] == everself("context", "--json").json["data"]["receipt"]["prefix_hash"]
    assert data["receipt"]["slots"][0]["slot"] == "identity"
    assert data["receipt"]["total"] == data["receipt"]["prefix_tokens"] + data["receipt"]["delta_tokens"]


def test_a_message_brings_what_is_remembered_about_it(everself, workspace) -> None:
    everself("memory", "add", "The extractor is borrowed from Mrs. Vogel.")
    (log,) = (workspace / "memory").glob("*.md")
    log.rename(log.with_name("2020-01-02.md"))
    words = everself("context", "--message", "whose extractor is it", "--explain").out
    assert "This prompt takes" in words
    assert "Memory in it, the most first: " in words
    assert "sha256" not in words
    said = everself("context", "--message", "whose extractor is it", "--explain", "--verbose")
    assert "> The extractor is borrowed from Mrs. Vogel." in said.out
    assert "semantic" in said.out
    assert "prefix" in said.out
    assert "sha256" in said.out


def test_nothing_private_is_shown_for_a_group(everself, workspace) -> None:
    (workspace / "USER.md").write_text("- **Name:** Robin\n")
    everself("memory", "add", "Robin keeps bees.")
    said = everself("context", "--session-kind", "group", "--message", "What does Robin keep?", "--explain")
    assert "Robin" not in said.out
    assert "## AGENTS.md" in said.out


@pytest.mark.usefixtures("workspace")
def test_a_kind_of_session_that_is_none_is_refused(everself) -> None:
    said = everself("context", "--session-kind", "boss")
    assert said.code == 2
    assert "not a kind of session" in said.err


def test_a_soul_that_does_not_fit_is_an_error(everself, workspace) -> None:
    (workspace / "SOUL.md").write_text("# Soul\n\n" + "Be kind to every single bee. " * 2_000)
    said = everself("context")
    assert said.code != 0
    assert "The whole soul takes" in said.err
    assert "context_budget_tokens" in said.err


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("profile", list(ContextProfile))
def test_every_profile_prints_a_prompt(everself, profile: ContextProfile) -> None:
    everself("config", "set", "context.profile", profile.value)
    assert everself("context", "--json").json["data"]["receipt"]["profile"] == profile.value
