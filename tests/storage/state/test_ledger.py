"""Row S16: whatever is altered in the audit chain is found."""

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from everself.storage.state.database import open_state
from everself.storage.state.ledger import LedgerHead, LedgerReport
from everself.values import Author, ChangeRecord, digest

KEY = b"a key of thirty-two bytes, about"
ROWS = 24
COLUMNS = ("seq", "change_id", "at", "author", "files", "previous", "mac")


def build(path: str, rows: int, key: bytes = KEY) -> LedgerHead:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with open_state(path, key) as state:
        for number in range(1, rows + 1):
            name = f"memory/{number}.md"
            change = ChangeRecord(
                id=f"C{number:04}",
                at=moment + timedelta(minutes=number),
                author=Author.AGENT,
                reason=f"reason {number}",
                paths=("MEMORY.md", name),
            )
            before = None if number == 1 else digest(f"{number - 1}".encode())
            state.record_change(
                change, [("MEMORY.md", before, digest(f"{number}".encode())), (name, None, digest(b"x"))]
            )
        return state.ledger_head()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, LedgerHead]:
    path = tmp_path_factory.mktemp("ledger") / "state.db"
    return path, build(str(path), ROWS)


@pytest.fixture
def tamper(original, tmp_path: Path):
    """Alter a copy of the ledger as a stranger with the file would, then check it."""
    source, head = original
    path = tmp_path / "state.db"

    def act(*statements: tuple[str, tuple], expected: LedgerHead | None = None) -> LedgerReport:
        shutil.copyfile(source, path)
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("DROP TRIGGER ledger_is_never_updated; DROP TRIGGER ledger_is_never_deleted")
        for sql, params in statements:
            connection.execute(sql, params)
        connection.close()
        with open_state(str(path), KEY) as state:
            return state.verify_ledger(expected)

    act.head = head
    return act


def test_an_untouched_ledger_is_sound(tamper):
    assert tamper(expected=tamper.head) == LedgerReport(ROWS, True)


def damaged(value: object, chance: random.Random) -> object:
    if isinstance(value, int):
        return chance.choice([0, -1, -(2**63), 2**63 - 1, value + ROWS, value - ROWS])
    at = chance.randrange(len(value))
    return chance.choice(
        [
            value[:at] + chr((ord(value[at]) + 1) % 128) + value[at + 1 :],
            value[:at] + value[at + 1 :],
            value[:at] + " " + value[at:],
            value + "\0",
            value.swapcase(),
        ]
    )


def alter_one(tamper, column: str, chance: random.Random) -> None:
    """A random change to one column of a random row; one that changes nothing, or that SQLite refuses, is drawn again."""
    while True:
        seq = chance.randrange(1, ROWS + 1)
        value = tamper.value(seq, column)
        wrong = damaged(value, chance)
        if wrong == value:
            continue
        try:
            report = tamper((f"UPDATE ledger SET {column} = ? WHERE seq = ?", (wrong, seq)))
        except apsw.ConstraintError:
            continue
        assert not report.ok, f"{column} of row {seq}: {value!r} → {wrong!r}"
        assert report.first_bad_seq is not None
        assert report.reason
        return


@pytest.fixture
def reading_tamper(original, tamper):
    connection = apsw.Connection(str(original[0]), flags=apsw.SQLITE_OPEN_READONLY)
    tamper.value = lambda seq, column: connection.execute(f"SELECT {column} FROM ledger WHERE seq = ?", (seq,)).get
    yield tamper
    connection.close()


@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_to_any_column_of_any_row_is_found(reading_tamper, column: str, seed: int):
    chance = random.Random(f"{seed} {column}")
    for _ in range(6):
        alter_one(reading_tamper, column, chance)


@pytest.mark.slow
@pytest.mark.trust
def test_s16_two_hundred_alterations_are_all_found(reading_tamper, seed: int):
    chance = random.Random(seed)
    for _ in range(200):
        alter_one(reading_tamper, chance.choice(COLUMNS), chance)
    print(f"S16: 200 alterations, 0 not found, seed {seed}")


def test_the_first_bad_row_is_named(tamper):
    report = tamper(("UPDATE ledger SET author = 'owner' WHERE seq = 7", ()))
    assert (report.rows, report.first_bad_seq) == (6, 7)


def test_a_removed_row_is_found_wherever_it_was(tamper):
    for seq in (1, 2, 12, ROWS - 1):
        report = tamper(
            ("DELETE FROM changes WHERE id = (SELECT change_id FROM ledger WHERE seq = ?)", (seq,)),
            ("DELETE FROM ledger WHERE seq = ?", (seq,)),
        )
        assert (report.ok, report.first_bad_seq) == (False, seq + 1)


def test_a_removed_row_is_found_when_the_others_close_the_gap(tamper):
    report = tamper(
        ("DELETE FROM changes WHERE id = 'C0005'", ()),
        ("DELETE FROM ledger WHERE seq = 5", ()),
        ("UPDATE ledger SET seq = -(seq - 1) WHERE seq > 5", ()),
        ("UPDATE ledger SET seq = -seq WHERE seq < 0", ()),
    )
    assert (report.ok, report.first_bad_seq) == (False, 5)


def test_exchanged_rows_are_found(tamper):
    report = tamper(
        ("UPDATE ledger SET seq = -1 WHERE seq = 3", ()),
        ("UPDATE ledger SET seq = 3 WHERE seq = 9", ()),
        ("UPDATE ledger SET seq = 9 WHERE seq = -1", ()),
    )
    assert (report.ok, report.first_bad_seq) == (False, 3)


