import threading
import traceback
from pathlib import Path

import pytest

from everself.errors import DiskError, EverselfError, WrongUse
from everself.storage.engine import Engine, Writer

CREATE = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"


@pytest.fixture
def engine(tmp_path: Path):
    with Engine.open(str(tmp_path / "a.db")) as opened:
        opened.write(lambda writer: writer.run(CREATE))
        yield opened


def add(text: str):
    return lambda writer: writer.run("INSERT INTO notes (text) VALUES (?)", (text,))


def texts(engine: Engine) -> list[str]:
    return [text for (text,) in engine.read("SELECT text FROM notes ORDER BY id")]


def test_what_was_written_is_read_and_outlives_the_engine(engine: Engine):
    assert engine.write(add("one")) == 1
    assert texts(engine) == ["one"]
    engine.close()
    with Engine.open(engine.path) as again:
        assert texts(again) == ["one"]


def test_an_error_undoes_everything_and_arrives_with_type_and_traceback(engine: Engine):
    class Odd(Exception):
        pass

    def deep_in_the_work(writer: Writer) -> None:
        writer.run("INSERT INTO notes (text) VALUES ('gone')")
        raise Odd("reason")

    with pytest.raises(Odd, match="reason") as caught:
        engine.write(deep_in_the_work)
    assert "deep_in_the_work" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert texts(engine) == []
    engine.write(add("next"))
    assert texts(engine) == ["next"]


def test_even_an_error_that_is_no_exception_reaches_the_caller(engine: Engine):
    def stop(_: Writer) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.write(stop)
    assert engine.write(add("still alive")) == 1


def test_all_writes_run_on_one_thread_that_is_not_the_callers(engine: Engine):
    seen = {engine.write(lambda _: threading.get_ident()) for _ in range(3)}
    assert len(seen) == 1
    assert threading.get_ident() not in seen


def test_no_thread_is_started_before_the_first_write(tmp_path: Path):
    before = threading.active_count()
    with Engine.open(str(tmp_path / "b.db")) as engine:
        engine.read("SELECT 1")
        assert threading.active_count() == before
        engine.write(lambda writer: writer.run(CREATE))
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "inside",
    [
        lambda engine: engine.write(add("nested")),
        lambda engine: engine.read("SELECT 1"),
        lambda engine: engine.close(),
        lambda engine: engine.checkpoint(),
    ],
    ids=["write", "read", "close", "checkpoint"],
)
def test_inside_a_write_the_engine_refuses_instead_of_hanging(engine: Engine, inside):
    with pytest.raises(WrongUse):
        engine.write(lambda _: inside(engine))


def test_writing_inside_a_snapshot_is_refused_instead_of_hanging(engine: Engine):
    with engine.snapshot(), pytest.raises(WrongUse):
        engine.write(add("no"))
    with engine.snapshot(), pytest.raises(WrongUse), engine.snapshot():
        pass
    assert engine.write(add("yes")) == 1


def test_work_that_ends_its_own_transaction_is_an_error_and_no_false_success(engine: Engine):
    with pytest.raises(DiskError):
        engine.write(lambda writer: writer.run("ROLLBACK"))


def test_reading_connections_cannot_write(engine: Engine):
    with pytest.raises(EverselfError):
        engine.read("INSERT INTO notes (text) VALUES ('no')")
    assert texts(engine) == []


def test_a_snapshot_sees_one_moment(engine: Engine):
    engine.write(add("before"))
    with engine.snapshot() as view:
        other = threading.Thread(target=lambda: engine.write(add("during")))
        other.start()
        other.join()
        assert view.rows("SELECT text FROM notes") == [("before",)]
        assert texts(engine) == ["before", "during"]
    assert texts(engine) == ["before", "during"]


