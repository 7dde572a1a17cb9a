"""The first search of a large memory does not wait until all of it is indexed: what may hold the answer is read first."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.search.index.world import World, make_world

from everself.search.sync import first_reading, sync
from everself.search.sync.first_reading import Hurry, by_promise
from everself.testing.embedder import FakeEmbedder
from everself.values import Document


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Forty new files, of which any are many."""
    monkeypatch.setattr(sync, "LITTLE", 0)
    monkeypatch.setattr(sync, "LEAST", 0)
    with make_world(tmp_path) as made:
        for at in range(40):
            made.write(f"memory/2026-01-{at % 28 + 1:02}-{at}.md", f"rain and coffee {at}\n")
        made.write("memory/2026-01-05-zoo.md", "we saw the Giraffes at feeding time\n")
        yield made


def paths(world: World, query: str, seconds: float = 0.0) -> set[str]:
    index = world.index()
    with index.reporting(None, Hurry(query, seconds)):
        view = index.view()
    return {one.path for one in view.documents.values()}


def test_what_is_not_read_is_said(world: World) -> None:
    index = world.index()
    with index.reporting(None, Hurry("when did we feed a giraffe?", 1e-9)):
        view = index.view()
    # nothing has to be read, so one look at the clock ends it
    assert len(view.documents) == 0
    assert any("41 new files are not read yet" in one for one in view.notices)


def test_the_most_promising_are_read_however_late_it_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "LEAST", 1)
    assert paths(world, "when did we see the giraffes?", 1e-9) == {"memory/2026-01-05-zoo.md"}


def test_the_next_search_goes_on_and_then_nothing_is_said(world: World) -> None:
    index = world.index()
    with index.reporting(None, Hurry("giraffes", 1e-9)):
        assert index.view().notices
    told: list[tuple[int, int]] = []
    with index.reporting(lambda done, total: told.append((done, total)), Hurry("giraffes", 1e9)):
        view = index.view()
    assert (len(view.documents), view.notices) == (41, ())
    assert (told[0], told[-1]) == ((0, 41), (41, 41))


def test_what_was_indexed_and_changed_is_read_in_any_hurry(world: World) -> None:
    index = world.index()
    index.view()
    world.write("memory/2026-01-05-zoo.md", "we saw elephants\n")
    for at in range(5):
        world.write(f"memory/more-{at}.md", "nothing of that kind\n")
    with index.reporting(None, Hurry("giraffes", 1e-9)):
        view = index.view()
    assert view.postings("elephants")[0].size == 1
    assert view.postings("giraffes")[0].size == 0
    assert any("5 new files" in one for one in view.notices)


def test_few_new_files_are_read_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "LITTLE", first_reading.LITTLE)
    assert len(paths(world, "giraffes", 1e-9)) == 41


def test_rare_words_promise_more_than_common_ones(world: World) -> None:
    index = world.index()
    stats = list(index._sources.list()[0].values())
    texts = {stat.path: b"coffee rain" for stat in stats} | {stats[7].path: b"only giraffes"}

    def read(path: str) -> Document | None:
        return Document(path, texts[path])

    assert by_promise(stats, "coffee rain giraffes", read)[0].path == stats[7].path


def test_without_words_the_latest_come_first(world: World) -> None:
    index = world.index()
    found = by_promise(list(index._sources.list()[0].values()), "?!", index._sources.read)
    assert [one.path for one in found] == sorted((one.path for one in found), reverse=True)


def test_whoever_embeds_without_haste_reads_the_rest(world: World) -> None:
    index = world.index(FakeEmbedder())
    with index.reporting(None, Hurry("giraffes", 1e-9)):
        index.view()
    assert index.embed().pending == 0
    view = index.view(fresh=False)
    assert (len(view.documents), view.embedded) == (41, 41)
