"""Disks that are full, read-only or failing, files that are no databases: the right words, and nothing lost."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

import apsw
import pytest

from everself import errors
from everself.storage.engine import Engine

CREATE = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"


def add(text: str):
    return lambda writer: writer.run("INSERT INTO notes (text) VALUES (?)", (text,))


def count(engine: Engine) -> int:
    return engine.read("SELECT count(*) FROM notes")[0][0]


@pytest.fixture
def engine(tmp_path: Path):
    with Engine.open(str(tmp_path / "a.db")) as opened:
        opened.write(lambda writer: writer.run(CREATE))
        yield opened


def test_a_database_that_may_not_grow_is_a_full_disk(engine: Engine):
    engine.write(add("kept"))
    engine.write(lambda writer: writer.rows("PRAGMA max_page_count=10"))
    with pytest.raises(errors.DiskFull):
        engine.write(add("x" * 100_000))
    assert count(engine) == 1
    engine.write(lambda writer: writer.rows("PRAGMA max_page_count=100000"))
    engine.write(add("x" * 100_000))
    assert count(engine) == 2


def test_work_that_swallows_a_full_disk_is_no_false_success(engine: Engine):
    engine.write(lambda writer: writer.rows("PRAGMA max_page_count=10"))

    def careless(writer):
        writer.run("INSERT INTO notes (text) VALUES ('first')")
        try:
            writer.run("INSERT INTO notes (text) VALUES (?)", ("x" * 100_000,))
        except errors.DiskFull:
            return "all is well"

    try:
        assert engine.write(careless) == "all is well"
        assert count(engine) == 1
    except errors.DiskError:
        assert count(engine) == 0


def test_a_file_size_limit_is_a_full_disk(tmp_path: Path, start, finish):
    process = start(
        """
        import resource, sys
        from everself.errors import DiskFull
        from everself.storage.engine import Engine
        engine = Engine.open(sys.argv[1])
        engine.write(lambda writer: writer.run("CREATE TABLE notes (text)"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        try:
            engine.write(lambda writer: writer.run("INSERT INTO notes VALUES (?)", ("x" * 200_000,)))
        except DiskFull:
            print("full", engine.read("SELECT count(*) FROM notes"))
        """,
        tmp_path / "a.db",
    )
    assert finish(process) == "full [(0,)]"


def test_an_engine_opened_for_reading_reads_and_refuses_to_write(engine: Engine):
    engine.write(add("one"))
    with Engine.open(engine.path, read_only=True) as reader:
        assert count(reader) == 1
        engine.write(add("two"))
        assert count(reader) == 2
        with pytest.raises(errors.WrongUse):
            reader.write(add("three"))


def test_reading_what_does_not_exist_is_not_found_and_creates_nothing(tmp_path: Path):
    with pytest.raises(errors.NotFound):
        Engine.open(str(tmp_path / "none.db"), read_only=True)
    with pytest.raises(errors.NotFound):
        Engine.open(str(tmp_path / "no" / "folder.db"))
    assert list(tmp_path.iterdir()) == []


def test_links_and_odd_files_are_refused(tmp_path: Path):
    Engine.open(str(tmp_path / "real.db")).close()
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    (tmp_path / "dangling.db").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.db").mkdir()
    os.mkfifo(tmp_path / "fifo.db")
    for name in ("link.db", "dangling.db", "folder.db", "fifo.db"):
        with pytest.raises(errors.UnsafePath):
            Engine.open(str(tmp_path / name))
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_is_no_database_is_damaged_and_stays_as_it_is(tmp_path: Path):
    path = tmp_path / "a.db"
    path.write_bytes(b"Dear diary, this was never a database. " * 100)
    for read_only in (False, True):
        with pytest.raises(errors.Damaged):
            Engine.open(str(path), read_only=read_only)
    assert path.read_bytes().startswith(b"Dear diary")


def test_damaged_pages_are_damaged(engine: Engine):
    for number in range(200):
        engine.write(add(f"{number} " + "x" * 500))
    engine.close()
    path = Path(engine.path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with Engine.open(engine.path) as again, pytest.raises(errors.Damaged):
        again.read("SELECT * FROM notes")


def test_text_that_is_no_utf8_is_damaged(engine: Engine):
    engine.write(lambda writer: writer.run("INSERT INTO notes (text) VALUES (CAST(x'ff' AS TEXT))"))
    with pytest.raises(errors.Damaged):
        engine.read("SELECT text FROM notes")


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (apsw.FullError, errors.DiskFull),
        (apsw.ReadOnlyError, errors.ReadOnlyDisk),
        (apsw.IOError, errors.DiskError),
        (lambda: OSError(errno.ENOSPC, "no space"), errors.DiskFull),
        (lambda: OSError(errno.EDQUOT, "quota"), errors.DiskFull),
        (lambda: OSError(errno.EROFS, "read-only"), errors.ReadOnlyDisk),
        (lambda: OSError(errno.EIO, "broken"), errors.DiskError),
    ],
    ids=["full", "readonly", "ioerr", "ENOSPC", "EDQUOT", "EROFS", "EIO"],
)
def test_every_failing_call_of_a_write_gives_its_error_and_keeps_what_was_acknowledged(
    tmp_path: Path, faulty_vfs, failure, expected
):
    faulty_vfs.failure = failure
    path = str(tmp_path / "a.db")
    with Engine.open(path, vfs=faulty_vfs.name, exclusive=True) as engine:
        engine.write(lambda writer: writer.run(CREATE))
        kept = 0
        for nth in range(1, 50):
            faulty_vfs.fail_from = faulty_vfs.calls + nth
            try:
                engine.write(add("x" * 9000))
                kept += 1
                reached_the_end = True
            except expected:
                reached_the_end = False
            faulty_vfs.fail_from = 0
            assert count(engine) == kept
            engine.write(add("between"))
            kept += 1
            if reached_the_end:
                break
        assert reached_the_end
        assert nth > 3
    with Engine.open(path) as again:
        assert count(again) == kept


UNPRIVILEGED = """
    import os, sys
    from everself.errors import EverselfError
    from everself.storage.engine import Engine
    if os.geteuid() == 0:  # for root nothing is forbidden
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    path, read_only = sys.argv[1], sys.argv[2] == "read"
    try:
        engine = Engine.open(path, read_only=read_only)
        print(engine.read("SELECT text FROM notes"))
    except EverselfError as error:
        print(type(error).__name__)
"""


@pytest.fixture
def locked_folder():
    """A folder that anybody can enter and read, and nobody write; not under tmp_path, which only its owner may enter."""
    folder = Path(tempfile.mkdtemp())
    with Engine.open(str(folder / "a.db")) as engine:
        engine.write(lambda writer: writer.run(CREATE))
        engine.write(add("one"))
    (folder / "a.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_where_nothing_may_be_written_a_database_can_still_be_read(locked_folder: Path, start, finish):
    assert finish(start(UNPRIVILEGED, locked_folder / "a.db", "read")) == "[('one',)]"
    assert finish(start(UNPRIVILEGED, locked_folder / "a.db", "write")) == "NoPermission"
    assert finish(start(UNPRIVILEGED, locked_folder / "new.db", "write")) == "NoPermission"
    assert [path.name for path in locked_folder.iterdir()] == ["a.db"]
