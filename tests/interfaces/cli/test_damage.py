"""What a person meets when bytes of Everself's own are damaged: every command works or says what to do, and documents stay as they are."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.interfaces.cli.conftest import Everself, Said
from tests.operations.doctor.doctoring import write

from everself.storage.filesystem import READ_LIMIT
from everself.storage.real_disk import RealFileSystem

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
@pytest.mark.slow
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
    assert "cannot be shown or undone" in gone.err
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


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir(mode=0o700)


def as_link(path: Path) -> None:
    path.rename(path.with_suffix(".away"))
    path.symlink_to(path.with_suffix(".away"))


def as_second_name(path: Path) -> None:
    path.with_suffix(".away").hardlink_to(path)


def as_noise(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00# noise \xc3\x28\n- \xe2\x82 broken\n")


@pytest.mark.slow
@pytest.mark.parametrize("harm", [as_folder, as_link, as_second_name, as_noise, errno.EACCES, errno.EIO])
def test_one_unreadable_day_is_named_and_hides_no_other(
    everself: Everself, workspace: Path, harm: Callable[[Path], None] | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(everself, "I like green tea")
    write(workspace / "memory/2026-01-02.md", "# 2026-01-02\n\n- my sister lives in Porto\n")
    assert "Porto" in everself("memory", "list").out
    if callable(harm):
        harm(workspace / "memory/2026-01-02.md")
    else:
        real = RealFileSystem.read

        def read(self: RealFileSystem, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
            if path == "memory/2026-01-02.md":
                raise OSError(harm, os.strerror(harm), path)
            return real(self, path, start, limit)

        monkeypatch.setattr(RealFileSystem, "read", read)
    for command in (("memory", "list"), ("memory", "search", "tea"), ("context",), ("memory", "status")):
        said = everself(*command)
        assert said.code in (0, 6), (command, said.err)
        assert "Traceback" not in said.err
    said = everself("memory", "list")
    assert "green tea" in said.out
    if harm is not as_noise:
        assert "memory/2026-01-02.md" in said.err
        assert "everself doctor" in said.err
    monkeypatch.undo()


DATABASE_HARMS = {
    "emptied": lambda path: path.write_bytes(b""),
    "deleted": lambda path: path.unlink(),
    "garbage": lambda path: path.write_bytes(b"garbage " * 999),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5_000]),
    "zeroed": lambda path: path.write_bytes(path.read_bytes()[:4_096].ljust(len(path.read_bytes()), b"\0")),
    "a folder": as_folder,
}


@pytest.mark.parametrize(
    "harm", [one if one == "garbage" else pytest.param(one, marks=pytest.mark.slow) for one in DATABASE_HARMS]
)
@pytest.mark.slow
def test_documents_can_be_read_without_the_database_and_doctor_makes_it_anew(
    everself: Everself, workspace: Path, home: Path, harm: str
) -> None:
    tell(everself, "I like green tea")
    day = next((workspace / "memory").glob("2*.md"))
    write(workspace / "MEMORY.md", "- heard on the web <!-- everself: id=7K3QX9M2ABCD src=web -->\n")
    everself("memory", "list")
    change = everself("log", "--json").json["data"][0]["id"]
    DATABASE_HARMS[harm](home / STATE / "state.db")
    before = {path: path.read_bytes() for path in workspace.rglob("*.md")}
    said = everself("memory", "list", "--json")
    assert said.code == 0, said.out
    sources = {one["entry"]["text"]: one["entry"]["source"] for one in said.json["data"]}
    assert sources == {"I like green tea": "hand", "heard on the web": "web"}
    assert "Reading only" in said.json["notices"][0]
    for command in (("memory", "search", "tea"), ("context",), ("memory", "status")):
        assert everself(*command).code == 0, command
    for command in (("memory", "add", "More"), ("log",), ("undo", change), ("backup", str(home / "saved.tar.gz"))):
        said = everself(*command)
        assert said.code == 1, command
        assert "everself doctor --fix" in said.err, command
    assert not (home / "saved.tar.gz").exists()
    fixed = everself("doctor", "--fix")
    assert "has been rebuilt" in fixed.out, fixed.out
    assert everself("log", "--json").json["data"][0]["id"] == change
    assert {path: path.read_bytes() for path in workspace.rglob("*.md")} == before
    assert everself("memory", "add", "My sister lives in Porto").code == 0
    assert everself("undo", change).code == 0
    assert "green tea" not in day.read_text()
    kept = list((home / STATE / "damaged").rglob("state.db"))
    assert harm == "deleted" or len(kept) == 1


def test_what_can_be_read_of_a_damaged_database_is_kept(everself: Everself, workspace: Path, home: Path) -> None:
    tell(everself, "I like green tea")
    seal = everself("soul", "verify").out
    database = home / STATE / "state.db"
    data = bytearray(database.read_bytes())
    # one page of what documents tell anyway
    connection = apsw.Connection(str(database))
    (root,) = next(connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"))
    (size,) = next(connection.execute("PRAGMA page_size"))
    connection.close()
    data[(root - 1) * size : root * size] = b"\xff" * size
    database.write_bytes(data)
    assert "hand" in everself("memory", "list").out
    fixed = everself("doctor", "--fix").out
    assert "has been rebuilt" in fixed
    assert "0 of them from the history" in fixed, "the ledger itself could be read"
    said = everself("memory", "list")
    assert "owner" in said.out
    assert everself("soul", "verify").out == seal
    assert everself("doctor").code == 0
    assert workspace.exists()


def test_an_older_program_refuses_a_newer_database_in_words(everself: Everself, workspace: Path, home: Path) -> None:
    connection = apsw.Connection(str(home / STATE / "state.db"))
    connection.execute("INSERT INTO schema_migrations VALUES (9999, 'to come', '2030-01-01', 'x')")
    connection.close()
    for command in (("memory", "list"), ("memory", "add", "x"), ("log",), ("context",)):
        said = everself(*command)
        assert said.code == 1
        assert "newer version of Everself" in said.err
        assert "Update Everself" in said.err
    said = everself("doctor", "--fix")
    assert said.code == 1
    assert "schema 9999" in said.out
    assert "Update Everself" in said.out
    assert workspace.exists()


@pytest.mark.slow
def test_another_agents_database_does_not_cost_this_one_its_history(
    everself: Everself, workspace: Path, home: Path
) -> None:
    tell(everself, "I like green tea")
    assert everself("agents", "add", "aria").code == 0
    assert everself("memory", "add", "A secret of somebody else", "--agent", "aria").code == 0
    change = everself("log", "--json").json["data"][0]["id"]
    shutil.copy(home / ".everself/agents/aria/state.db", home / STATE / "state.db")
    assert "another agent" in everself("doctor").out
    added = everself("memory", "add", "My sister lives in Porto")
    assert "another agent" in added.err
    assert (home / STATE / "history.git").exists()
    assert "has been rebuilt" in everself("doctor", "--fix").out
    told = everself("log", "--json").json["data"]
    assert change in [one["id"] for one in told]
    assert everself("undo", change).code == 0
    day = next((workspace / "memory").glob("2*.md")).read_text()
    assert "green tea" not in day
    assert "Porto" in day
