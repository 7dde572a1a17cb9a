"""Several processes at one database: writers at once, killed writers, forks, exits."""

import os
import random
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from everself.errors import StoreBusy
from everself.storage.database_copy import check_database, copy_database
from everself.storage.engine import Engine

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

CREATE = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"

WRITE_MANY = """
    import sys
    from everself.storage.engine import Engine
    path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    engine = Engine.open(path, busy_timeout=600)
    engine.write(lambda writer: writer.run("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"))
    for number in range(count):
        engine.write(lambda writer: writer.run("INSERT INTO notes (text) VALUES (?)", (f"{name}-{number}",)))
        print(f"{name}-{number}", flush=True)
    engine.close()
"""


def test_processes_that_create_and_write_at_once_lose_nothing(tmp_path: Path, start, finish):
    path = tmp_path / "a.db"
    writers = [start(WRITE_MANY, path, name, 40) for name in range(4)]
    for writer in writers:
        finish(writer)
    with Engine.open(str(path)) as engine:
        found = [text for (text,) in engine.read("SELECT text FROM notes ORDER BY id")]
    assert sorted(found) == sorted(f"{name}-{number}" for name in range(4) for number in range(40))
    assert check_database(str(path)) == []


def test_a_killed_writer_leaves_a_sound_database_with_all_it_acknowledged(tmp_path: Path, start, seed: int):
    chance = random.Random(seed)
    path = tmp_path / "a.db"
    acknowledged: list[str] = []
    for attempt in range(3):
        writer = start(WRITE_MANY, path, attempt, 100_000)
        acknowledged += [writer.stdout.readline().strip() for _ in range(chance.randrange(3, 40))]
        writer.send_signal(signal.SIGKILL)
        # not communicate: it forgets the lines that readline had already taken from the pipe
        rest = writer.stdout.read()
        writer.wait()
        acknowledged += [line for line in rest.splitlines() if line]
    assert check_database(str(path)) == []
    with Engine.open(str(path)) as engine:
        found = [text for (text,) in engine.read("SELECT text FROM notes ORDER BY id")]
    assert len(found) == len(set(found))
    # one write per process may be durable without its acknowledgement having left the process
    assert set(acknowledged) <= set(found)
    assert len(found) <= len(acknowledged) + 3


def test_a_database_held_by_another_process_gives_store_busy(tmp_path: Path, start, finish):
    path = tmp_path / "a.db"
    with Engine.open(str(path), busy_timeout=0.2) as engine:
        engine.write(lambda writer: writer.run(CREATE))
        holder = start(
            """
            import sys
            from everself.storage.engine import Engine
            engine = Engine.open(sys.argv[1])
            engine.write(lambda _: (print("held", flush=True), sys.stdin.readline()))
            engine.close()
            """,
            path,
        )
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy) as caught:
            engine.write(lambda writer: writer.run("INSERT INTO notes (text) VALUES ('x')"))
        assert "waited 0.2 s" in str(caught.value)
        assert engine.read("SELECT count(*) FROM notes") == [(0,)]
        holder.stdin.write("\n")
        holder.stdin.flush()
        finish(holder)
        assert engine.write(lambda writer: writer.run("INSERT INTO notes (text) VALUES ('x')")) == 1


def test_a_forked_child_is_refused_and_harms_nothing(tmp_path: Path, start, finish):
    process = start(
        """
        import os, sys, threading, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        from everself.errors import WrongUse
        from everself.storage.engine import Engine
        engine = Engine.open(sys.argv[1])
        add = lambda text: engine.write(lambda writer: writer.run("INSERT INTO notes (text) VALUES (?)", (text,)))
        engine.write(lambda writer: writer.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"))
        engine.read("SELECT 1")
        # fork while the writer thread is in the middle of a transaction
        inside, forked = threading.Event(), threading.Event()
        def slow(writer):
            writer.run("INSERT INTO notes (text) VALUES ('parent, slowly')")
            inside.set()
            forked.wait(300)
        thread = threading.Thread(target=engine.write, args=(slow,))
        thread.start()
        inside.wait(300)
        child = os.fork()
        if child == 0:
            for attempt in (lambda: add("child"), lambda: engine.read("SELECT 1"), lambda: Engine.open(sys.argv[1])):
                try:
                    attempt()
                except WrongUse:
                    continue
                sys.exit(1)
            with Engine.open(sys.argv[1] + ".own") as own:
                own.write(lambda writer: writer.run("CREATE TABLE fine (x)"))
            engine.close()
            sys.exit(0)
        forked.set()
        thread.join()
        _, status = os.waitpid(child, 0)
        assert status == 0
        add("parent, later")
        print(sorted(text for (text,) in engine.read("SELECT text FROM notes")))
        engine.close()
        """,
        tmp_path / "a.db",
    )
    assert finish(process) == "['parent, later', 'parent, slowly']"
    assert check_database(str(tmp_path / "a.db")) == []


def test_a_write_at_interpreter_exit_is_kept(tmp_path: Path, start, finish):
    process = start(
        """
        import atexit, sys
        from everself.storage.engine import Engine
        engine = Engine.open(sys.argv[1])
        atexit.register(lambda: engine.write(lambda writer: writer.run("CREATE TABLE last_words (x)")))
        """,
        tmp_path / "a.db",
    )
    finish(process)
    with Engine.open(str(tmp_path / "a.db")) as engine:
        assert engine.read("SELECT name FROM sqlite_schema") == [("last_words",)]


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_every_file_is_private_whatever_the_umask(tmp_path: Path, umask: int):
    old = os.umask(umask)
    try:
        with Engine.open(str(tmp_path / "a.db")) as engine:
            engine.write(lambda writer: writer.run(CREATE))
            copy_database(engine, str(tmp_path / "copy.db"))
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert modes == dict.fromkeys(["a.db", "a.db-wal", "a.db-shm", "copy.db"], 0o600)


def test_a_database_that_others_could_read_is_tightened(tmp_path: Path):
    path = tmp_path / "a.db"
    Engine.open(str(path)).close()
    path.chmod(0o644)
    Engine.open(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_opening_again_does_not_drop_the_locks_this_process_holds(tmp_path: Path, start):
    path = tmp_path / "a.db"
    with Engine.open(str(path)) as engine:
        engine.write(lambda writer: writer.run(CREATE))

        def while_locked(_: object) -> subprocess.Popen[str]:
            # a second engine comes and goes: it must not open and close the file by itself
            Engine.open(str(path)).close()
            check_database(str(path))
            rival = start(
                """
                import sys
                from everself.errors import StoreBusy
                from everself.storage.engine import Engine
                try:
                    Engine.open(sys.argv[1], busy_timeout=0.1).write(lambda writer: None)
                except StoreBusy:
                    print("busy")
                """,
                path,
            )
            out, err = rival.communicate(timeout=600)
            assert out == "busy\n", err
            return rival

        engine.write(while_locked)
