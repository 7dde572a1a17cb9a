"""A backup that an earlier version made opens with this one: it is read, searched, undone and forgotten in like its own.

Each backup here was made once by `make_backup.py` with the source of its version, and is kept from then on.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.operations.changes import Changes

from everself.agent import Agent, open_runtime
from everself.errors import NewerSchema
from everself.memory.forgetting.proof import Target
from everself.operations.backup.restore import restore_backup
from everself.operations.doctor import examine
from everself.runtime import Runtime
from everself.storage.state.migrate import load_migrations

HERE = Path(__file__).parent
BACKUPS = sorted(HERE.glob("*.tar.gz"))
MARK = "marzipan"

pytestmark = pytest.mark.slow


@pytest.fixture(params=BACKUPS, ids=lambda path: path.name.partition(".")[0])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runtime]:
    environ = {"HOME": str(tmp_path), "EVERSELF_KEYS": str(tmp_path / "keys")}
    restored = open_runtime(environ=environ)
    assert restore_backup(restored, str(request.param)).notices == ()
    with open_runtime(environ=environ) as opened:
        yield opened


def test_there_is_a_backup_to_upgrade_from() -> None:
    assert [path.name for path in BACKUPS][:1] == ["efabb34.tar.gz"]


def test_everything_is_there_and_said_by_whom_it_was_said(app: Runtime) -> None:
    found = {entry.text: entry for entry in app.memory.catalog.all()}
    assert app.impaired is None
    for text in ("I drink green tea in the morning", "My sister Ana lives in Porto", f"The code word is {MARK}"):
        assert (found[text].source, found[text].vouched) == ("owner", True), text
    assert found["I drink green tea in the morning"].path == "MEMORY.md"
    assert found["I live in Berlin"].until is not None
    assert found["I live in Oslo"].source == "correction"
    assert "This was said by mistake" not in found
    assert app.state.verify_ledger().ok
    assert len(app.log.list()) == 2
    assert [one.status for one in app.growth.open()] == ["open"]


def test_it_is_searched(app: Runtime) -> None:
    assert any("Porto" in hit.text for hit in Agent(app, fresh=False).search("where does Ana live").hits)
    assert "I live in Oslo" in Agent(app, fresh=False).context("where do I live").text


def test_changes_of_before_are_shown_and_undone(app: Runtime) -> None:
    records = Changes(app.workspace).log(100)
    assert {"setup", "remember"} <= {record.reason for record in records}
    for record in records:
        assert Changes(app.workspace).show(record.id).diff, record.reason
    added = next(one for one in records if f"+The code word is {MARK}" in Changes(app.workspace).show(one.id).diff)
    assert Changes(app.workspace).undo(added.id).applied
    assert all(MARK not in entry.text for entry in app.memory.catalog.all())


def test_what_was_said_before_is_forgotten_everywhere(app: Runtime) -> None:
    (entry,) = [one for one in app.memory.catalog.all() if MARK in one.text]
    proof = app.forgetting.carry_out(app.forgetting.plan(Target(ids=(entry.id,))))
    assert proof.gone
    app.close()
    told = subprocess.run(
        ["git", f"--git-dir={app.agent.state}/history.git", "log", "-p", "--all"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert MARK not in told.stdout
    for path in (*Path(app.agent.workspace).rglob("*"), *Path(app.agent.state).rglob("*")):
        assert not path.is_file() or MARK.encode() not in path.read_bytes(), path


def test_doctor_finds_no_fault_with_it(app: Runtime) -> None:
    app.close()
    environ = {"HOME": str(Path(app.places.home).parent), "EVERSELF_KEYS": app.places.key_folder}
    found = examine(environ=environ)
    assert [one for one in found.findings if one.severity == "error"] == []


def test_a_database_of_a_later_version_is_refused_in_words(app: Runtime) -> None:
    app.close()
    newest = len(load_migrations("state"))
    connection = apsw.Connection(f"{app.agent.state}/state.db")
    connection.execute("INSERT INTO schema_migrations VALUES (?, 'later', '2030-01-01', 'x')", (newest + 1,))
    connection.close()
    environ = {"HOME": str(Path(app.places.home).parent), "EVERSELF_KEYS": app.places.key_folder}
    with pytest.raises(NewerSchema) as raised, open_runtime(environ=environ) as later:
        later.memory.catalog.all()
    assert str(raised.value).startswith("This database was written by a newer version of Everself.")
    assert f"schema {newest + 1}; this version knows {newest}" in str(raised.value)
    assert raised.value.mend == "Update Everself."
