"""`everself memory export`, `import`, `forget` and `bank` as a person calls them."""

import json
import os
from pathlib import Path

import pytest

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture
def quiet(workspace: Path) -> Path:
    for name in ("USER.md", "MEMORY.md"):
        (workspace / name).write_text("")
    return workspace


@pytest.fixture
def file(everself, quiet: Path, home: Path) -> Path:
    assert quiet.is_dir()
    everself("memory", "add", "Prefers tea")
    everself("memory", "add", "Lives in Oslo", "--remember")
    path = home / "memory.jsonl"
    said = everself("memory", "export", str(path))
    assert said.code == 0
    assert said.out == f"Exported 2 entries to {path} (jsonl)\n"
    return path


def test_export_writes_a_private_file_once(everself, file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_text().splitlines()) == 2
    before = file.read_bytes()
    assert everself("memory", "export", str(file)).code == 3
    assert file.read_bytes() == before
    assert sorted(os.listdir(file.parent)) == sorted({*os.listdir(file.parent)} - {".everself.lock"})


def test_export_without_a_file_prints_the_same_lines(everself, file: Path) -> None:
    assert everself("memory", "export").out == everself("memory", "export", "-").out == file.read_text()
    assert everself("memory", "export", "--json").out == file.read_text()


def test_export_where_it_cannot_be_written_is_said(everself, file: Path) -> None:
    assert everself("memory", "export", str(file.parent / "nowhere" / "x.jsonl")).code in (1, 3, 5)


def test_ones_own_memory_comes_back_equal_for_another_agent(everself, file: Path) -> None:
    everself("setup", "--agent", "aria")
    workspace = Path(everself("setup", "--agent", "aria", "--json").json["data"]["workspace"])
    for name in ("USER.md", "MEMORY.md"):
        (workspace / name).write_text("")
    said = everself("memory", "import", str(file), "--as-mine", "--agent", "aria")
    assert said.code == 0
    assert said.out.startswith("Imported 2 entries into 2 files as change ")
    assert said.err == ""
    assert everself("memory", "export", "--agent", "aria").out == file.read_text()


def test_somebody_elses_memory_is_worth_a_file(everself, file: Path) -> None:
    everself("setup", "--agent", "aria")
    said = everself("memory", "import", str(file), "--agent", "aria")
    assert "--as-mine" in said.err
    data = everself("memory", "list", "--source", "import", "--agent", "aria", "--json").json["data"]
    assert {one["entry"]["text"] for one in data} == {"Prefers tea", "Lives in Oslo"}
    assert all(one["entry"]["lineage"][0].startswith("file:memory.jsonl#L") for one in data)


def test_importing_into_oneself_changes_nothing(everself, file: Path) -> None:
    said = everself("memory", "import", str(file))
    assert (said.code, said.out) == (0, "Imported 0 entries into 0 files. 2 were known.\n")


@pytest.mark.usefixtures("quiet")
def test_a_broken_line_is_named_and_nothing_is_imported(everself, file: Path) -> None:
    line = json.loads(file.read_text().splitlines()[0])
    file.write_text(json.dumps({**line, "id": "AAAAAAAAAAAA", "text": "New"}) + "\n\n{oops\n")
    said = everself("memory", "import", str(file))
    assert said.code == 1
    assert "Line 3: The line is not valid JSON." in said.err
    told = everself("memory", "import", str(file), "--json")
    assert (told.code, told.json["ok"], told.json["data"]["broken"][0]["number"]) == (1, False, 3)
    assert len(everself("memory", "list", "--json").json["data"]) == 2
    skipped = everself("memory", "import", str(file), "--skip-broken")
    assert (skipped.code, skipped.out.split(" into")[0]) == (6, "Imported 1 entry")


def test_a_dry_run_imports_nothing(everself, file: Path) -> None:
    everself("setup", "--agent", "aria")
    said = everself("memory", "import", str(file), "--dry-run", "--as-mine", "--agent", "aria")
    assert said.out.startswith("Would import 2 entries into 2 files.")
    assert len(everself("memory", "list", "--source", "owner", "--agent", "aria", "--json").json["data"]) == 0


@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_a_file_that_cannot_be_read_is_said(everself, workspace: Path, name: str) -> None:
    said = everself("memory", "import", str(workspace / name))
    assert said.code in (3, 5)
    assert said.err


def test_forgetting_shows_asks_and_proves(everself, file: Path, quiet: Path) -> None:
    entry = everself("memory", "list", "--tier", "T2", "--json").json["data"][0]["entry"]["id"]
    planned = everself("memory", "forget", entry, "--dry-run")
    assert (planned.code, "Nothing was changed." in planned.out) == (0, True)
    unasked = everself("memory", "forget", "--words", "prefers TEA")
    assert unasked.code == 2
    assert "Prefers tea" in unasked.out
    assert "--yes" in unasked.err
    assert everself("memory", "forget", "--words", "prefers coffee", "--yes").err.startswith(
        "No entry contains “prefers coffee”."
    )
    refused = everself("memory", "forget", entry, typed="n\n", at_terminal=True)
    assert refused.code == 130
    assert "Prefers tea" in refused.out
    said = everself("memory", "forget", entry, typed="y\n", at_terminal=True)
    assert said.code == 0
    assert "A search of every byte finds nothing." in said.out
    assert not any(b"Prefers tea" in path.read_bytes() for path in quiet.rglob("*.md"))
    back = everself("memory", "import", str(file), "--as-mine")
    assert "Forgotten on request, and not brought back: 1 entry." in back.err
    assert everself("memory", "forget", entry, "--yes").code == 5


@pytest.mark.usefixtures("file")
def test_the_proof_is_told_as_json(everself) -> None:
    data = everself("memory", "forget", "--words", "Lives in Oslo", "--yes", "--json").json["data"]
    assert (data["gone"], data["degraded"]) == (True, False)


@pytest.mark.usefixtures("quiet")
def test_the_bank_is_written_listed_and_shown(everself) -> None:
    assert "empty" in everself("memory", "bank", "list").out
    assert everself("memory", "bank", "add", "opinions", "Tabs are better", "--confidence", "0.7").code == 0
    assert everself("memory", "bank", "add", "小林花子", "**Aliases:** Hanako").code == 0
    assert "held at 0.7" in everself("memory", "bank", "show", "opinions").out
    names = [page["title"] for page in everself("memory", "bank", "list", "--json").json["data"]]
    assert names == ["Opinions", "小林花子"]
    assert everself("memory", "bank", "show", "nobody").code == 5


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("name", ["a\ud800", "a\0b"])
def test_a_file_that_cannot_be_called_so_is_told_in_words(everself, name: str, tmp_path: Path) -> None:
    for words in (
        ("export", f"{tmp_path}/{name}/x"),
        ("export", f"{tmp_path}/{name}"),
        ("import", f"{tmp_path}/{name}"),
    ):
        said = everself("memory", *words)
        assert said.code in (3, 5), said.err
        assert "mistake in Everself" not in said.err
