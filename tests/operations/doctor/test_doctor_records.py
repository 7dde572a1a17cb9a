"""Doctor on locks, journals, databases and histories, and what `fix` mends: only what is safe, and seen to have worked."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.operations.changes import Changes
from tests.operations.doctor.doctoring import STATE, codes, found, settle_in, snapshot, write

from everself.agent import open_runtime
from everself.clock import system_now
from everself.operations.doctor import examination, examine, records, state_reading
from everself.storage.state.migrate import Migration, load_migrations
from everself.values import Append, Author, Change

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

HOLDS = """
import sys
from everself.storage.lock import FileLock
with FileLock(sys.argv[1]).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def workspace(home: Path) -> Path:
    return settle_in(home)


@pytest.fixture
def state(workspace: Path, home: Path) -> Path:
    assert workspace.is_dir()
    return home / STATE


def _remember(text: bytes = b"- likes tea\n") -> None:
    with open_runtime() as app:
        app.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", text),)))


@contextmanager
def _held(lock: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDS, str(lock)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "held\n"
            yield child
        finally:
            child.kill()


def _tamper(state: Path, *statements: str) -> None:
    connection = apsw.Connection(str(state / "state.db"))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def test_a_change_cut_off_half_way_is_said_and_completed_by_fix(home: Path) -> None:
    workspace = settle_in(home, "half")
    before = snapshot(home)
    finding = found(examine(), "changes-interrupted")
    assert snapshot(home) == before
    assert "1 change to MEMORY.md" in finding.message
    assert "died while writing" in finding.message
    report = examine(fix=True)
    assert "changes-interrupted" in [one.code for one in report.fixed]
    assert report.findings == ()
    assert (workspace / "MEMORY.md").read_bytes().count(b"- likes tea\n") == 1


def test_a_change_the_history_waits_for_is_said_and_drained_by_fix(home: Path) -> None:
    settle_in(home, "early")
    before = snapshot(home)
    assert "1 change" in found(examine(), "changes-waiting").message
    assert snapshot(home) == before
    report = examine(fix=True)
    assert [one.code for one in report.fixed] == ["changes-waiting"]
    assert report.findings == ()
    with open_runtime() as app:
        assert "+- likes tea" in Changes(app.workspace).show("last").diff


def test_torn_notes_of_the_journal_are_told_apart(state: Path) -> None:
    write(state / "journal/00000007-ABCDEFGHJKMN.intent", b"everself-int")
    write(state / "journal/00000008-ABCDEFGHJKMP.done", b"everself-int")
    assert found(examine(), "intent-torn").fixable
    report = examine(fix=True)
    assert [one.code for one in report.fixed] == ["journal-damaged", "intent-torn"]
    assert len(list((state / "damaged").rglob("00000008-ABCDEFGHJKMP.done"))) == 1


def test_leftovers_go_when_their_text_is_kept_elsewhere_and_stay_otherwise(workspace: Path) -> None:
    old = (workspace / "USER.md").read_bytes()
    (workspace / "USER.md").write_text("new\n")
    known = [
        write(workspace / ".everself-ABCDEFGHJKMN-0", old),
        write(workspace / "memory/.everself-ABCDEFGHJKMP-1", b"new\n"),
        write(workspace / ".everself-ABCDEFGHJKMQ-0", b""),
    ]
    unique = [
        write(workspace / ".everself-ABCDEFGHJKMR-0", b"only here\n"),
        write(workspace / ".everself-mine", b"new\n"),
    ]
    report = examine()
    assert found(report, "temporary-left").fixable
    assert {one.path for one in report.findings if one.code == "temporary-unique"} == {path.name for path in unique}
    mended = examine(fix=True)
    assert [one.code for one in mended.fixed] == ["temporary-left"]
    assert [path.exists() for path in known] == [False] * 3
    assert [path.read_bytes() for path in unique] == [b"only here\n", b"new\n"]


def test_leftovers_of_a_change_that_is_still_open_are_its_own(home: Path) -> None:
    workspace, state = settle_in(home, "half"), home / STATE
    identity = next((state / "journal").iterdir()).name.partition("-")[2].removesuffix(".intent")
    write(workspace / f".everself-{identity}-0", b"half")
    assert "temporary-unique" not in codes(examine())


def test_who_holds_the_lock_is_said(state: Path) -> None:
    with _held(state / "write.lock") as child:
        finding = found(examine(), "lock-held")
        assert finding.severity == "note"
        assert f"Process {child.pid}" in finding.message
        os.kill(child.pid, signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        finding = found(examine(), "lock-stopped")
        assert finding.severity == "warning"
        assert f"kill -9 {child.pid}" in finding.mend
    assert codes(examine()) == set()


def test_a_change_under_way_is_not_called_interrupted(home: Path) -> None:
    settle_in(home, "half")
    with _held(home / STATE / "write.lock"):
        assert "changes-interrupted" not in codes(examine())


def test_mending_takes_rights_from_others_only(workspace: Path, home: Path) -> None:
    script = write(workspace / "tool.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    (workspace / "memory").chmod(0o777)
    (home / ".everself/everself.json5").chmod(0o644)
    secrets = write(home / ".everself/secrets.json", "{}")
    secrets.chmod(0o640)
    before = {path: content for path, (content, *_) in snapshot(workspace).items()}
    assert found(examine(), "secrets-readable").severity == "error"
    report = examine(fix=True)
    assert report.findings == ()
    assert {one.code for one in report.fixed} == {"open-to-others", "secrets-readable"}
    assert [path.stat().st_mode & 0o777 for path in (script, workspace / "memory", secrets)] == [0o700, 0o700, 0o600]
    assert {path: content for path, (content, *_) in snapshot(workspace).items()} == before


def test_fix_changes_nothing_where_nothing_can_be_mended(workspace: Path, home: Path) -> None:
    (workspace / "SOUL.md").write_bytes(b"\0\xff")
    before = snapshot(home)
    report = examine(fix=True)
    assert report.fixed == ()
    assert {"text-nul", "text-utf8"} <= codes(report)
    assert snapshot(home) == before


def test_a_lost_key_is_an_error_and_fix_makes_no_new_one(home: Path) -> None:
    settle_in(home, "half")
    key = home / ".config/everself/integrity.key"
    key.rename(home / "kept")
    report = examine(fix=True)
    assert found(report, "key-missing").severity == "error"
    assert "changes-interrupted" in codes(report)
    assert not key.exists()


def test_another_key_does_not_vouch_for_the_ledger(state: Path, home: Path) -> None:
    assert state.is_dir()
    write(home / ".config/everself/integrity.key", "ab" * 32 + "\n")
    assert "row 1" in found(examine(), "ledger-broken").message


@pytest.mark.parametrize("whole", [5_000, 0], ids=["whole", "tail"])
def test_an_altered_ledger_is_found(state: Path, monkeypatch: pytest.MonkeyPatch, whole: int) -> None:
    monkeypatch.setattr(records, "WHOLE_LEDGER", whole)
    for number in range(3):
        _remember(b"- note %d\n" % number)
    assert codes(examine()) == set()
    _tamper(state, "DROP TRIGGER ledger_is_never_updated", "UPDATE ledger SET author = 'agent' WHERE seq = 3")
    assert "row 3" in found(examine(), "ledger-broken").message


def test_a_database_of_another_version_is_said(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = load_migrations("state")
    newer = (*known, Migration(len(known) + 1, "more", "CREATE TABLE more (x)"))
    monkeypatch.setattr(state_reading, "load_migrations", lambda _: newer)
    assert found(examine(), "database-older").fixable
    monkeypatch.undo()
    _tamper(state, "INSERT INTO schema_migrations VALUES (99, 'later', '', '')")
    finding = found(examine(), "database-newer")
    assert "newer version" in finding.message
    assert finding.mend == "Update Everself."


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda _: b"", "database-missing"),
        (lambda _: b"garbage" * 1_000, "database-broken"),
        (lambda data: data[: len(data) // 2], "database-broken"),
    ],
    ids=["empty", "garbage", "cut"],
)
def test_a_damaged_database_is_said_and_set_aside_by_fix_alone(
    state: Path, home: Path, damage: object, code: str
) -> None:
    assert callable(damage)
    path = state / "state.db"
    path.write_bytes(damage(path.read_bytes()))
    data = path.read_bytes()
    before = snapshot(home)
    finding = found(examine(), code)
    assert finding.severity == "error"
    assert "restore" in finding.mend.lower()
    assert snapshot(home) == before
    report = examine(fix=True)
    assert code in {one.code for one in report.fixed}
    assert "rebuilt" in found(report, "damage-set-aside").message
    assert [one.read_bytes() for one in (state / "damaged").rglob("state.db")] == [data]
    with open_runtime() as app:
        assert [one.reason for one in Changes(app.workspace).log()] == ["setup"]


def test_a_database_without_its_columns_is_damaged(state: Path) -> None:
    _tamper(state, "DROP TABLE changes")
    assert "lacks changes.at" in found(examine(), "database-broken").message


def test_a_restored_copy_is_read_and_keeps_its_mode(state: Path, home: Path) -> None:
    _tamper(state, "PRAGMA journal_mode=DELETE")
    before = snapshot(home)
    assert codes(examine()) == set()
    assert snapshot(home) == before


def test_a_log_that_lost_its_index_is_merged_by_fix(home: Path) -> None:
    settle_in(home, "early")
    state = home / STATE
    (state / "state.db-shm").unlink()
    assert found(examine(), "database-unmerged").fixable
    assert not (state / "state.db-shm").exists()
    report = examine(fix=True)
    assert "database-unmerged" in [one.code for one in report.fixed]
    assert report.findings == ()


def test_a_log_that_has_grown_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle_in(home, "early")
    monkeypatch.setattr(records, "LARGE_LOG", 10)
    assert found(examine(), "database-log").severity == "warning"


def test_a_clock_behind_the_newest_change_is_noticed(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state.is_dir()
    monkeypatch.setattr(examination, "system_now", lambda: system_now() - timedelta(days=1))
    assert "yet to come" in found(examine(), "clock-skew").message


def test_a_lost_history_is_an_error(state: Path) -> None:
    (state / "history.git").rename(state / "away")
    assert found(examine(), "history-missing").severity == "error"


def test_a_history_of_many_loose_objects_says_how_to_pack_it(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MANY_OBJECTS", 100)
    write(state / f"history.git/objects/17/{'0' * 38}", b"")
    assert found(examine(), "history-loose").mend == f"git --git-dir={state}/history.git gc"


@pytest.mark.slow
def test_whatever_is_damaged_is_said_and_never_raised(tmp_path: Path, seed: int) -> None:
    for number in range(60):
        chance = random.Random(f"{seed}/{number}")
        home = tmp_path / str(number)
        settle_in(home)
        files = sorted(path for path in home.rglob("*") if path.is_file())
        target = home / STATE / "state.db" if chance.random() < 0.6 else chance.choice(files)
        data = bytearray(target.read_bytes() or b"x")
        for _ in range(chance.choice((1, 5, 100))):
            start = chance.randrange(len(data))
            data[start : start + chance.randrange(1, 64)] = chance.randbytes(chance.randrange(1, 64))
        target.write_bytes(data)
        before = snapshot(home)
        report = examine(environ={"HOME": str(home)})
        assert all(finding.mend for finding in report.findings), (seed, number)
        assert snapshot(home) == before, (seed, number)
