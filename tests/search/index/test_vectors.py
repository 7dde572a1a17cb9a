"""Vectors come after words, are kept by text and model, and a failing embedder costs a search nothing but them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import pytest
from tests.search.index.world import World, chunk_lines, cosines_by_place, make_world, words_of

from everself.clock import monotonic, pause
from everself.models.embedding import CheckedEmbedder
from everself.search.chunking.chunks import chunk_document
from everself.search.chunking.terms import embedding_texts
from everself.search.index_file import vectors
from everself.search.sync.documents import Prepared, text_hash
from everself.search.sync.embedding import embed_in_context
from everself.testing.embedder import FakeEmbedder, Misdeed


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        made.write("MEMORY.md", "anna likes tea\nbob likes coffee\nrain in spring\n")
        yield made


def asked(embedder: FakeEmbedder) -> list[str]:
    return [text for texts, purpose in embedder.calls for text in texts if purpose == "document"]


def test_the_first_search_does_not_wait_and_vectors_follow(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    assert index.view().embedded == 0
    assert embedder.calls == []
    assert index.pending() == 3
    assert index.pending_tokens() >= 9
    steps: list[tuple[int, int]] = []
    report = index.embed(progress=lambda done, total: steps.append((done, total)))
    assert (report.done, report.pending, report.failure) == (3, 0, "")
    assert steps == [(3, 3)]
    view = index.view()
    vector = index.query_vector("bob likes coffee")
    assert not isinstance(vector, str)
    assert view.nearest(vector, 1).tolist() == [1]
    assert view.cosines(vector, numpy.array([1, 0], numpy.int32))[0] == pytest.approx(1, abs=1e-3)


def test_a_text_is_embedded_once_wherever_it_stands(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    world.write("memory/copy.md", "anna likes tea\nsomething new\n")
    world.write("MEMORY.md", "a line before\nanna likes tea\nbob likes coffee\n")
    view = index.view()
    # what is known has its vector at once
    assert (view.embedded, view.pending) == (3, 2)
    index.embed()
    assert asked(embedder).count("anna likes tea") == 1
    assert len(asked(embedder)) == 5


def test_a_rebuild_asks_the_embedder_for_nothing(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    before = cosines_by_place(index.view(), embedder.embed(["tea"])[0])
    embedder.calls.clear()
    assert index.rebuild().read == 1
    assert index.embed().done == 0
    assert embedder.calls == []
    assert cosines_by_place(index.view(), embedder.embed(["tea"])[0]) == before


def test_vectors_of_forgotten_texts_are_forgotten(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    world.write("memory/copy.md", "bob likes coffee\n")
    world.write("MEMORY.md", "rain in spring\n")
    index.view()
    kept = index._open().file.connection.execute("SELECT hash FROM embeddings").fetchall()
    assert {row[0] for row in kept} == {text_hash("rain in spring"), text_hash("bob likes coffee")}


def test_another_model_takes_over_while_search_goes_on(world: World) -> None:
    first = world.index(FakeEmbedder())
    first.view()
    first.embed()
    first.close()
    embedder = FakeEmbedder(96, model="fake/2")
    index = world.index(embedder)
    view = index.view()
    assert (view.embedded, len(view.postings("anna")[0])) == (0, 1)
    assert index.embed().done == 3
    assert index.view().embedded == 3
    assert index.view().cosines(embedder.embed(["tea"])[0], numpy.array([0], numpy.int32)).shape == (1,)
    # and back again, which costs nothing because the old vectors are kept
    index.close()
    back = FakeEmbedder()
    again = world.index(back)
    again.view()
    assert again.embed().pending == 0
    assert asked(back) == []
    assert again.view().embedded == 3


FAILURES: tuple[Misdeed, ...] = (
    "raise",
    "network",
    "quota",
    "nan",
    "infinite",
    "zeros",
    "too few",
    "wrong size",
    "flat",
)


@pytest.mark.parametrize("how", FAILURES)
def test_a_failing_embedder_is_told_in_words_and_search_goes_on(world: World, how: Misdeed) -> None:
    embedder = FakeEmbedder()
    index = world.index(CheckedEmbedder(embedder, pause=lambda _seconds: None))
    index.view()
    index.embed()
    world.write("memory/more.md", "something new\n")
    embedder.fail(how)
    view = index.view()
    assert len(view.postings("new")[0]) == 1
    report = index.embed()
    assert report.failure
    assert report.pending == 1
    assert isinstance(index.query_vector("tea"), str)
    assert report.failure in index.view().notices
    embedder.fail(None)


@pytest.mark.parametrize("how", ["nan", "zeros", "too few", "wrong size", "flat", "no table"])
def test_what_an_unchecked_embedder_answers_is_looked_at_as_well(world: World, how: Misdeed) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    world.write("memory/more.md", "something new\n")
    index.view()
    embedder.fail(how)
    assert index.embed().failure
    embedder.fail(None)
    assert (index.embed().pending, index.view().notices) == (0, ())


def test_a_model_that_changed_its_size_is_begun_anew_by_a_rebuild(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.embed()
    embedder.dimensions = 32
    embedder.resize(32)
    world.write("memory/more.md", "something new\n")
    index.view()
    assert "32" in index.embed().failure
    index.rebuild()
    assert index.embed().pending == 0
    vector = index.query_vector("something new")
    assert not isinstance(vector, str)
    assert len(index.view().nearest(vector, 9)) == 4


def test_without_an_embedder_there_is_nothing_to_wait_for(world: World) -> None:
    index = world.index()
    assert (index.pending(), index.view().embedded) == (0, 0)
    assert index.view().nearest(numpy.ones(8, numpy.float32), 3).tolist() == []
    assert isinstance(index.query_vector("tea"), str)


def test_a_thread_embeds_what_comes_and_stops_when_told(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    index.start_embedding()
    wait_for(lambda: index.view().embedded == 3)
    world.write("memory/more.md", "something new\n")
    index.view()
    wait_for(lambda: index.view().embedded == 4)
    index.close()
    assert index._background._thread is not None
    assert not index._background._thread.is_alive()


def wait_for(true: Callable[[], bool]) -> None:
    deadline = monotonic() + 300
    while not true():
        assert monotonic() < deadline
        pause(0.01)


def test_texts_changed_since_they_were_indexed_wait_for_the_next_look(world: World) -> None:
    embedder = FakeEmbedder()
    index = world.index(embedder)
    index.view()
    world.write("MEMORY.md", "other words\n")
    # as in a process that did not cut them itself
    index._sources.drop_texts()
    assert index.embed().done == 0
    assert asked(embedder) == []
    index.view()
    assert index.embed().pending == 0
    assert asked(embedder) == ["other words"]


def prepared(
    rng: numpy.random.Generator, count: int, dimensions: int
) -> tuple[list[Prepared], "numpy.typing.NDArray[numpy.float32]"]:
    """Vectors in families of ten, as texts have them."""
    families = rng.standard_normal((count // 10, dimensions))
    table = (families.repeat(10, axis=0) + 0.5 * rng.standard_normal((count, dimensions))).astype(numpy.float32)
    table /= numpy.linalg.norm(table, axis=1)[:, None]
    documents = []
    for start in range(0, count, 100):
        stop = min(start + 100, count)
        chunks = chunk_lines("", b"".join(b"anna\n" for _ in range(stop - start)))
        terms = [words_of(chunk, "") for chunk in chunks]
        texts = [text_hash(str(number)) for number in range(start, stop)]
        documents.append(Prepared(f"memory/{start}.md", "0" * 64, chunks, terms, texts, vectors=table[start:stop]))
    return documents, table


@pytest.mark.parametrize("dimensions", [48, 130])
def test_codes_choose_nearly_what_exact_search_finds(
    world: World, dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.search.index_file.view.EXACT_BELOW", 500)
    rng = numpy.random.default_rng(4)
    documents, table = prepared(rng, 1500, dimensions)
    index = world.index(FakeEmbedder(dimensions))
    index.fill(documents)
    view = index.view(fresh=False)
    found = 0
    for number in range(20):
        query = table[number * 7] + rng.standard_normal(dimensions).astype(numpy.float32) * numpy.float32(0.01)
        exact = numpy.argsort(-(table @ query))[:10]
        near = view.nearest(query, 10)
        assert near[0] == exact[0]
        found += len(set(near.tolist()) & set(exact.tolist()))
    assert found >= 190


def test_distances_count_the_bits_that_differ() -> None:
    rng = numpy.random.default_rng(1)
    table = rng.standard_normal((300, 260)).astype(numpy.float32)
    codes = vectors.encode(table)
    block = vectors.Codes(numpy.ones(300, numpy.int32), numpy.ascontiguousarray(codes.T))
    usable = numpy.ones(300, numpy.bool_)
    usable[7] = False
    found = vectors.distances([block], usable, codes[3])
    expected = ((table > 0) != (table[3] > 0)).sum(axis=1)
    assert found[7] > 1000
    assert numpy.delete(found, 7).tolist() == numpy.delete(expected, 7).tolist()
    assert vectors.closest(found, 1)[0] == 3


def test_neighbouring_turns_are_embedded_once_and_lean_towards_each_other() -> None:
    embedder = FakeEmbedder()
    texts = embedding_texts(
        chunk_document("memory/2026-03-19-talk.md", b"**Ann:** Where?\n**Ben:** In Rome.\n**Ann:** Oh.\n")
    )
    mixed = embed_in_context(embedder, texts, None)
    ((asked, purpose),) = embedder.calls
    assert (asked, purpose) == (("Ann: Where?", "Ben: In Rome.", "Ann: Oh."), "document")
    alone = embedder.embed(asked)
    assert numpy.allclose(numpy.linalg.norm(mixed, axis=1), 1, atol=1e-6)
    assert mixed[1] @ alone[0] > alone[1] @ alone[0]
    assert (numpy.argmax(mixed @ alone.T, axis=1) == numpy.arange(3)).all()


@pytest.mark.parametrize("exact_below", [20_000, 50])
def test_likenesses_are_the_cosines_between_chunks(
    world: World, monkeypatch: pytest.MonkeyPatch, exact_below: int
) -> None:
    monkeypatch.setattr("everself.search.index_file.view.EXACT_BELOW", exact_below)
    documents, table = prepared(numpy.random.default_rng(6), 300, 48)
    index = world.index(FakeEmbedder(48))
    index.fill(documents)
    chosen = numpy.array([250, 3, 7, 3, 120], numpy.int32)
    found = index.view(fresh=False).likenesses(chosen)
    numpy.testing.assert_allclose(found, table[chosen] @ table[chosen].T, atol=2e-3)


def test_a_chunk_without_a_vector_is_like_nothing(world: World) -> None:
    world.write("MEMORY.md", "anna likes tea\nbob likes coffee\n")
    index = world.index(FakeEmbedder())
    index.sync()
    assert numpy.isnan(index.view().likenesses(numpy.array([0, 1], numpy.int32))).all()
    assert index.view().likenesses(numpy.array([], numpy.int32)).shape == (0, 0)
