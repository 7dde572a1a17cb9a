"""Doctor looks at the index from outside: says what is wrong and what mends it, and leaves no trace unless asked."""

import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from tests.operations.doctor.doctoring import STATE, codes, found, run, settle_in, snapshot, write

from everself.agent import open_runtime
from everself.config.installation import install_command
from everself.models.embedding import local
from everself.operations.doctor import DoctorReport, examine
from everself.operations.doctor import index as checks
from everself.storage.lock import FileLock
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

_kept = TemporaryDirectory()
INDEX = f"{STATE}/index.db"
HOST = ".everself/everself.json5"


@cache
def _indexed() -> str:
    top = Path(_kept.name, "indexed")
    workspace = settle_in(top)
    write(workspace / "memory/2026-03-19.md", "# Log\n\n## [08:00:00] a\n\nAnna likes tea.\n")
    update(top)
    return str(top)


def update(home: Path, *, embed: bool = True) -> None:
    with open_runtime(environ={"HOME": str(home)}) as app:
        app.__dict__["embedder"] = FakeEmbedder()
        app.index.sync()
        if embed:
            app.index.embed()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An agent with an index about which doctor has nothing to say."""
    shutil.copytree(_indexed(), tmp_path, symlinks=True, dirs_exist_ok=True)
    # a copy has other inodes and times
    update(tmp_path)
    return tmp_path


def look(home: Path, *, fix: bool = False) -> DoctorReport:
    return examine(environ={"HOME": str(home)}, fix=fix)


def about_index(report: DoctorReport) -> set[str]:
    return {code for code in codes(report) if code.startswith("index")}


def test_a_good_index_is_not_spoken_of_and_not_touched(home: Path) -> None:
    before = snapshot(home)
    assert look(home).findings == ()
    assert snapshot(home) == before


def test_where_there_is_no_index_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    settle_in(tmp_path)
    code = (
        "import sys; from everself.operations.doctor import examine; report = examine(environ={'HOME': sys.argv[1]})\n"
        "assert not report.findings, report\n"
        "sys.exit(any(name in sys.modules for name in ('everself.search.index_file.rows', 'everself.search.index', 'numpy')))"
    )
    done = run("-c", code, str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_looking_at_an_index_loads_no_numpy(home: Path) -> None:
    code = (
        "import sys; from everself.operations.doctor import examine; examine(environ={'HOME': sys.argv[1]})\n"
        "assert 'everself.search.index_file.header' in sys.modules\n"
        "sys.exit('numpy' in sys.modules)"
    )
    done = run("-c", code, str(home))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("data", [b"", b"nothing like a database" * 999])
def test_one_that_cannot_be_read_is_said_and_left_to_a_search(home: Path, data: bytes) -> None:
    (home / INDEX).write_bytes(data)
    before = snapshot(home)
    finding = found(look(home), "index-broken")
    assert "the next search rebuilds it" in finding.message
    assert finding.mend == "everself memory rebuild"
    assert snapshot(home) == before


def test_a_header_that_was_changed_is_noticed(home: Path) -> None:
    connection = apsw.Connection(str(home / INDEX))
    connection.execute("UPDATE header SET data = zeroblob(200)")
    connection.close()
    assert about_index(look(home)) == {"index-broken"}


def test_one_of_another_workspace_is_noticed(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    settle_in(other)
    shutil.copy(home / INDEX, other / INDEX)
    assert found(look(other), "index-foreign").mend == "everself memory rebuild"


def test_a_few_changed_documents_are_daily_life_and_many_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = home / ".everself/workspace/memory"
    (memory / "2026-03-19.md").unlink()
    write(memory / "2026-03-20.md", "# Log\n\n## [08:00:00] a\n\nAnna left.\n")
    assert about_index(look(home)) == set()
    monkeypatch.setattr(checks, "MANY_STALE", 1)
    finding = found(look(home), "index-stale")
    assert "2 documents" in finding.message
    assert finding.mend == "everself memory index"


def test_pieces_without_a_vector_are_told_unless_nobody_wants_vectors(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / INDEX).unlink()
    update(home, embed=False)
    finding = found(look(home), "index-pending")
    assert "1 chunk." in finding.message
    assert finding.mend == "everself memory index"
    with monkeypatch.context() as patch:
        patch.setattr(checks, "MOST_CHUNKS", 0)
        assert about_index(look(home)) == set()
    write(home / HOST, "{agents: {defaults: {userTimezone: 'Europe/Berlin', memorySearch: {provider: 'none'}}}}")
    assert about_index(look(home)) == set()


def test_the_better_model_is_offered_where_it_is_missing_and_would_be_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "has_quality", lambda: True)
    assert not [one for one in look(home).findings if one.code == "search-better"]
    monkeypatch.setattr(local, "has_quality", lambda: False)
    offer = found(look(home), "search-better")
    assert (offer.mend, offer.severity) == (install_command("quality"), "note")
    write(home / HOST, "{agents: {defaults: {userTimezone: 'Europe/Berlin', memorySearch: {model: 'use'}}}}")
    assert not [one for one in look(home).findings if one.code == "search-better"]


def test_what_a_killed_rebuild_left_is_told_and_removed_when_asked(home: Path) -> None:
    for ending in ("", "-journal"):
        write(home / f"{INDEX}.new-7K3QX9M2ABCD{ending}", b"half an index")
    with FileLock(str(home / f"{INDEX}.lock")).hold():
        # somebody is at it
        assert about_index(look(home)) == set()
    before = snapshot(home)
    assert found(look(home), "index-left").fixable
    assert snapshot(home) == before
    report = look(home, fix=True)
    assert [one.code for one in report.fixed] == ["index-left"]
    assert list(home.rglob("index.db.new-*")) == []
    assert (home / INDEX).exists()


def test_an_index_elsewhere_is_looked_at_like_the_usual_one(home: Path) -> None:
    away = home / "away"
    host = (
        f"{{agents: {{defaults: {{userTimezone: 'Europe/Berlin', memorySearch: {{store: {{path: '{away}/i.db'}}}}}}}}}}"
    )
    write(home / HOST, host)
    finding = found(look(home), "index-unused")
    assert finding.path == str(home / INDEX)
    assert [one.code for one in look(home, fix=True).fixed] == ["index-unused"]
    assert not (home / INDEX).exists()
    update(home)
    assert about_index(look(home)) == set()
    (away / "i.db").chmod(0o644)
    exposed = found(look(home), "open-to-others")
    assert "of the index" in exposed.message
    assert [one.code for one in look(home, fix=True).fixed] == ["open-to-others"]
    assert (away / "i.db").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = home / "away"
    away.mkdir(mode=0o700)
    host = (
        f"{{agents: {{defaults: {{userTimezone: 'Europe/Berlin', memorySearch: {{store: {{path: '{away}/i.db'}}}}}}}}}}"
    )
    write(home / HOST, host)
    assert "index-in-memory" not in codes(look(home))
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, *a, **b: path != str(away) and real(path, *a, **b))
    assert "kept in memory" in found(look(home), "index-in-memory").message


def test_where_search_is_switched_off_only_leftovers_count(home: Path) -> None:
    write(home / HOST, "{agents: {defaults: {userTimezone: 'Europe/Berlin', memorySearch: {enabled: false}}}}")
    (home / INDEX).write_bytes(b"broken")
    assert about_index(look(home)) == set()
