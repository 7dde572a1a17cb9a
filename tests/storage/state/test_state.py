import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import apsw
import pytest

from everself.errors import Damaged, DiskFull, NotFound, WrongUse
from everself.storage.state.database import State, open_state
from everself.storage.state.ledger import GENESIS, LedgerHead
from everself.values import Author, ChangeRecord, digest

KEY = b"k" * 32
START = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=9)))


def record(
    name: str, *, paths: tuple[str, ...] = ("MEMORY.md",), author: Author = Author.AGENT, **more
) -> ChangeRecord:
    return ChangeRecord(id=name, at=START, author=author, reason=f"because {name}", paths=paths, **more)


def put(state: State, change: ChangeRecord) -> bool:
    return state.record_change(change, [(path, None, digest(b"after")) for path in change.paths])


def ids(changes: list[ChangeRecord]) -> list[str]:
    return [change.id for change in changes]


@pytest.fixture
def state(tmp_path: Path):
    with open_state(str(tmp_path / "state.db"), KEY) as opened:
        yield opened


def test_a_recorded_change_comes_back_as_it_was_and_outlives_the_process(state: State):
    change = ChangeRecord(
        id="7ZZZZZZZZZZ0",
        at=START,
        author=Author.KEEPER,
        reason='She said "네" – done\n',
        paths=("MEMORY.md", "memory/2026-03-01.md"),
        evidence=("e1", "e2"),
        undoes="6ZZZZZZZZZZ0",
    )
    assert put(state, change)
    state.close()
    with open_state(state.engine.path, KEY) as again:
        found = again.find_change(change.id)
        assert found == change
        assert found.at.utcoffset() == timedelta(hours=9)


def test_recording_again_is_no_second_change(state: State):
    assert put(state, record("A1"))
    head = state.ledger_head()
    assert not put(state, record("A1"))
    assert state.ledger_head() == head
    assert ids(state.list_changes()) == ["A1"]


def test_a_forgotten_change_is_not_recorded_again(state: State):
    put(state, record("A1"))
    state.engine.write(lambda writer: writer.run("DELETE FROM changes"))
    assert state.has_change("A1")
    assert not put(state, record("A1"))
    assert state.verify_ledger().ok


def test_a_change_and_its_ledger_row_are_written_together_or_not_at_all(tmp_path: Path, faulty_vfs):
    path = str(tmp_path / "state.db")
    with open_state(path, KEY, vfs=faulty_vfs.name, exclusive=True) as state:
        for nth in range(1, 40):
            faulty_vfs.fail_from = faulty_vfs.calls + nth
            try:
                done = put(state, record(f"A{nth}"))
            except DiskFull:
                done = False
            faulty_vfs.fail_from = 0
            assert state.has_change(f"A{nth}") == done
            assert state.verify_ledger().ok
            if done:
                break
        assert nth > 2
    with open_state(path, KEY) as again:
        assert ids(again.list_changes()) == [f"A{nth}"]


def test_changes_are_found_by_id_prefix_and_last(state: State):
    with pytest.raises(NotFound):
        state.find_change("last")
    for name in ("ABC1", "ABC2", "XYZ1", "ABC"):
        put(state, record(name))
    assert state.find_change("XY").id == "XYZ1"
    assert state.find_change("xyz").id == "XYZ1"
    assert state.find_change("ABC").id == "ABC"
    assert state.find_change("last").id == "ABC"
    with pytest.raises(WrongUse, match="ABC2, ABC1"):
        state.find_change("AB")
    for name in ("Q", "%", "_", "A*", "\ud800"):
        with pytest.raises(NotFound):
            state.find_change(name)
    with pytest.raises(WrongUse):
        state.find_change("")


def test_an_ambiguous_prefix_lists_some_candidates_not_thousands(state: State):
    for number in range(30):
        put(state, record(f"A{number:02}"))
    with pytest.raises(WrongUse) as caught:
        state.find_change("A")
    assert caught.value.detail.count("A") == 11
    assert "and more" in caught.value.detail


def test_changes_are_listed_newest_first_and_filtered(state: State):
    for number in range(6):
        author = Author.OWNER if number % 2 else Author.AGENT
        put(state, record(f"A{number}", paths=("MEMORY.md", f"memory/{number % 3}.md"), author=author))
    assert ids(state.list_changes(2)) == ["A5", "A4"]
    assert ids(state.list_changes(path="memory/1.md")) == ["A4", "A1"]
    assert state.list_changes(path="memory/") == []


