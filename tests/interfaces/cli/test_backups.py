"""`everself backup` and `everself restore` as a person types them."""

import os
from pathlib import Path

import pytest

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture
def saved(everself, workspace: Path, tmp_path: Path) -> Path:
    """A backup of the agent `main`, which is still there."""
    (workspace / "MEMORY.md").write_text("- likes tea\n")
    path = tmp_path / "agent.tar.gz"
    assert everself("backup", str(path)).code == 0
    return path


@pytest.mark.usefixtures("workspace")
def test_a_backup_without_a_name_goes_into_the_current_folder(
    everself, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = everself("backup", "--json")
    assert said.code == 0
    assert [str(path) for path in tmp_path.glob("everself-main-*.tar.gz")] == [said.json["data"]["path"]]
    assert (said.json["data"]["files"], said.json["data"]["changes"]) == (18, 1)


def test_a_backup_is_private_and_never_overwrites(everself, saved: Path) -> None:
    before = saved.read_bytes()
    assert saved.stat().st_mode & 0o777 == 0o600
    said = everself("backup", str(saved))
    assert said.code == 3
    assert "never overwrites" in said.err
    assert saved.read_bytes() == before


def test_what_is_left_out_is_named_and_the_code_says_so(everself, workspace: Path, tmp_path: Path) -> None:
    (workspace / "link.md").symlink_to("/etc/hostname")
    said = everself("backup", str(tmp_path / "x.tar.gz"))
    assert said.code == 6
    assert "Left out: link.md" in said.err


@pytest.mark.parametrize(
    ("target", "code"),
    [("/proc/x/y.tar.gz", 5), ("/nowhere/at/all.tar.gz", 5), ("/dev/null", 3), ("~/.everself/workspace/x.gz", 3)],
)
def test_a_backup_that_cannot_be_made_leaves_nothing(
    everself, home: Path, workspace: Path, target: str, code: int
) -> None:
    before = sorted(workspace.rglob("*"))
    said = everself("backup", target.replace("~", str(home)))
    assert said.code == code
    assert "mistake in Everself" not in said.err
    assert sorted(workspace.rglob("*")) == before


def test_restore_where_nobody_lives(everself, saved: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERSELF_HOME", str(home / "elsewhere"))
    said = everself("restore", str(saved))
    assert said.code == 0
    assert "Restored 18 files and 1 change in" in said.out
    assert (home / "elsewhere" / "workspace" / "MEMORY.md").read_text() == "- likes tea\n"
    assert everself("log").code == 0


def test_an_agent_that_is_there_is_replaced_only_when_told_and_kept(everself, saved: Path, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- likes coffee\n")
    said = everself("restore", str(saved))
    assert said.code == 3
    assert "--replace" in said.err
    assert (workspace / "MEMORY.md").read_text() == "- likes coffee\n"
    said = everself("restore", str(saved), "--replace", "--json")
    assert said.code == 0
    assert (workspace / "MEMORY.md").read_text() == "- likes tea\n"
    kept = next(Path(folder) for folder in said.json["data"]["kept_beside"] if "workspace" in folder)
    assert (kept / "MEMORY.md").read_text() == "- likes coffee\n"


def test_a_dry_run_changes_nothing(everself, saved: Path, home: Path, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- likes coffee\n")
    before = sorted(home.rglob("*"))
    said = everself("restore", str(saved), "--replace", "--dry-run", "--agent", "main")
    assert said.code == 0
    assert "would restore" in said.out
    assert "would be kept in" in said.out
    assert (workspace / "MEMORY.md").read_text() == "- likes coffee\n"
    assert sorted(home.rglob("*")) == before
    everself("restore", str(saved), "--agent", "new", "--dry-run")
    assert sorted(home.rglob("*")) == before


def test_restore_to_a_new_agent_and_place_is_remembered(everself, saved: Path, tmp_path: Path) -> None:
    said = everself("restore", str(saved), "--agent", "aria", "--workspace", str(tmp_path / "there"))
    assert said.code == 6
    assert "It is a backup of the agent main; this one is aria." in said.err
    assert (tmp_path / "there" / "MEMORY.md").read_text() == "- likes tea\n"
    assert everself("log", "--agent", "aria").code == 0
    assert everself("log", "--agent", "main").code == 0


def test_a_flipped_bit_is_found_before_anything_is_touched(everself, saved: Path, workspace: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[len(data) // 2] ^= 4
    saved.write_bytes(data)
    before = sorted(workspace.rglob("*"))
    for words in (("--replace",), ("--replace", "--dry-run")):
        said = everself("restore", str(saved), *words, "--json")
        assert (said.code, said.json["error"]["kind"]) == (1, "Damaged")
    assert sorted(workspace.rglob("*")) == before


@pytest.mark.parametrize("place", ["~", "/", "~/.everself/agents/x"])
def test_a_place_that_setup_refuses_is_refused_here_too(everself, saved: Path, place: str) -> None:
    assert everself("restore", str(saved), "--agent", "aria", "--workspace", place).code == 3


def test_what_is_no_backup_gives_words(everself, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("no backup")
    os.mkfifo(tmp_path / "fifo")
    codes = {name: everself("restore", str(tmp_path / name)).code for name in ("empty", "text", "fifo", "", "missing")}
    assert codes == {"empty": 1, "text": 1, "fifo": 2, "": 2, "missing": 5}


@pytest.mark.parametrize("words", [("restore",), ("restore", "a", "b"), ("backup", "a", "b"), ("backup", "--replace")])
def test_called_wrongly(everself, words: tuple[str, ...]) -> None:
    assert everself(*words).code == 2


def test_nothing_to_save(everself, tmp_path: Path) -> None:
    said = everself("backup", str(tmp_path / "x.tar.gz"))
    assert said.code == 5
    assert "→ everself setup" in said.err
