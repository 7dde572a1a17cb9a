"""What keeps a version from being released."""

import subprocess
from pathlib import Path

import pytest
from tools.release import find_faults, git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository that is ready to release 0.2.0."""
    package = tmp_path / "src/everself"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0.2.0"\n', encoding="utf-8")
    urls = '[project.urls]\nSource = "https://github.com/Somebody/everself"\n'
    (tmp_path / "pyproject.toml").write_text(urls, encoding="utf-8")
    (tmp_path / "README.md").write_text("<!-- mcp-name: io.github.somebody/everself -->\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [0.2.0] - 2026-11-20\n", encoding="utf-8")
    server = '{"name": "io.github.somebody/everself", "version": "0.2.0", "packages": [{"version": "0.2.0"}]}'
    (tmp_path / "server.json").write_text(server, encoding="utf-8")
    plugin = tmp_path / "plugins/everself/.claude-plugin/plugin.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_text('{"name": "everself", "version": "0.2.0"}', encoding="utf-8")
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    git(tmp_path, "config", "user.name", "Test")
    git(tmp_path, "config", "user.email", "test@example.org")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Release 0.2.0")
    return tmp_path


def test_a_repository_where_everything_agrees_can_be_released(top: Path) -> None:
    assert find_faults(top, "0.2.0") == []


def test_each_fault_is_named_with_what_to_do(top: Path) -> None:
    (top / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    said = " ".join(find_faults(top, "0.3"))
    assert "no [project.urls]" in said
    assert "is no version" in said
    assert "__version__ to 0.3" in said
    assert "server.json says another version" in said
    assert "plugin.json says another version" in said
    assert "no heading “## [0.3] - YYYY-MM-DD”" in said


def test_the_names_follow_from_where_the_repository_is(top: Path) -> None:
    (top / "pyproject.toml").write_text('[project.urls]\nSource = "https://github.com/other/everself"\n')
    (top / "README.md").write_text("# Everself\n")
    said = " ".join(find_faults(top, "0.2.0"))
    assert "io.github.other/everself from this repository" in said
    assert "README.md does not say “mcp-name: io.github.somebody/everself”" in said


def test_changes_another_branch_and_a_tag_that_exists_stop_a_release(top: Path) -> None:
    git(top, "tag", "v0.2.0")
    git(top, "checkout", "-qb", "other")
    (top / "CHANGELOG.md").write_text("# Changelog\n\n## [0.2.0] - 2026-11-21\n", encoding="utf-8")
    said = " ".join(find_faults(top, "0.2.0"))
    assert "not committed" in said
    assert "The branch is other" in said
    assert "v0.2.0 exists" in said
