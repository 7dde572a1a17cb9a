"""A process that lives long keeps its index fresh by itself: soon after files change, in one go, and without a word to its caller."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.search.index.world import World, make_world

from everself.agent import Agent, open_runtime
from everself.clock import monotonic, pause
from everself.errors import DiskFull
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.freshness import Freshness
from everself.search.index import Index
from everself.search.sync.sync import SyncReport
from everself.testing.embedder import FakeEmbedder

# the watcher and the embedder are waited for
pytestmark = pytest.mark.slow

# Many times what it should ever take: a test ends with words, not with a hang.
PATIENCE = 300.0


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[SyncReport]:
    """What every sync reported, in order."""
    seen: list[SyncReport] = []
    sync = Index.sync

    def listen(self: Index) -> SyncReport:
        report = sync(self)
        seen.append(report)
        return report

    monkeypatch.setattr(Index, "sync", listen)
    return seen


def wait_for(what: Callable[[], object]) -> None:
    end = monotonic() + PATIENCE
    while not what():
        assert monotonic() < end, "it did not happen"
        pause(0.01)


def threads() -> set[str]:
    ours = {"everself-embedding", "everself-freshness"}
    return ours & {thread.name for thread in threading.enumerate()}


def test_what_is_written_is_indexed_and_embedded_without_a_search(world: World, syncs: list[SyncReport]) -> None:
    index = world.index(FakeEmbedder())
    fresh = Freshness(index, str(world.files), 50)
    fresh.start(embed=True)
    fresh.start(embed=True)
    wait_for(lambda: syncs)
    world.write("memory/a.md", "anna likes tea\n")
    wait_for(lambda: index.view(fresh=False).embedded == 1)
    world.remove("memory/a.md")
    wait_for(lambda: index.view(fresh=False).documents == {})
    assert sorted(threads()) == ["everself-embedding", "everself-freshness"]
    fresh.stop()
    index.close()
    assert threads() == set()
    fresh.start(embed=True)
    assert threads() == set()


def test_a_burst_of_files_is_read_in_few_goes(world: World, syncs: list[SyncReport]) -> None:
    index = world.index()
    fresh = Freshness(index, str(world.files), 100)
    fresh.start(embed=False)
    wait_for(lambda: syncs)
    for number in range(500):
        world.write(f"memory/{number}.md", f"anna saw {number} birds\n")
    wait_for(lambda: len(index.view(fresh=False).documents) == 500)
    fresh.stop()
    assert sum(report.read for report in syncs) == 500
    # one at the start, and then waiting for calm: not one a file
    assert len(syncs) < 50
    assert fresh.trouble == ""


def test_whoever_else_reads_these_files_is_told_after_the_index(world: World) -> None:
    index = world.index()
    told: list[int] = []
    fresh = Freshness(index, str(world.files), 50, also=lambda: told.append(len(index.view(fresh=False).documents)))
    fresh.start(embed=False)
    wait_for(lambda: told)
    world.write("memory/a.md", "anna likes tea\n")
    wait_for(lambda: told[-1] == 1)
    fresh.stop()


def test_trouble_is_kept_in_words_and_ends_with_the_next_success(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    index = world.index()
    fresh = Freshness(index, str(world.files), 50)
    with monkeypatch.context() as patch:

        def fail(_self: Index) -> None:
            raise DiskFull("(index.db)")

        patch.setattr(Index, "sync", fail)
        fresh.start(embed=False)
        wait_for(lambda: "disk is full" in fresh.trouble)
    world.write("memory/a.md", "anna\n")
    wait_for(lambda: not fresh.trouble)
    assert len(index.view(fresh=False).documents) == 1
    fresh.stop()


def test_what_an_editor_saved_is_in_the_catalog_without_a_list(app: Runtime) -> None:
    app.keep_index_fresh()
    file = Path(app.agent.workspace) / "MEMORY.md"
    file.write_text("# Memory\n\n- The harbour opens at ten.\n")
    wait_for(lambda: any(one.path == "MEMORY.md" for one in app.state.entries.all_rows()))


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with open_runtime(environ={"HOME": str(tmp_path)}) as made:
        set_up(made)
        made.__dict__["embedder"] = FakeEmbedder()
        yield made
    assert threads() == set()


def test_an_app_keeps_its_index_fresh_until_it_is_closed(app: Runtime) -> None:
    app.keep_index_fresh()
    app.keep_index_fresh()
    Agent(app, fresh=False).remember("The harbour opens at nine.")
    wait_for(lambda: app.index.view(fresh=False).embedded)
    assert threads() >= {"everself-embedding", "everself-freshness"}


def test_nothing_is_spent_unless_somebody_agreed(app: Runtime) -> None:
    app.__dict__["embedder"] = FakeEmbedder(paid=True)
    app.keep_index_fresh()
    assert "everself-embedding" not in threads()
    app.keep_index_fresh(paid=True)
    assert "everself-embedding" in threads()


def test_where_search_is_switched_off_nothing_is_started(tmp_path: Path) -> None:
    host = tmp_path / ".everself/everself.json5"
    host.parent.mkdir()
    host.write_text("{agents: {defaults: {memorySearch: {enabled: false}}}}")
    with open_runtime(environ={"HOME": str(tmp_path)}) as app:
        set_up(app)
        app.keep_index_fresh()
        assert threads() == set()