def test_many_threads_lose_nothing(engine: Engine):
    def many(name: int) -> None:
        for number in range(20):
            engine.write(add(f"{name}-{number}"))
            engine.read("SELECT count(*) FROM notes")

    threads = [threading.Thread(target=many, args=(name,)) for name in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = texts(engine)
    assert len(found) == 240
    for name in range(12):
        assert [text for text in found if text.startswith(f"{name}-")] == [f"{name}-{number}" for number in range(20)]


def test_two_engines_on_one_file_in_one_process_lose_nothing(engine: Engine):
    with Engine.open(engine.path) as other:

        def many(through: Engine) -> None:
            for number in range(30):
                through.write(add(str(number)))

        threads = [threading.Thread(target=many, args=(through,)) for through in (engine, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(texts(engine)) == len(texts(other)) == 60


def test_a_closed_engine_says_so(engine: Engine):
    engine.close()
    engine.close()
    with pytest.raises(WrongUse):
        engine.write(add("late"))
    with pytest.raises(WrongUse):
        engine.read("SELECT 1")


def test_closing_finishes_what_was_handed_in(engine: Engine):
    begun, go_on = threading.Event(), threading.Event()

    def slow(writer: Writer) -> None:
        begun.set()
        go_on.wait(300)
        writer.run("INSERT INTO notes (text) VALUES ('slow')")

    results: list[int] = []
    first = threading.Thread(target=lambda: engine.write(slow))
    first.start()
    begun.wait(300)
    second = threading.Thread(target=lambda: results.append(engine.write(add("queued"))))
    second.start()
    while engine._worker._jobs.empty():
        pass
    closing = threading.Thread(target=engine.close)
    closing.start()
    go_on.set()
    for thread in (first, second, closing):
        thread.join(300)
        assert not thread.is_alive()
    assert results == [1]
    with Engine.open(engine.path) as again:
        assert texts(again) == ["slow", "queued"]


def test_settings_hold_on_writer_and_readers(engine: Engine):
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "secure_delete": 1,
    }
    for name, value in wanted.items():
        assert engine.read(f"PRAGMA {name}") == [(value,)]
        assert engine.write(lambda writer, name=name: writer.rows(f"PRAGMA {name}")) == [(value,)]


def test_the_log_is_emptied_on_demand_and_gone_after_closing(engine: Engine):
    wal = Path(f"{engine.path}-wal")
    engine.write(add("x" * 10_000))
    assert wal.stat().st_size > 10_000
    assert engine.checkpoint()
    assert wal.stat().st_size == 0
    engine.write(add("y"))
    engine.close()
    assert not wal.exists()


def test_the_log_is_emptied_by_closing_while_another_engine_stays(engine: Engine):
    with Engine.open(engine.path) as other:
        other.write(add("x" * 10_000))
        engine.close()
        assert Path(f"{engine.path}-wal").stat().st_size == 0
        assert texts(other) == ["x" * 10_000]


def test_the_log_stays_bounded_under_many_writes(engine: Engine):
    for number in range(60):
        engine.write(add(f"{number} " + "z" * 200_000))
    assert Path(f"{engine.path}-wal").stat().st_size < 8 * 1024 * 1024


def test_deleted_text_leaves_no_bytes_behind(engine: Engine):
    secret = "the-forgotten-sentence"
    engine.write(add(secret))
    engine.write(lambda writer: writer.run("DELETE FROM notes"))
    engine.checkpoint()
    for path in Path(engine.path).parent.iterdir():
        assert secret.encode() not in path.read_bytes(), path.name


def test_a_file_system_without_shared_memory_works_exclusively(tmp_path: Path, faulty_vfs):
    path = str(tmp_path / "sim.db")
    with Engine.open(path, vfs=faulty_vfs.name, exclusive=True) as engine:
        engine.write(lambda writer: writer.run(CREATE))
        threads = [threading.Thread(target=lambda: engine.write(add("t"))) for _ in range(4)]
        for thread in threads:
            thread.start()
        with engine.snapshot() as view:
            assert view.rows("SELECT count(*) FROM notes") == view.rows("SELECT count(*) FROM notes")
        for thread in threads:
            thread.join()
        assert texts(engine) == ["t"] * 4
        with engine.snapshot(), pytest.raises(WrongUse):
            engine.write(add("no"))
    assert faulty_vfs.calls > 0
    with Engine.open(path) as plainly:
        assert texts(plainly) == ["t"] * 4
