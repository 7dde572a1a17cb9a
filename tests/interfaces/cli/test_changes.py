"""`everself log`, `show` and `undo` as a person types them."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.values import Append, Applied, Author, Change, Replace, digest


@pytest.fixture
def memory(workspace: Path) -> Path:
    return workspace / "MEMORY.md"


@pytest.fixture
def note(workspace: Path) -> Callable[..., str]:
    """Append a line to MEMORY.md as the owner, and return the id of that change."""
    assert workspace.is_dir()

    def append(text: str, reason: str = "note") -> str:
        with open_runtime() as app:
            done = app.workspace.apply(Change(Author.OWNER, reason, (Append("MEMORY.md", text.encode()),)))
            assert isinstance(done, Applied)
            return done.id

    return append


def test_log_lists_the_newest_first(everself, note) -> None:
    first, second = note("- tea\n"), note("- rye bread\n", "groceries")
    said = everself("log")
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()[:2]] == [second, first]
    assert "owner" in said.out
    assert "groceries  (MEMORY.md)" in said.out.splitlines()[0]
    assert everself("log", "--limit", "1").out.count("\n") == 1


def test_log_as_json_has_times_with_an_offset(everself, note) -> None:
    note("- tea\n")
    record = everself("log", "--json").json["data"][0]
    assert datetime.fromisoformat(record["at"]).tzinfo is not None
    assert (record["author"], record["paths"]) == ("owner", ["MEMORY.md"])


def test_log_of_one_file(everself, note, memory: Path) -> None:
    change = note("- tea\n")
    for path in ("MEMORY.md", "./MEMORY.md", str(memory)):
        assert everself("log", "--path", path, "--json").json["data"][0]["id"] == change
    assert "Nothing was changed in x.md yet." in everself("log", "--path", "x.md").out
    assert everself("log", "--path", "x.md", "--json").json["data"] == []


def test_show_prints_who_why_and_the_lines(everself, note) -> None:
    change = note("- tea\n")
    said = everself("show", change[:6])
    assert said.code == 0
    assert f"change {change}" in said.out
    assert "+- tea" in said.out.splitlines()
    assert everself("show", "last").out == said.out
    assert "+- tea" in everself("show", "last", "--json").json["data"]["diff"]


def test_undo_takes_back_and_can_itself_be_undone(everself, note, memory: Path) -> None:
    before = memory.read_bytes()
    change = note("- tea\n")
    said = everself("undo", change)
    assert said.code == 0
    assert "-- tea" in said.out.splitlines()
    assert memory.read_bytes() == before
    assert everself("undo", "last").code == 0
    assert b"- tea" in memory.read_bytes()


def test_undo_twice_finds_nothing_left(everself, note) -> None:
    change = note("- tea\n")
    everself("undo", change)
    said = everself("undo", change)
    assert said.code in (0, 4)
    assert said.out + said.err


def test_a_dry_run_shows_and_changes_nothing(everself, note, memory: Path) -> None:
    note("- tea\n")
    before = memory.read_bytes()
    said = everself("undo", "last", "--dry-run")
    assert said.code == 0
    assert "-- tea" in said.out.splitlines()
    assert "Nothing was changed." in said.out
    assert memory.read_bytes() == before
    assert everself("undo", "last", "--dry-run", "--json").json["data"]["applied"] is None


@pytest.mark.parametrize(
    ("typed", "code", "left"), [("y\n", 0, False), ("n\n", 130, True), ("\n", 130, True), ("", 130, True)]
)
def test_at_a_terminal_it_asks(everself, note, memory: Path, typed: str, code: int, left: bool) -> None:
    note("- tea\n")
    said = everself("undo", "last", typed=typed, at_terminal=True)
    assert said.code == code
    # shown once, before the question
    assert said.out.splitlines().count("-- tea") == 1
    assert (b"- tea" in memory.read_bytes()) is left


@pytest.mark.parametrize("flag", ["--yes", "--json"])
def test_it_does_not_ask_when_told_or_read_by_a_program(everself, note, memory: Path, flag: str) -> None:
    note("- tea\n")
    said = everself("undo", "last", flag, at_terminal=True)
    assert said.code == 0
    assert b"- tea" not in memory.read_bytes()


def test_a_later_change_in_the_same_lines_is_a_conflict(everself, note, memory: Path) -> None:
    change = note("- tea\n")
    data = memory.read_bytes()
    at = data.index(b"- tea\n")
    with open_runtime() as app:
        edit = Replace("MEMORY.md", digest(data), at, at + 6, b"- coffee\n")
        assert isinstance(app.workspace.apply(Change(Author.OWNER, "coffee", (edit,))), Applied)
    for words in ((), ("--dry-run",)):
        said = everself("undo", change, *words, "--json")
        assert (said.code, said.json["error"]["kind"]) == (4, "ChangedMeanwhile")
        assert "MEMORY.md" in said.json["error"]["message"]
    assert everself("undo", change, at_terminal=True).code == 4
    assert b"- coffee" in memory.read_bytes()


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("command", ["show", "undo"])
@pytest.mark.parametrize(
    ("name", "code"), [("ZZZZ", 5), ("", 2), ("../x", 5), ("x" * 10_000, 5), ("\udc80", 5), ("'; --", 5)]
)
def test_a_change_that_does_not_exist(everself, command: str, name: str, code: int) -> None:
    said = everself(command, "--", name)
    assert said.code == code
    assert "mistake in Everself" not in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("--limit", "0"),
        ("--limit", "-1"),
        ("--limit", "many"),
        ("--limit", str(10**30)),
        ("--limit",),
        ("extra",),
        ("--x",),
    ],
)
def test_log_called_wrongly(everself, words: tuple[str, ...]) -> None:
    assert everself("log", *words).code == 2


@pytest.mark.parametrize("words", [("log",), ("show", "last"), ("undo", "last")])
def test_without_a_workspace_the_mend_is_setup(everself, home: Path, words: tuple[str, ...]) -> None:
    said = everself(*words)
    assert said.code == 5
    assert "→ everself setup" in said.err
    assert list(home.iterdir()) == []


def test_escapes_in_files_and_reasons_do_not_reach_the_terminal(everself, note) -> None:
    note("- \x1b]0;owned\x07 \x1b[2J\u202e  two  spaces\r\n", "\x1b[31mred\n\x9b2J")
    for words in (("log",), ("show", "last"), ("undo", "last", "--dry-run")):
        said = everself(*words)
        assert said.code == 0
        assert not set(said.out) & set("\x1b\x07\x9b\u202e\r")
    assert "  two  spaces␍" in everself("show", "last").out
    assert "\x1b" in everself("show", "last", "--json").json["data"]["diff"]


def test_undo_last_does_not_remove_a_new_agent(everself, workspace: Path) -> None:
    refused = everself("undo", "last", "--yes")
    assert refused.code == 3
    assert "created your agent's files" in refused.err
    assert (workspace / "SOUL.md").exists()
    created = everself("log", "--json").json["data"][0]["id"]
    assert f"→ To do that on purpose: everself undo {created}" in refused.err
    assert everself("undo", created, "--yes").code == 0
    assert not (workspace / "SOUL.md").exists()


def test_undo_last_after_forgetting_names_what_can_be_undone(everself, note) -> None:
    kept = note("- tea\n", "groceries")
    everself("memory", "add", "The door code is 4417.")
    everself("memory", "forget", "--words", "4417", "--yes")
    said = everself("undo", "last", "--dry-run")
    assert "is a forgetting. That cannot be undone." in said.err
    assert f"The newest change that can be undone is {kept}: groceries (MEMORY.md)." in said.err
    assert f"→ everself undo {kept}" in said.err
    assert everself("undo", kept, "--dry-run").code == 0
