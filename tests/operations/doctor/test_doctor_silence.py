"""What doctor used to be silent about: each is a finding in words, with the command that mends it."""

from pathlib import Path

import apsw
import pytest
from tests.operations.doctor.doctoring import STATE, codes, found, settle_in, write

from everself.agent import open_runtime
from everself.operations.doctor import examine
from everself.values import Append, Applied, Author, Change


@pytest.fixture
def home(_own_home: Path) -> Path:
    settle_in(_own_home)
    return _own_home


def workspace(home: Path) -> Path:
    return home / ".everself/workspace"


def write_something(home: Path) -> None:
    with open_runtime(environ={"HOME": str(home)}) as app:
        done = app.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- likes tea\n"),)))
        assert isinstance(done, Applied)


def test_a_missing_soul(home: Path) -> None:
    (workspace(home) / "SOUL.md").unlink()
    one = found(examine(), "soul-missing")
    assert one.severity == "error"
    assert "everself soul rollback" in one.mend
    assert "everself setup --restore" in one.mend


@pytest.mark.parametrize("data", ["", " \n\n", "\ufeff\n"])
def test_an_empty_soul(home: Path, data: str) -> None:
    write(workspace(home) / "SOUL.md", data)
    one = found(examine(), "soul-empty")
    assert one.severity == "error"
    assert "everself soul rollback" in one.mend


def test_a_merge_that_nobody_decided(home: Path) -> None:
    write(workspace(home) / "MEMORY.md", "a\n<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> branch\nb\n")
    one = found(examine(), "merge-conflict")
    assert one.severity == "error"
    assert "lines 2 to 6" in one.message
    assert "MEMORY.md" in one.mend


@pytest.mark.parametrize("text", ["a <<<<<<< b >>>>>>> c\n", "Title\n=======\n", ">>>>>>> x\n<<<<<<< y\n=======\n"])
def test_what_only_looks_like_a_merge(home: Path, text: str) -> None:
    write(workspace(home) / "MEMORY.md", text)
    assert "merge-conflict" not in codes(examine())


@pytest.mark.parametrize("name", ["notes.txt", "00000001garbage", "12345678", "00000001-x.done.swp", "²0000000-x.done"])
def test_garbage_in_the_journal(home: Path, name: str) -> None:
    path = write(home / STATE / "journal" / name, "garbage")
    assert name in found(examine(), "journal-strange").message
    write_something(home)
    report = examine(fix=True)
    assert "journal-strange" in {one.code for one in report.fixed}
    assert not path.exists()
    assert [one.read_text() for one in (home / STATE / "damaged").rglob(name)] == ["garbage"]


def test_a_folder_with_the_name_of_a_change_in_the_journal(home: Path) -> None:
    (home / STATE / "journal").mkdir(mode=0o700, exist_ok=True)
    (home / STATE / "journal/00000001-AAAABBBBCCCC.done").mkdir(mode=0o700)
    assert "journal-strange" in codes(examine())
    write_something(home)
    assert "journal-strange" not in codes(examine(fix=True))


def test_a_note_of_a_recorded_change_that_cannot_be_read_is_set_aside(home: Path) -> None:
    path = write(home / STATE / "journal/00000001-AAAABBBBCCCC.done", "garbage")
    assert "everself doctor --fix" in found(examine(), "journal-damaged").mend
    assert "journal-damaged" not in codes(examine(fix=True))
    assert not path.exists()
    assert list((home / STATE / "damaged").rglob(path.name))


def test_a_file_in_the_place_of_the_journal(home: Path) -> None:
    folder = home / STATE / "journal"
    if folder.exists():
        folder.rmdir()
    write(folder, "in the way")
    assert "everself doctor --fix" in found(examine(), "journal-no-folder").mend
    assert "journal-no-folder" not in codes(examine(fix=True))
    write_something(home)


@pytest.mark.parametrize("name", ["write.lock", "history.lock"])
def test_a_folder_in_the_place_of_a_lock(home: Path, name: str) -> None:
    path = home / STATE / name
    path.unlink(missing_ok=True)
    path.mkdir(mode=0o700)
    one = found(examine(), "lock-blocked")
    assert one.severity == "error"
    assert name in one.message
    assert "everself doctor --fix" in one.mend
    assert "lock-blocked" not in codes(examine(fix=True))
    write_something(home)


def test_a_newer_schema(home: Path) -> None:
    connection = apsw.Connection(str(home / STATE / "state.db"))
    connection.execute("INSERT INTO schema_migrations VALUES (9999, 'to come', '2030-01-01', 'x')")
    connection.close()
    before = (home / STATE / "state.db").read_bytes()
    report = examine(fix=True)
    one = found(report, "database-newer")
    assert one.mend == "Update Everself."
    assert not one.fixable
    assert (home / STATE / "state.db").read_bytes() == before
