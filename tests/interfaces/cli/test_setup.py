"""`everself setup`, the first command of a new person."""

import os
import shutil
from pathlib import Path

import pytest

from everself.config.installation import install_command
from everself.interfaces.rendering.setup import PURPOSES
from everself.workspace.setup import plan_folders, templates


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def host_text(home: Path) -> str:
    return (home / ".everself" / "everself.json5").read_text("utf-8")


def test_everything_that_setup_creates_has_a_purpose() -> None:
    made = [path for path, _ in templates()] + [f"{folder}/" for folder in plan_folders({})]
    assert {path.partition("/")[0] + ("/" if "/" in path else "") for path in made} == set(PURPOSES)


def test_a_new_person_sees_where_what_and_what_next(everself, home: Path) -> None:
    said = everself("setup")
    assert said.code == 0
    assert str(home / ".everself" / "workspace") in said.out.splitlines()[0]
    assert all(f"+ {name}" in said.out and purpose in said.out for name, purpose in PURPOSES.items())
    assert "everself doctor" in said.out
    assert "everself log" in said.out
    assert not (home / ".everself" / "everself.json5").exists()


def test_the_second_run_is_short_and_changes_nothing(everself, workspace: Path) -> None:
    before = snapshot(workspace)
    said = everself("setup")
    assert said.code == 0
    assert said.out.count("\n") == 1
    assert "untouched" in said.out
    assert snapshot(workspace) == before


def test_json_is_the_report(everself, home: Path) -> None:
    said = everself("setup", "--json")
    data = said.json["data"]
    assert said.json["ok"] is True
    assert (data["agent"], data["workspace"]) == ("main", str(home / ".everself" / "workspace"))
    assert set(data["created"]) == {path for path, _ in templates()}
    assert everself("setup", "--json").json["data"]["created"] == []


def test_files_of_the_person_are_named_as_untouched(everself, tmp_path: Path) -> None:
    there = tmp_path / "vault"
    there.mkdir()
    (there / "SOUL.md").write_text("I am Kim.")
    (there / "shopping.md").write_text("milk")
    before = snapshot(there)
    refused = everself("setup", "--workspace", str(there))
    assert refused.code == 3
    assert "2 Markdown files that this installation never saw" in refused.err
    assert "everself setup --adopt" in refused.err
    assert snapshot(there) == before
    said = everself("setup", "--workspace", str(there), "--adopt")
    assert said.code == 0
    assert "2 files that were there already: untouched." in said.out
    assert "and 1 other file of yours" in said.out
    assert "+ SOUL.md" not in said.out
    assert {path: data for path, data in snapshot(there).items() if path in before} == before


def test_what_was_removed_stays_so_until_asked_for(everself, workspace: Path) -> None:
    (workspace / "TOOLS.md").unlink()
    assert "Removed by you, and left so: TOOLS.md" in everself("setup").out
    assert "+ TOOLS.md" in everself("setup", "--restore").out


def test_a_place_is_remembered_and_relative_to_the_current_folder(
    everself, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = everself("setup", "--workspace", "here/agent")
    assert said.code == 0
    assert "Remembered in" in said.err
    assert str(tmp_path / "here" / "agent") in host_text(home)
    monkeypatch.chdir("/")
    assert everself("setup", "--json").json["data"]["workspace"] == str(tmp_path / "here" / "agent")


def test_the_usual_place_is_not_written_down(everself, home: Path) -> None:
    assert everself("setup", "--workspace", "~/.everself/workspace").code == 0
    assert not (home / ".everself" / "everself.json5").exists()


@pytest.mark.usefixtures("workspace")
def test_a_second_agent_is_added_and_the_first_is_not_lost(everself, home: Path) -> None:
    (home / ".everself" / "everself.json5").write_text("{\n  // mine\n  soul: { policy: 'locked' },\n}\n")
    said = everself("setup", "--agent", "aria")
    assert said.code == 0
    assert "The agent aria lives in" in said.out
    assert "// mine" in host_text(home)
    assert everself("log", "--json").json["data"][0]["reason"] == "setup"
    assert everself("--agent", "aria", "config", "get", "agents.list.aria.id").out == "aria\n"
    assert everself("setup", "--json").json["data"]["agent"] == "main"
    text = host_text(home)
    assert everself("setup", "--agent", "aria").code == 0
    assert host_text(home) == text


def test_the_first_agent_may_have_another_name(everself) -> None:
    everself("setup", "--agent", "aria")
    assert everself("setup", "--json").json["data"]["agent"] == "aria"


@pytest.mark.parametrize("name", ["../x", "a b", "", "-x", "é", "x" * 65, "a/b", "\udc80"])
def test_a_name_that_cannot_be_a_folder_is_refused(everself, home: Path, name: str) -> None:
    said = everself("setup", f"--agent={name}")
    if name == "":
        assert said.code == 0
        return
    assert said.code == 2
    assert not (home / ".everself").exists()


def test_names_that_differ_in_case_only_are_refused(everself) -> None:
    everself("setup", "--agent", "aria")
    assert everself("setup", "--agent", "Aria").code == 1


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("~", "home folder"),
        ("~/", "home folder"),
        ("/", "whole machine"),
        ("~/.everself", "must be apart"),
        ("~/.everself/agents", "must be apart"),
        ("~/.everself/agents/main/deep", "must be apart"),
        ("~/.config/everself", "must be apart"),
        ("~/.config", "must be apart"),
    ],
)
def test_a_place_that_holds_or_lies_in_what_is_not_for_models_is_refused(
    everself, home: Path, place: str, words: str
) -> None:
    said = everself("setup", "--workspace", place)
    assert said.code == 3
    assert words in said.err
    assert "→ everself setup --workspace PATH" in said.err
    assert not (home / ".everself").exists()