def test_inserted_rows_are_found_at_either_end(tamper):
    for seq in (-(2**63), 0, ROWS + 1, 2**63 - 1):
        report = tamper(
            (
                "INSERT INTO ledger SELECT ?, 'forged', at, author, files, mac, 'forged' FROM ledger WHERE seq = 24",
                (seq,),
            )
        )
        assert (report.ok, report.first_bad_seq) == (False, seq)


def test_text_that_is_no_utf8_is_found_and_no_crash(tamper):
    for column in COLUMNS[1:]:
        report = tamper((f"UPDATE ledger SET {column} = CAST(x'fffe' AS TEXT) WHERE seq = 4", ()))
        assert (report.ok, report.first_bad_seq) == (False, 4)
    report = tamper(("UPDATE changes SET at = CAST(x'fffe' AS TEXT) WHERE id = 'C0004'", ()))
    assert (report.ok, report.first_bad_seq) == (False, 4)


@pytest.mark.parametrize(
    "forgery",
    [
        "author = 'owner'",
        "at = '2020-01-01T00:00:00+00:00'",
        """paths = '["other.md"]'""",
        "paths = '[1]'",
        "paths = '{'",
    ],
)
def test_a_readable_record_that_disagrees_with_the_ledger_is_found(tamper, forgery: str):
    report = tamper((f"UPDATE changes SET {forgery} WHERE id = 'C0008'", ()))
    assert (report.ok, report.first_bad_seq) == (False, 8)


def test_a_record_the_ledger_does_not_know_is_found(tamper):
    report = tamper(("UPDATE changes SET id = 'unheard of' WHERE id = 'C0008'", ()))
    assert not report.ok
    assert "not in the ledger" in report.reason


def test_a_cut_tail_is_found_against_the_head_kept_elsewhere(tamper):
    cut = [("DELETE FROM changes WHERE id > 'C0020'", ()), ("DELETE FROM ledger WHERE seq > 20", ())]
    assert tamper(*cut).ok, "without a head it cannot be seen"
    report = tamper(*cut, expected=tamper.head)
    assert (report.rows, report.ok, report.first_bad_seq) == (20, False, 21)


def test_an_emptied_ledger_is_found_against_the_head_kept_elsewhere(tamper):
    report = tamper(("DELETE FROM changes", ()), ("DELETE FROM ledger", ()), expected=tamper.head)
    assert (report.rows, report.ok, report.first_bad_seq) == (0, False, 1)


def test_a_ledger_that_went_on_since_the_head_was_kept_is_sound(tmp_path: Path):
    path = str(tmp_path / "state.db")
    build(path, 3)
    with open_state(path, KEY) as state:
        head = state.ledger_head()
        change = ChangeRecord("later", datetime(2026, 2, 1, tzinfo=UTC), Author.OWNER, "", ("a.md",))
        state.record_change(change, [("a.md", None, None)])
        assert state.verify_ledger(head) == LedgerReport(4, True)


def test_a_file_rolled_back_and_continued_is_found_against_the_head(tmp_path: Path):
    path, old = tmp_path / "state.db", tmp_path / "old.db"
    build(str(path), 5)
    shutil.copyfile(path, old)

    def go_on(name: str) -> LedgerHead:
        with open_state(str(path), KEY) as state:
            change = ChangeRecord(name, datetime(2026, 2, 1, tzinfo=UTC), Author.OWNER, "", ("a.md",))
            state.record_change(change, [("a.md", None, None)])
            return state.ledger_head()

    head = go_on("the true sixth")
    shutil.copyfile(old, path)
    go_on("another sixth")
    with open_state(str(path), KEY) as state:
        report = state.verify_ledger(head)
    assert (report.ok, report.first_bad_seq) == (False, 6)


def test_a_genuine_row_of_another_history_is_found(tmp_path: Path):
    true, rolled_back = tmp_path / "true.db", tmp_path / "rolled_back.db"
    build(str(true), 5)
    shutil.copyfile(true, rolled_back)
    for path, names in ((true, ("six", "seven")), (rolled_back, ("another six", "another seven"))):
        with open_state(str(path), KEY) as state:
            for name in names:
                change = ChangeRecord(name, datetime(2026, 2, 1, tzinfo=UTC), Author.OWNER, "", ("a.md",))
                state.record_change(change, [("a.md", None, None)])
    connection = apsw.Connection(str(true))
    connection.execute("DROP TRIGGER ledger_is_never_deleted; ATTACH ? AS other", (str(rolled_back),))
    connection.execute("DELETE FROM ledger WHERE seq = 7; DELETE FROM changes WHERE id = 'seven'")
    connection.execute("INSERT INTO ledger SELECT * FROM other.ledger WHERE seq = 7")
    connection.close()
    with open_state(str(true), KEY) as state:
        report = state.verify_ledger()
    assert (report.ok, report.first_bad_seq) == (False, 7)


def test_a_chain_made_with_another_key_is_found(tmp_path: Path):
    path = str(tmp_path / "state.db")
    build(path, 3, key=b"some other key of enough length!")
    with open_state(path, KEY) as state:
        assert state.verify_ledger().first_bad_seq == 1


def test_a_ledger_of_several_pages_is_followed_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("everself.storage.state.database._PAGE", 4)
    path = str(tmp_path / "state.db")
    for rows in (7, 8, 9):
        build(path, rows)
        with open_state(path, KEY) as state:
            assert state.verify_ledger() == LedgerReport(rows, True)
