from datetime import UTC, datetime
from pathlib import Path

import pytest

import everself.storage.state
from everself.errors import Damaged, DiskFull, NewerSchema
from everself.storage.engine import Engine
from everself.storage.state.migrate import Migration, apply_migrations, load_migrations, plan_migrations

RELEASED = Path(__file__).parent / "released"
KINDS = sorted(path.name for path in (Path(everself.storage.state.__file__).parent / "migrations").iterdir())
DUMPS = sorted(path.name for path in RELEASED.glob("*.sql"))

ONE = Migration(1, "one", "CREATE TABLE one (x TEXT); INSERT INTO one VALUES ('a');")
TWO = Migration(2, "two", "CREATE TABLE two (x TEXT); INSERT INTO two SELECT x FROM one;")
FAILING = Migration(2, "two", "CREATE TABLE two (x TEXT); DELETE FROM one; INSERT INTO nowhere VALUES (1);")


@pytest.fixture
def engine(tmp_path: Path):
    with Engine.open(str(tmp_path / "a.db")) as opened:
        yield opened


def schema(engine: Engine) -> list[tuple[str, str]]:
    return engine.read("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name")


def test_a_blank_database_gets_every_migration_with_its_record(engine: Engine):
    moment = datetime(2026, 8, 1, 12, tzinfo=UTC)
    assert apply_migrations(engine, [ONE, TWO], now=lambda: moment) == (1, 2)
    assert engine.read("SELECT * FROM two") == [("a",)]
    assert engine.read("SELECT number, name, applied_at, sha256 FROM schema_migrations") == [
        (1, "one", "2026-08-01T12:00:00+00:00", ONE.sha256),
        (2, "two", "2026-08-01T12:00:00+00:00", TWO.sha256),
    ]


def test_only_what_is_missing_is_applied(engine: Engine):
    apply_migrations(engine, [ONE])
    assert plan_migrations(engine, [ONE, TWO]) == (TWO,)
    assert apply_migrations(engine, [ONE, TWO]) == (2,)
    assert apply_migrations(engine, [ONE, TWO]) == ()


def test_a_failing_migration_leaves_the_version_before_it(engine: Engine):
    with pytest.raises(Damaged):
        apply_migrations(engine, [ONE, FAILING])
    assert engine.read("SELECT number FROM schema_migrations") == [(1,)]
    assert engine.read("SELECT x FROM one") == [("a",)]
    assert "two" not in dict(schema(engine))
    assert apply_migrations(engine, [ONE, TWO]) == (2,)


def test_a_disk_that_fails_anywhere_leaves_the_version_before_it(tmp_path: Path, faulty_vfs):
    for nth in range(1, 60):
        path = str(tmp_path / f"{nth}.db")
        with Engine.open(path, vfs=faulty_vfs.name, exclusive=True) as engine:
            apply_migrations(engine, [ONE])
            faulty_vfs.fail_from = faulty_vfs.calls + nth
            try:
                applied = apply_migrations(engine, [ONE, TWO])
            except DiskFull:
                applied = ()
            faulty_vfs.fail_from = 0
        with Engine.open(path) as again:
            numbers = [number for (number,) in again.read("SELECT number FROM schema_migrations")]
            assert numbers == [1, *applied]
            assert ("two" in dict(schema(again))) == (applied == (2,))
        if applied:
            break
    assert nth > 3


def test_a_newer_database_is_not_touched(engine: Engine):
    apply_migrations(engine, [ONE, TWO])
    before = schema(engine)
    with pytest.raises(NewerSchema) as caught:
        apply_migrations(engine, [ONE])
    assert caught.value.mend == "Update Everself."
    assert schema(engine) == before


def test_a_migration_whose_text_changed_is_found(engine: Engine):
    apply_migrations(engine, [ONE])
    with pytest.raises(Damaged):
        apply_migrations(engine, [Migration(1, "one", ONE.sql + " "), TWO])
    with pytest.raises(Damaged):
        apply_migrations(engine, [Migration(1, "renamed", ONE.sql), TWO])


def test_a_record_missing_in_the_middle_is_found(engine: Engine):
    apply_migrations(engine, [ONE, TWO])
    engine.write(lambda writer: writer.run("DELETE FROM schema_migrations WHERE number = 1"))
    with pytest.raises(Damaged):
        plan_migrations(engine, [ONE, TWO])


def test_somebody_elses_database_is_not_taken_over(engine: Engine):
    engine.write(lambda writer: writer.run("CREATE TABLE recipes (x)"))
    with pytest.raises(Damaged):
        apply_migrations(engine, [ONE])
    assert [name for name, _ in schema(engine)] == ["recipes"]


def test_a_rival_that_was_faster_between_plan_and_write_is_noticed(engine: Engine, monkeypatch: pytest.MonkeyPatch):
    write = engine.write
    with Engine.open(engine.path) as rival:

        def write_late(work):
            apply_migrations(rival, [ONE, TWO])
            return write(work)

        monkeypatch.setattr(engine, "write", write_late)
        assert apply_migrations(engine, [ONE, TWO]) == ()
    assert engine.read("SELECT x FROM one") == [("a",)]


def test_processes_that_open_a_blank_database_at_once_agree(tmp_path: Path, start, finish):
    script = """
        import sys
        from everself.storage.engine import Engine
        from everself.storage.state.migrate import apply_migrations, load_migrations
        sys.stdin.readline()
        with Engine.open(sys.argv[1], busy_timeout=600) as engine:
            print(len(apply_migrations(engine, load_migrations("state"))))
    """
    processes = [start(script, tmp_path / "state.db") for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(finish(process)) for process in processes) == len(load_migrations("state"))


@pytest.mark.parametrize("name", DUMPS)
def test_every_released_schema_migrates_to_what_a_blank_database_gets(tmp_path: Path, name: str):
    kind, number = name.removesuffix(".sql").rsplit("_", 1)
    old, blank = str(tmp_path / "old.db"), str(tmp_path / "blank.db")
    known = load_migrations(kind)
    with Engine.open(old) as upgraded, Engine.open(blank) as fresh:
        upgraded.write(lambda writer: writer.run((RELEASED / name).read_text(encoding="utf-8")))
        tables = [table for (table,) in upgraded.read("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {table: upgraded.read(f"SELECT count(*) FROM {table}")[0][0] for table in tables}
        assert all(rows.values()), "a dump without rows shows little"
        assert apply_migrations(upgraded, known) == tuple(range(int(number) + 1, len(known) + 1))
        apply_migrations(fresh, known)
        assert schema(upgraded) == schema(fresh)
        assert upgraded.read("PRAGMA integrity_check") == [("ok",)]
        assert upgraded.read("PRAGMA foreign_key_check") == []


def test_every_migration_has_the_dump_of_its_release():
    wanted = [f"{kind}_{migration.number:04}.sql" for kind in KINDS for migration in load_migrations(kind)]
    assert wanted == DUMPS, "make the missing dump with tests/store/released/dump.py"


@pytest.mark.parametrize("kind", KINDS)
def test_every_migration_begins_with_its_reason(kind: str):
    for migration in load_migrations(kind):
        assert migration.sql.startswith("-- Why: "), migration.name