def test_home_is_recognised_through_a_link(everself, home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    assert everself("setup", "--workspace", str(tmp_path / "link")).code == 3


@pytest.mark.usefixtures("workspace")
def test_the_workspace_of_another_agent_is_refused(everself, home: Path) -> None:
    for place in ("~/.everself/workspace", "~/.everself/workspace/agents"):
        said = everself("setup", "--agent", "aria", "--workspace", place)
        assert said.code == 3
        assert "the workspace of main" in said.err
    assert not (home / ".everself" / "everself.json5").exists()


def test_an_agent_does_not_leave_its_workspace_behind(everself, workspace: Path, tmp_path: Path) -> None:
    said = everself("setup", "--workspace", str(tmp_path / "new"))
    assert said.code == 3
    assert "already lives in" in said.err
    shutil.move(workspace, tmp_path / "new")
    said = everself("setup", "--workspace", str(tmp_path / "new"))
    assert said.code == 0
    assert "Nothing was missing" in said.out


@pytest.mark.parametrize("below", ["", "/x"])
def test_a_file_in_the_place_is_refused_and_not_remembered(everself, home: Path, tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    said = everself("setup", "--workspace", f"{tmp_path}/file{below}")
    assert said.code == 3
    assert said.err
    assert (tmp_path / "file").read_text() == "mine"
    assert not (home / ".everself" / "everself.json5").exists()


@pytest.mark.parametrize("place", ["/proc/everself", "/" + "x" * 300, "a\0b", "bad\udc80", "~other/x"])
def test_a_place_where_nothing_can_be_made_gives_words_and_is_not_remembered(everself, home: Path, place: str) -> None:
    said = everself("setup", "--workspace", place)
    assert said.code in (1, 2, 3, 5)
    assert said.err
    assert "mistake in Everself" not in said.err
    assert not (home / ".everself" / "everself.json5").exists()


def test_a_home_of_everself_that_is_a_file_gives_words(
    everself, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EVERSELF_HOME", str(tmp_path / "file"))
    said = everself("setup")
    assert said.code == 3
    assert "mistake in Everself" not in said.err


def test_from_a_folder_that_is_gone(everself, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    assert everself("setup", "--workspace", "x").code == 2
    assert everself("setup").code == 0


def test_a_broken_host_file_stops_it_before_anything_is_made(everself, home: Path) -> None:
    (home / ".everself").mkdir()
    (home / ".everself" / "everself.json5").write_text("{ agents: [ }")
    said = everself("setup", "--json")
    assert (said.code, said.json["ok"], said.json["error"]["kind"]) == (1, False, "BadConfig")
    assert not (home / ".everself" / "workspace").exists()


def test_a_clone_is_taken_over_after_one_question(everself, home: Path, tmp_path: Path) -> None:
    there = tmp_path / "clone"
    (there / "memory").mkdir(parents=True)
    (there / "SOUL.md").write_text("I am Kim.")
    (there / "memory" / "tea.md").write_text("- Likes tea.\n")
    no = everself("setup", "--workspace", str(there), typed="n\n", at_terminal=True)
    assert no.code == 3
    assert "2 Markdown files that this installation never saw. Take them over as they are?" in no.err
    # nothing was begun either
    assert not (home / ".everself" / "agents").exists()
    assert sorted(path.name for path in there.iterdir()) == ["SOUL.md", "memory"]
    yes = everself("setup", "--workspace", str(there), typed="y\n", at_terminal=True)
    assert yes.code == 0
    assert "everself memory vouch --all" in yes.err
    # asked once
    again = everself("setup", "--workspace", str(there), typed="", at_terminal=True)
    assert again.code == 0
    assert "Take them over" not in again.err
    (entry,) = (one["entry"] for one in everself("memory", "list", "--json").json["data"])
    assert (entry["text"], entry["source"], entry["vouched"], entry["day"]) == ("Likes tea.", "hand", False, None)
    assert everself("soul", "verify").code == 0


def test_a_clone_is_dated_by_its_own_repository(everself, tmp_path: Path) -> None:
    from dulwich import porcelain
    from dulwich.repo import Repo

    there = tmp_path / "clone"
    there.mkdir()
    (there / "MEMORY.md").write_text("- Likes tea.\n")
    repo = Repo.init(str(there))
    porcelain.add(repo, [str(there / "MEMORY.md")])
    repo.get_worktree().commit(
        message=b"x",
        committer=b"A <a@example.org>",
        author=b"A <a@example.org>",
        commit_timestamp=1_600_000_000,
        author_timestamp=1_600_000_000,
        commit_timezone=0,
        author_timezone=0,
    )
    before = snapshot(there)
    assert everself("setup", "--workspace", str(there), "--adopt").code == 0
    assert {path: data for path, data in snapshot(there).items() if path in before} == before
    (entry,) = (one["entry"] for one in everself("memory", "list", "--json").json["data"])
    assert entry["day"] == "2020-09-13"


def test_the_better_model_is_offered_once_where_it_is_missing(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.models.embedding.local.has_quality", lambda: False)
    assert install_command("quality") in everself("setup").out
    monkeypatch.setattr("everself.models.embedding.local.has_quality", lambda: True)
    assert install_command("quality") not in everself("setup", "--agent", "other").out
