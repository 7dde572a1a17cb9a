"""An index is derived: no backup holds it, and after a restore the next search finds what was restored and nothing else."""

import tarfile
from pathlib import Path

import pytest
from tests.operations.backup.backup_ground import agent_in, make_agent

from everself.operations.backup.create import make_backup
from everself.operations.backup.restore import restore_backup
from everself.runtime import Runtime
from everself.search.factory import index_place
from everself.search.recall import RecallRequest
from everself.testing.embedder import FakeEmbedder

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def opened(home: Path) -> Runtime:
    app = agent_in(home)
    app.__dict__["embedder"] = FakeEmbedder()
    return app


def fill(app: Runtime) -> Path:
    app.index.sync()
    app.index.embed()
    models = Path(app.places.home, "models/toy-1")
    models.mkdir(parents=True, exist_ok=True)
    (models / "manifest.json").write_text("{}")
    place = index_place(app.agent)
    assert Path(place.folder, place.name).exists()
    return Path(place.folder, place.name)


def paths(app: Runtime, query: str) -> list[str]:
    return [hit.path for hit in app.recall.search(RecallRequest(query, recorded=False)).hits if not hit.weak]


def names_in(archive: str) -> set[str]:
    with tarfile.open(archive) as opened_archive:
        return set(opened_archive.getnames())


# where the index lies: beside the state, in a folder of its own, in the very workspace
@pytest.mark.parametrize("where", ["", "away/i.db", ".everself/workspace/.cache/i.db"])
def test_what_was_restored_is_found_and_what_came_later_is_not(tmp_path: Path, where: str) -> None:
    home = tmp_path / "home"
    workspace = make_agent(home)
    if where:
        host = home / ".everself/everself.json5"
        host.write_text(f"{{agents: {{defaults: {{memorySearch: {{store: {{path: '{home / where}'}}}}}}}}}}")
    (workspace / "memory/harbour.md").write_text("# Harbour\n\n- The harbour opens at nine.\n")
    with opened(home) as app:
        index = fill(app)
        (index.parent / f"{index.name}.new-7K3QX9M2ABCD").write_bytes(b"left by a rebuild that was killed")
        archive = make_backup(app, str(tmp_path / "one.tar.gz")).path
    assert not [name for name in names_in(archive) if index.name in name or "models/" in name]
    with opened(home) as app:
        (workspace / "memory/harbour.md").write_text("# Harbour\n\n- The harbour is closed for good.\n")
        (workspace / "memory/later.md").write_text("# Later\n\n- A lighthouse was built.\n")
        assert paths(app, "lighthouse") == ["memory/later.md"]
    restored = opened(home)
    restore_backup(restored, archive, replace=True)
    with restored:
        assert paths(restored, "lighthouse") == []
        hit, *others = restored.recall.search(RecallRequest("when does the harbour open", recorded=False)).hits
        assert all(one.weak for one in others)
        assert "opens at nine" in hit.text
        assert restored.index.verify().differing == ()


def test_a_restore_elsewhere_makes_its_own_index(tmp_path: Path) -> None:
    make_agent(tmp_path / "old")
    with opened(tmp_path / "old") as app:
        index = fill(app)
        archive = make_backup(app, str(tmp_path / "one.tar.gz"), with_key=True).path
    restored = opened(tmp_path / "new")
    restore_backup(restored, archive)
    with restored:
        state = Path(restored.agent.state)
        assert not list(state.glob("index.db*"))
        # somebody copies the old one over: it is of another workspace
        (state / "index.db").write_bytes(index.read_bytes())
        assert paths(restored, "tea") == ["MEMORY.md"]
        assert any("another workspace" in words for words in restored.index.status().notices)