def test_commits_follow_later_and_what_is_due_is_listed_oldest_first(state: State):
    for name in ("B", "A", "C"):
        put(state, record(name))
    state.set_commits({"A": "c0ffee", "Z": "unknown"})
    assert state.commit_of("A") == "c0ffee"
    assert state.commit_of("B") is None
    assert ids(state.changes_without_commit()) == ["B", "C"]
    state.set_commits({"A": "decade"})
    assert state.commit_of("A") == "decade"
    with pytest.raises(NotFound):
        state.commit_of("Z")
    assert state.verify_ledger().ok


def test_the_ledger_holds_no_text_and_no_plain_hash(state: State):
    secret = digest(b"a short secret")
    state.record_change(record("A1", paths=("a.md",)), [("a.md", secret, None)])
    ((files, row),) = state.engine.read("SELECT files, change_id || at || author || previous || mac FROM ledger")
    assert secret not in files + row
    assert "because" not in files + row


def test_the_ledger_refuses_updates_and_deletes(state: State):
    put(state, record("A1"))
    for sql in (
        "UPDATE ledger SET author = 'owner'",
        "DELETE FROM ledger",
        "INSERT OR REPLACE INTO ledger SELECT * FROM ledger",
    ):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            state.engine.write(lambda writer, sql=sql: writer.run(sql))
    assert state.verify_ledger().ok


def test_an_empty_ledger_is_sound_and_has_a_head(state: State):
    assert state.ledger_head() == LedgerHead(0, GENESIS)
    assert state.verify_ledger(state.ledger_head()).ok


def test_threads_recording_at_once_make_one_chain(state: State):
    def many(name: int) -> None:
        for number in range(15):
            put(state, record(f"{name}-{number}"))

    threads = [threading.Thread(target=many, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = state.verify_ledger()
    assert (report.rows, report.ok) == (90, True)


def test_processes_recording_at_once_make_one_chain(tmp_path: Path, start, finish):
    script = """
        import sys
        from datetime import UTC, datetime
        from everself.storage.state.database import open_state
        from everself.values import Author, ChangeRecord
        with open_state(sys.argv[1], b"k" * 32, busy_timeout=600) as state:
            for number in range(15):
                # every second id is fought over by all
                name = f"shared-{number}" if number % 2 else f"{sys.argv[2]}-{number}"
                change = ChangeRecord(name, datetime(2026, 3, 1, tzinfo=UTC), Author.AGENT, "why", ("a.md",))
                state.record_change(change, [("a.md", None, "00")])
    """
    path = tmp_path / "state.db"
    for process in [start(script, path, name) for name in range(3)]:
        finish(process)
    with open_state(str(path), KEY) as state:
        report = state.verify_ledger()
    assert (report.rows, report.ok) == (7 + 3 * 8, True)


def test_meta_is_set_and_replaced(state: State):
    assert state.get_meta("a") is None
    state.set_meta("a", "1")
    state.set_meta("a", "2")
    assert state.get_meta("a") == "2"


def test_records_that_make_no_sense_are_refused(state: State):
    naive = ChangeRecord(id="A", at=datetime(2026, 1, 1), author=Author.AGENT, reason="", paths=("a.md",))
    with pytest.raises(WrongUse):
        put(state, naive)
    with pytest.raises(WrongUse):
        state.record_change(record("A", paths=("a.md",)), [("b.md", None, None)])
    with pytest.raises(WrongUse):
        open_state(state.engine.path, b"short")
    assert state.list_changes() == []


def test_odd_characters_do_not_keep_a_change_from_being_recorded(state: State):
    odd = ChangeRecord(
        id="A",
        at=START.astimezone(UTC),
        author=Author.AGENT,
        reason="half \ud800 NUL \x00",
        paths=("n\udcff.md", "'\".md"),
    )
    assert put(state, odd)
    assert state.find_change("A").paths == odd.paths
    assert state.find_change("A").reason == "half ? NUL \x00"
    assert state.verify_ledger().ok


def test_an_unreadable_record_is_damaged(state: State):
    put(state, record("A"))
    state.engine.write(lambda writer: writer.run("UPDATE changes SET author = 'nobody knows'"))
    with pytest.raises(Damaged):
        state.find_change("A")


def test_a_state_opened_for_reading_reads_and_is_not_migrated(state: State, tmp_path: Path):
    put(state, record("A"))
    with open_state(state.engine.path, KEY, read_only=True) as reader:
        assert ids(reader.list_changes()) == ["A"]
        assert reader.verify_ledger().ok
        with pytest.raises(WrongUse):
            put(reader, record("B"))
    blank = tmp_path / "blank.db"
    blank.touch()
    with pytest.raises(WrongUse):
        open_state(str(blank), KEY, read_only=True)
    assert blank.stat().st_size == 0
