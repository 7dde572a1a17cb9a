"""What a person meets when bytes of Everself's own are damaged: every command works or says what to do, and documents stay as they are."""

from pathlib import Path

import pytest
from tests.cli.conftest import Everself, Said

STATE = ".everself/agents/main"


def newest(home: Path) -> Path:
    name = (home / STATE / "history.git/refs/heads/main").read_text().strip()
    return home / STATE / "history.git/objects" / name[:2] / name[2:]


def tell(everself: Everself, text: str) -> str:
    said = everself("memory", "add", text, "--json")
    assert said.code == 0, said.err
    return str(said.json["data"]["entry"])


def is_in_words(said: Said) -> bool:
    return "mistake in Everself" not in said.err + said.out and "Traceback" not in said.err + said.out


@pytest.mark.parametrize("data", [b"", b"x\x01garbage that is no object"])
def test_a_damaged_newest_object_of_the_history_stops_nobody(
    everself: Everself, workspace: Path, home: Path, data: bytes
) -> None:
    tell(everself, "I like green tea")
    newest(home).write_bytes(data)
    said = everself("doctor")
    assert said.code == 1
    assert "The history is damaged" in said.out
    assert "everself doctor --fix" in said.out
    added = everself("memory", "add", "My sister lives in Porto")
    assert added.code == 0, added.err
    assert "These changes can no longer be shown or undone" in added.err
    assert "set aside, not deleted" in added.err
    for command in (("log",), ("memory", "list"), ("undo", "last"), ("context",), ("memory", "search", "tea")):
        assert everself(*command).code == 0, command
    assert everself("backup", str(home / "saved.tar.gz")).code == 0
    after = everself("doctor")
    assert after.code == 0
    assert "These changes can no longer be shown or undone" in after.out
    assert "green tea" in (next((workspace / "memory").glob("2*.md"))).read_text()


def test_doctor_mends_a_damaged_history_and_names_what_is_gone(everself: Everself, workspace: Path, home: Path) -> None:
    tell(everself, "I like green tea")
    lost = everself("log", "--json").json["data"][0]["id"]
    newest(home).write_bytes(b"")
    before = {path: path.read_bytes() for path in workspace.rglob("*.md")}
    assert everself("undo", "last").err.endswith("→ everself doctor --fix\n")
    said = everself("doctor", "--fix")
    assert said.code == 0, said.out
    assert lost in said.out
    gone = everself("undo", lost)
    assert gone.code == 5
    assert "neither shown nor undone" in gone.err
    assert {path: path.read_bytes() for path in workspace.rglob("*.md")} == before


def test_forgetting_leaves_nothing_in_what_was_set_aside(everself: Everself, workspace: Path, home: Path) -> None:
    entry = tell(everself, "My aunt hides zanzibarine pralines")
    blob = next(path for path in (home / STATE / "history.git/objects").rglob("*") if path.is_file() and _holds(path))
    # its content is whole, its end is not
    blob.write_bytes(blob.read_bytes()[:-3])
    (workspace / "MEMORY.md").write_text("- another\n")
    assert everself("doctor", "--fix").code == 0
    assert any(_holds(path) for path in (home / STATE / "damaged").rglob("*") if path.is_file())
    said = everself("memory", "forget", entry, "--yes")
    assert said.code in (0, 6), said.err
    assert not any(_holds(path) for path in (home / STATE / "damaged").rglob("*") if path.is_file())


def _holds(path: Path) -> bool:
    import zlib

    try:
        return b"zanzibarine" in zlib.decompressobj().decompress(path.read_bytes())
    except zlib.error:
        return b"zanzibarine" in path.read_bytes()
