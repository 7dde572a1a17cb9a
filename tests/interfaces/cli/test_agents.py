"""`everself agents` as a person types it."""

import os
from pathlib import Path

import pytest


def _host(workspace: Path) -> str:
    return (workspace.parent / "everself.json5").read_text()


def test_one_agent_is_listed_even_before_it_is_set_up(everself) -> None:
    said = everself("agents", "list")
    assert said.code == 0
    assert said.out.startswith("* main  Assistant")
    assert "not set up yet: everself setup --agent main" in said.out


def test_an_agent_is_added_with_a_workspace_of_its_own(everself, workspace) -> None:
    (workspace / "IDENTITY.md").write_text("- **Name:** Mo\n- **Emoji:** 🐻\n")
    added = everself("agents", "add", "aria")
    assert added.code == 0
    assert "EVERSELF_PROFILE=aria" in added.out
    listed = everself("agents", "list", "--json").json["data"]
    assert [(one["id"], one["name"], one["emoji"], one["answers"]) for one in listed] == [
        ("main", "Mo", "🐻", True),
        ("aria", "Assistant", "", False),
    ]
    assert listed[0]["workspace"] != listed[1]["workspace"]
    assert listed[0]["state"] != listed[1]["state"]
    assert Path(listed[1]["workspace"], "SOUL.md").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("workspace")
def test_nothing_bleeds_from_one_agent_to_another(everself) -> None:
    everself("agents", "add", "aria")
    everself("memory", "add", "Hana keeps zebrafish.", "--agent", "aria")
    assert "zebrafish" in everself("--agent", "aria", "memory", "search", "zebrafish").out
    assert "zebrafish" not in everself("memory", "search", "zebrafish").out
    assert "zebrafish" not in everself("context", "--message", "Who keeps zebrafish?").out


@pytest.mark.usefixtures("workspace")
def test_the_profile_of_the_environment_chooses_the_agent(everself, monkeypatch) -> None:
    everself("agents", "add", "aria")
    monkeypatch.setenv("EVERSELF_PROFILE", "aria")
    shown = everself("agents", "show", "--json").json["data"]
    assert shown["line"]["id"] == "aria"
    assert shown["line"]["answers"]
    assert shown["entries"] == 0
    assert everself("agents", "list").out.splitlines()[1].startswith("* aria")


@pytest.mark.usefixtures("workspace")
def test_showing_an_agent_says_how_it_is_set(everself) -> None:
    everself("config", "set", "agents.defaults.userTimezone", "Asia/Seoul")
    out = everself("agents", "show").out
    assert "(main), who answers when none is named" in out
    assert "Asia/Seoul" in out
    assert "propose; changes from outside: notice" in out


def test_an_agent_that_is_removed_keeps_its_files_and_comes_back(everself, workspace) -> None:
    everself("agents", "add", "aria")
    everself("memory", "add", "Aria likes tea.", "--agent", "aria")
    gone = everself("agents", "remove", "aria", "--json").json["data"]
    assert "aria" not in _host(workspace)
    assert os.path.isdir(gone["workspace"])
    assert everself("agents", "show", "aria").code != 0
    back = everself("agents", "add", "aria", "--workspace", gone["workspace"])
    assert back.code == 0
    assert "Aria likes tea." in everself("memory", "list", "--agent", "aria").out


def test_comments_of_the_host_file_outlive_a_removal(everself, workspace) -> None:
    everself("agents", "add", "aria")
    path = workspace.parent / "everself.json5"
    path.write_text("// mine\n" + path.read_text())
    everself("agents", "remove", "aria")
    assert path.read_text().startswith("// mine\n")


@pytest.mark.usefixtures("workspace")
def test_what_cannot_be_done_is_said(everself) -> None:
    for words, part in (
        (("agents", "remove", "main"), "the only agent"),
        (("agents", "remove", "nobody"), "Not found: agent nobody"),
        (("agents", "add", "main"), "An agent named main already exists"),
        (("agents", "add", "MAIN"), "An agent named main already exists"),
        (("agents", "add", "../x"), "cannot name an agent"),
        (("agents", "add", ""), "needs a name"),
        (("agents", "add"), "NAME"),
        (("agents", "show", "nobody"), "Not found: agent nobody"),
    ):
        said = everself(*words)
        assert said.code != 0, words
        assert part in said.err, words


def test_adding_an_agent_does_not_take_over_a_folder_with_notes_in_it(everself, home: Path) -> None:
    there = home / "notes"
    there.mkdir()
    (there / "SOUL.md").write_text("# Who I am\n")
    said = everself("agents", "add", "aria", "--workspace", str(there))
    assert (said.code, "everself setup --adopt" in said.err) == (3, True)
    assert [one.name for one in there.iterdir()] == ["SOUL.md"]
    assert "aria" not in everself("agents", "list").out
