"""Which project a folder belongs to."""

import subprocess
from pathlib import Path

import pytest

from everself.operations.projects import Project, find_project, normal_origin
from everself.text.normalise import slug


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, origin: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def project(folder: Path) -> Project:
    found = find_project(str(folder))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("git@github.com:Acme/Rocket.git", "github.com/acme/rocket"),
        ("https://ada:secret@github.com/acme/rocket/", "github.com/acme/rocket"),
        ("ssh://git@github.com:22/acme/rocket.git", "github.com/acme/rocket"),
        ("https://git.example.org:8443/tools/x.git", "git.example.org/tools/x"),
        ("/srv/git/rocket.git", ""),
        ("../rocket", ""),
        ("C:/rocket", ""),
        ("", ""),
    ],
)
def test_an_origin_is_known_however_it_is_written(url: str, origin: str) -> None:
    assert normal_origin(url) == origin


def test_worktrees_are_one_project_and_a_fork_is_another(tmp_path: Path) -> None:
    main = repository(tmp_path / "rocket", "git@github.com:acme/rocket.git")
    git(main, "worktree", "add", "-q", str(tmp_path / "beside"))
    clone = repository(tmp_path / "elsewhere", "https://github.com/acme/rocket")
    fork = repository(tmp_path / "fork", "git@github.com:ada/rocket.git")
    (main / "src").mkdir()
    found = project(main)
    assert found.origin == "github.com/acme/rocket"
    assert found.slug == slug(found.slug)
    assert {project(one) for one in (main / "src", tmp_path / "beside", clone)} == {found}
    assert project(fork).slug != found.slug


def test_two_origins_never_share_a_folder(tmp_path: Path) -> None:
    one = project(repository(tmp_path / "one", "git@github.com:acme/foo-bar.git"))
    other = project(repository(tmp_path / "two", "git@github.com:acme-foo/bar.git"))
    assert one.slug != other.slug


def test_a_repository_without_an_origin_is_known_by_its_folder(tmp_path: Path) -> None:
    one, other = repository(tmp_path / "a" / "notes"), repository(tmp_path / "b" / "notes")
    git(one, "worktree", "add", "-q", str(tmp_path / "beside"))
    assert project(one).slug.startswith("notes-")
    assert project(one) != project(other)
    assert project(tmp_path / "beside") == project(one)


def test_a_file_of_a_repository_chooses_no_other_project(tmp_path: Path) -> None:
    secret = repository(tmp_path / "secret", "git@github.com:acme/secret.git")
    mine = repository(tmp_path / "mine", "git@github.com:acme/mine.git")
    planted = mine / "vendor"
    planted.mkdir()
    (planted / ".git").write_text(f"gitdir: {secret / '.git'}\n")
    linked = mine / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(secret / ".git")
    for name in (".everself", "everself.json5", "CLAUDE.md"):
        (mine / name).write_text('{"project": "github.com/acme/secret"}')
    assert {project(one) for one in (mine, planted, linked)} == {project(mine)}
    assert project(mine).origin == "github.com/acme/mine"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    part = repository(tmp_path / "part", "git@github.com:acme/part.git")
    main = repository(tmp_path / "main", "git@github.com:acme/main.git")
    git(main, "submodule", "add", "-q", str(part), "part")
    assert project(main / "part") not in (project(main), project(part))


@pytest.mark.parametrize("folder", ["", "relative", "/nowhere/at/all", "/a\0b"])
def test_what_is_no_folder_of_a_repository_has_no_project(folder: str) -> None:
    assert find_project(folder) is None


def test_a_folder_outside_of_every_repository_has_no_project(tmp_path: Path) -> None:
    assert find_project(str(tmp_path)) is None
