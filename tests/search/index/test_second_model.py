"""A second, better embedder fills in behind the first, is used where its vectors are there, and is never waited for."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import pytest
from tests.search.index.world import World, make_world

from everself.clock import monotonic, pause
from everself.search import background
from everself.search.index import Index
from everself.search.sync.documents import model_key
from everself.search.sync.embedding import Bounds, EmbedReport
from everself.testing.embedder import FakeEmbedder

TEXT = "anna likes tea\nbob likes coffee\nrain in spring\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        made.write("MEMORY.md", TEXT)
        yield made


def better() -> FakeEmbedder:
    return FakeEmbedder(32, model="better/1")


def both(world: World, second: FakeEmbedder | None = None) -> Index:
    return world.index(FakeEmbedder(), second=second or better())


def second_cosines(index: Index, words: str) -> list[float]:
    view = index.view()
    vector = index.second_query_vector(words, view)
    assert vector is not None
    return view.second_cosines(vector, numpy.arange(len(view.columns), dtype=numpy.int32)).tolist()


def wait_for(true: Callable[[], bool]) -> None:
    deadline = monotonic() + 300
    while not true():
        assert monotonic() < deadline
        pause(0.01)


def test_nothing_waits_for_the_second_model(world: World) -> None:
    second = better()
    index = both(world, second)
    index.view()
    assert index.embed().done == 3
    view = index.view()
    assert (view.pending, view.second_pending, view.second_embedded) == (0, 3, 0)
    assert index.second_query_vector("tea", view) is None
    assert second.calls == []
    told = index.status()
    assert (told.second_model, told.second_pending, told.pending) == ("local/better/1", 3, 0)


def test_its_cosines_are_exact_where_it_has_vectors_and_missing_elsewhere(world: World) -> None:
    second = better()
    index = both(world, second)
    index.view()
    index.embed()
    assert index.embed_second().done == 3
    world.write("memory/more.md", "snow in winter\n")
    found = second_cosines(index, "bob likes coffee")
    expected = (second.embed(TEXT.splitlines()) @ second.embed(["bob likes coffee"])[0]).tolist()
    assert numpy.allclose(found[:3], expected, atol=2e-3)
    assert numpy.isnan(found[3])


def test_both_models_stay_when_either_has_finished(world: World) -> None:
    index = both(world)
    index.view()
    index.embed()
    index.embed_second()
    world.write("memory/more.md", "snow in winter\n")
    index.view()
    index.embed()
    view = index.view()
    assert (view.embedded, view.second_embedded) == (4, 3)
    index.embed_second()
    view = index.view()
    assert (view.embedded, view.second_embedded) == (4, 4)


def test_a_text_that_moves_keeps_both_vectors(world: World) -> None:
    second = better()
    index = both(world, second)
    index.view()
    index.embed()
    index.embed_second()
    calls = len(second.calls)
    world.write("MEMORY.md", "something before\n" + TEXT)
    view = index.view()
    assert (view.embedded, view.second_embedded) == (3, 3)
    assert len(second.calls) == calls


def test_a_text_that_one_of_two_files_loses_keeps_its_vector_where_only_the_second_model_has_one(world: World) -> None:
    """The first model changed since, so that only the second one's vectors are there."""
    second = better()
    index = both(world, second)
    world.write("memory/copy.md", "anna likes tea\n")
    index.view()
    index.embed()
    index.embed_second()
    index.close()
    other = world.index(FakeEmbedder(model="fake/2"), second=second)
    world.remove("memory/copy.md")
    other.view()
    found = second_cosines(other, "anna likes tea")
    assert found[0] == pytest.approx(1, abs=2e-3)


def test_what_is_gone_is_gone_for_both(world: World) -> None:
    index = both(world)
    index.view()
    index.embed()
    index.embed_second()
    world.write("MEMORY.md", "bob likes coffee\n")
    index.view()
    file = index._open().file
    rows = file.connection.execute("SELECT count(*) FROM embeddings").fetchone()
    assert rows[0] == 2


def test_a_second_model_that_is_gone_leaves_a_whole_index(world: World) -> None:
    index = both(world)
    index.view()
    index.embed()
    index.embed_second()
    index.close()
    alone = world.index(FakeEmbedder())
    view = alone.view()
    assert (view.embedded, view.second_embedded) == (3, 0)
    assert alone.second_query_vector("tea", view) is None
    alone.embed()
    assert {slot.model for slot in alone.view().moment.header.slots} == {model_key(FakeEmbedder())}
    back = both(world)
    back.view()
    second = back.embed_second()
    assert (second.done, second.pending) == (3, 0)


def test_a_second_model_that_fails_costs_nothing_but_itself(world: World) -> None:
    second = better()
    index = both(world, second)
    index.view()
    index.embed()
    index.embed_second()
    second.fail("missing")
    view = index.view()
    assert index.second_query_vector("tea", view) is None
    world.write("memory/more.md", "snow in winter\n")
    index.view()
    index.embed()
    assert index.embed_second().failure
    view = index.view()
    assert (view.pending, view.second_pending, view.notices) == (0, 1, ())


def test_it_works_in_the_background_when_nobody_asks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 0.01)
    index = both(world)
    index.view()
    index.start_embedding()

    def is_done() -> bool:
        pause(0.05)
        return index.view(fresh=False).second_embedded == 3

    wait_for(is_done)


def test_it_rests_while_somebody_asks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 3600.0)
    second = better()
    index = both(world, second)
    index.view()
    index.start_embedding()
    wait_for(lambda: index.view(fresh=False).embedded == 3)
    pause(0.05)
    assert second.calls == []


def test_an_interrupted_run_of_the_second_model_goes_on(world: World) -> None:
    world.write("memory/many.md", "".join(f"line number {at}\n" for at in range(100)))
    index = both(world)
    index.view()
    index.embed()

    def stop(done: int, total: int) -> None:
        assert (done, total) == (background.SECOND_BATCH, 103)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.embed_second(progress=stop)
    assert index.view().second_embedded == background.SECOND_BATCH
    assert index.embed_second().pending == 0


def test_a_rebuild_keeps_the_vectors_of_both(world: World) -> None:
    second = better()
    index = both(world, second)
    index.view()
    index.embed()
    index.embed_second()
    calls = len(second.calls)
    index.rebuild()
    view = index.view()
    assert (view.embedded, view.second_embedded) == (3, 3)
    assert len(second.calls) == calls


def test_it_rests_while_somebody_asks_another_agent_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 3600.0)
    begun, second = threading.Event(), list[Bounds]()

    def embed(_: Bounds) -> EmbedReport:
        begun.set()
        return EmbedReport()

    def embed_second(bounds: Bounds) -> EmbedReport:
        second.append(bounds)
        return EmbedReport()

    background.BackgroundEmbedding(embed, None).note_question()
    working = background.BackgroundEmbedding(embed, embed_second)
    working.start()
    assert begun.wait(60)
    pause(0.05)
    working.stop()
    assert second == []


def test_a_reply_that_is_under_way_counts_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 0.0)
    asked = background.Questions()
    assert not asked.are_recent
    with asked.answering(), asked.answering():
        assert asked.are_recent
    assert not asked.are_recent
