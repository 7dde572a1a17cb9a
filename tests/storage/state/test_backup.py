import random
import threading
from pathlib import Path

import apsw
import pytest

from everself.errors import DiskFull, EverselfError, NotFound, RefusedByRule
from everself.storage.database_copy import check_database, copy_database
from everself.storage.engine import Engine

CREATE = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"


def add(text: str):
    return lambda writer: writer.run("INSERT INTO notes (text) VALUES (?)", (text,))


@pytest.fixture
def engine(tmp_path: Path):
    with Engine.open(str(tmp_path / "a.db")) as opened:
        opened.write(lambda writer: writer.run(CREATE))
        for number in range(40):
            opened.write(add(f"{number} " + "x" * 60_000))
        yield opened


def test_a_copy_is_one_sound_file_with_everything_in_it(engine: Engine, tmp_path: Path):
    target = tmp_path / "copy" / "a.db"
    target.parent.mkdir()
    seen: list[tuple[int, int]] = []
    copy_database(engine, str(target), lambda done, total: seen.append((done, total)))
    assert [path.name for path in target.parent.iterdir()] == ["a.db"]
    assert check_database(str(target)) == []
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == target.stat().st_size // 4096
    # journal mode 1 in bytes 18 and 19 of the header: whoever opens it needs no -wal
    assert target.read_bytes()[18:20] == b"\x01\x01"
    with Engine.open(str(target)) as copy:
        assert copy.read("SELECT * FROM notes") == engine.read("SELECT * FROM notes")


def test_a_copy_under_steady_writing_ends_and_is_one_moment(engine: Engine, tmp_path: Path):
    engine.write(
        lambda writer: writer.run("CREATE TABLE pairs (a INTEGER, b INTEGER); INSERT INTO pairs VALUES (0, 0)")
    )
    written_between: list[int] = []

    def write_between(done: int, _: int) -> None:
        # from the very thread that copies: each step is followed by a write that would start a naive copy over
        other = threading.Thread(
            target=lambda: engine.write(lambda writer: writer.run("UPDATE pairs SET a = a + 1, b = b + 1"))
        )
        other.start()
        other.join()
        written_between.append(done)
        assert len(written_between) < 1_000, "the copy starts over and over"

    copy_database(engine, str(tmp_path / "copy.db"), write_between)
    assert len(written_between) > 1
    assert engine.read("SELECT a, b FROM pairs") == [(len(written_between), len(written_between))]
    with Engine.open(str(tmp_path / "copy.db"), read_only=True) as copy:
        assert copy.read("SELECT a, b FROM pairs") == [(0, 0)]
    assert check_database(str(tmp_path / "copy.db")) == []


def test_an_exclusive_database_is_copied_too(tmp_path: Path, faulty_vfs):
    with Engine.open(str(tmp_path / "sim.db"), vfs=faulty_vfs.name, exclusive=True) as engine:
        engine.write(lambda writer: writer.run(CREATE))
        engine.write(add("one"))
        copy_database(engine, str(tmp_path / "copy.db"))
        engine.write(add("two"))
    with Engine.open(str(tmp_path / "copy.db")) as copy:
        assert copy.read("SELECT text FROM notes") == [("one",)]


def test_a_copy_never_overwrites(engine: Engine, tmp_path: Path):
    (tmp_path / "there.db").write_text("mine")
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    for name in ("there.db", "link.db"):
        with pytest.raises(RefusedByRule):
            copy_database(engine, str(tmp_path / name))
    assert (tmp_path / "there.db").read_text() == "mine"
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_copy_that_fails_leaves_nothing_behind(engine: Engine, tmp_path: Path):
    folder = tmp_path / "copies"
    folder.mkdir()

    def stop(*_: int) -> None:
        raise DiskFull("in the middle")

    with pytest.raises(DiskFull, match="in the middle"):
        copy_database(engine, str(folder / "a.db"), stop)
    assert list(folder.iterdir()) == []
    with pytest.raises(NotFound):
        copy_database(engine, str(folder / "no" / "a.db"))
    engine.write(add("the source goes on"))
    copy_database(engine, str(folder / "a.db"))
    assert check_database(str(folder / "a.db")) == []


def test_a_copy_onto_a_full_disk_says_so_and_leaves_nothing(engine: Engine, tmp_path: Path, start, finish):
    process = start(
        """
        import os, resource, sys
        from everself.errors import DiskFull
        from everself.storage.database_copy import copy_database
        from everself.storage.engine import Engine
        engine = Engine.open(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        try:
            copy_database(engine, sys.argv[2])
        except DiskFull:
            print("full", os.path.exists(sys.argv[2]))
        """,
        engine.path,
        tmp_path / "copy.db",
    )
    assert finish(process) == "full False"


def test_a_sound_database_has_no_problems_and_checking_changes_nothing(engine: Engine):
    assert check_database(engine.path) == []
    engine.close()
    before = Path(engine.path).read_bytes()
    assert check_database(engine.path) == []
    assert Path(engine.path).read_bytes() == before


def test_what_is_missing_empty_or_no_database_is_said_in_words(tmp_path: Path):
    empty, prose = tmp_path / "empty.db", tmp_path / "prose.db"
    empty.touch()
    prose.write_text("once upon a time " * 400)
    assert "Not found" in check_database(str(tmp_path / "none.db"))[0]
    assert "is empty" in check_database(str(empty))[0]
    assert "not a database" in check_database(str(prose))[0]
    assert "not a regular file" in check_database(str(tmp_path))[0]


def test_a_row_that_points_to_nothing_is_named(tmp_path: Path):
    path = str(tmp_path / "a.db")
    connection = apsw.Connection(path)
    connection.execute(
        "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a); INSERT INTO b VALUES (7)"
    )
    connection.close()
    assert check_database(path) == [f"{path}: row 1 of b refers to a missing row of a."]


def test_a_truncated_or_overwritten_copy_is_found(engine: Engine, tmp_path: Path, seed: int):
    chance = random.Random(seed)
    whole = tmp_path / "whole.db"
    copy_database(engine, str(whole))
    data = whole.read_bytes()
    for attempt in range(10):
        hurt = tmp_path / f"{attempt}.db"
        if attempt % 2:
            hurt.write_bytes(data[: chance.randrange(1, len(data) // 4096) * 4096])
        else:
            at = chance.randrange(0, 2) * 4096
            hurt.write_bytes(data[:at] + bytes(chance.randrange(256) for _ in range(4096)) + data[at + 4096 :])
        assert check_database(str(hurt)), attempt


def test_a_problem_is_never_raised_as_an_error(tmp_path: Path):
    (tmp_path / "a.db").symlink_to(tmp_path / "a.db")
    try:
        assert check_database(str(tmp_path / "a.db"))
    except EverselfError as error:
        pytest.fail(str(error))
