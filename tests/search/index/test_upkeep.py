"""An index follows its workspace: what was added, changed and removed, and nothing else."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.search.index.world import LINES, World, chunk_lines, cosines_by_place, make_world, what_it_says, words_of

from everself.search.chunking.marks import Flag
from everself.search.index import Index
from everself.search.index_file import postings
from everself.search.index_file.file import IndexPlace
from everself.search.sync import sync as syncing
from everself.search.sync import transaction as writing
from everself.search.sync.documents import Prepared, text_hash
from everself.testing.embedder import FakeEmbedder
from everself.testing.frozen_time import FrozenTime
from everself.testing.memory_workspace import InMemoryWorkspace
from everself.values import Append, Author, Change, Document, FileStat, Remove

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

WORDS = ("anna", "bob", "tea", "coffee", "rain", "apples")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def paths(index: Index) -> list[str]:
    return sorted(one.path for one in index.view().documents.values())


def found(index: Index, word: str) -> list[tuple[str, int]]:
    view = index.view()
    numbers = view.postings(word)[0].tolist()
    return [(view.documents[chunk.document].path, chunk.first_line) for chunk in view.chunks(numbers)]


def test_a_word_is_found_where_it_stands(world: World) -> None:
    world.write("MEMORY.md", "anna likes tea\nbob likes coffee\n\ntea tea tea\n")
    view = world.index().view()
    numbers, counts = view.postings("tea")
    assert [chunk.first_line for chunk in view.chunks(numbers.tolist())] == [1, 4]
    assert counts.tolist() == [1, 3]
    assert view.columns["group"].tolist() == [0, 0, 2]
    assert view.columns["span"].tolist() == [2, 2, 1]
    assert view.columns["length"].tolist() == [3, 3, 3]
    assert view.postings("nothing")[0].tolist() == []


def test_a_change_an_addition_and_a_removal_show_at_the_next_view(world: World) -> None:
    world.write("memory/a.md", "anna\n")
    world.write("memory/b.md", "bob\n")
    index = world.index()
    assert paths(index) == ["memory/a.md", "memory/b.md"]
    world.write("memory/a.md", "anna likes rain\n")
    world.write("memory/c.md", "rain\n")
    world.remove("memory/b.md")
    assert found(index, "rain") == [("memory/a.md", 1), ("memory/c.md", 1)]
    assert found(index, "bob") == []


def test_nothing_is_read_and_the_same_view_given_when_nothing_changed(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    os.utime(world.files / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    index = world.index()
    view = index.view()
    assert index.view() is view
    report = index.sync()
    assert (report.read, report.removed, report.unchanged) == (0, 0, 1)


class StandingStill:
    """A workspace whose file system stamps every save alike."""

    def __init__(self, world: World) -> None:
        self._workspace = world.workspace
        self._stamped = world.workspace.list()

    def list(self, under: str = "") -> list[FileStat]:
        return [one for one in self._stamped if one.path.startswith(under)]

    def find(self, path: str) -> Document | None:
        return self._workspace.find(path)


def test_a_file_saved_twice_within_the_grain_of_its_time_is_read_again(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    world.workspace = StandingStill(world)
    index = world.index()
    assert found(index, "anna")
    world.write("MEMORY.md", "carl\n")
    assert found(index, "carl") == [("MEMORY.md", 1)]
    assert found(index, "anna") == []


def test_a_file_that_was_only_touched_keeps_its_chunks(world: World) -> None:
    world.write("MEMORY.md", "anna\n")
    index = world.index()
    first = index.view().postings("anna")[0].tolist()
    os.utime(world.files / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    assert index.sync().read == 0
    assert index.view().postings("anna")[0].tolist() == first


def test_only_what_belongs_into_the_index_is_in_it(world: World) -> None:
    for path in ("MEMORY.md", "SOUL.md", "memory/a.md", "bank/b.md", "README.md", "notes/c.md", "memory/.hidden.md"):
        world.write(path, "anna\n")
    assert paths(world.index()) == ["MEMORY.md", "bank/b.md", "memory/a.md"]


def test_the_small_spelling_of_memory_counts_only_where_the_large_one_is_missing(world: World) -> None:
    world.write("memory.md", "anna\n")
    index = world.index()
    assert paths(index) == ["memory.md"]
    world.write("MEMORY.md", "bob\n")
    assert paths(index) == ["MEMORY.md"]


def test_odd_files_are_skipped_and_named(world: World) -> None:
    world.write("memory/a.md", "anna\n")
    os.mkfifo(world.files / "memory/pipe.md")
    (world.files / "memory/link.md").symlink_to("a.md")
    (world.files / "memory/folder.md").mkdir()
    index = world.index()
    report = index.sync()
    assert paths(index) == ["memory/a.md"]
    assert report.skipped == ("memory/link.md", "memory/pipe.md")
    assert any("memory/pipe.md" in notice for notice in index.view().notices)


def test_a_file_that_is_not_read_to_its_end_is_announced(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.workspace.disk_workspace.READ_LIMIT", 10)
    world.write("memory/long.md", "anna\nbob\nthis is beyond the limit\n")
    index = world.index()
    assert index.sync().truncated == ("memory/long.md",)
    assert any("memory/long.md" in notice for notice in index.view().notices)
    assert found(index, "beyond") == []


def test_documents_from_elsewhere_are_called_as_they_are_given_and_marked(world: World) -> None:
    elsewhere = InMemoryWorkspace(world.clock)
    elsewhere.apply(Change(Author.OWNER, "a test", (Append("notes/x.txt", b"rain\n"),)))
    world.write("MEMORY.md", "anna\n")
    index = world.index(extra=[elsewhere])
    assert found(index, "rain") == [("notes/x.txt", 1)]
    view = index.view()
    assert view.columns["flags"][view.postings("rain")[0]].tolist() == [Flag.ALIVE | Flag.IMPORTED]
    assert view.columns["flags"][view.postings("anna")[0]].tolist() == [Flag.ALIVE]


def test_an_old_view_still_answers_after_a_change(world: World) -> None:
    world.write("memory/a.md", "anna tea\n")
    world.write("memory/b.md", "bob\n")
    index = world.index()
    old = index.view()
    world.write("memory/b.md", "bob tea\n")
    assert len(index.view().postings("tea")[0]) == 2
    assert old.postings("tea")[0].tolist() == old.postings("anna")[0].tolist()
    assert [chunk.first_line for chunk in old.chunks(old.postings("anna")[0].tolist())] == [1]


def test_blocks_are_crossed_without_a_seam(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (
        writing,
        postings,
        syncing,
        "everself.search.index_file.columns",
        "everself.search.sync.vector_rows",
    ):
        name = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{name}.BLOCK", 8, raising=False)
    monkeypatch.setattr("everself.search.index_file.vectors.BLOCK", 8)
    monkeypatch.setattr("everself.search.sync.embedding.BLOCK", 8)
    embedder = FakeEmbedder(70)
    index = world.index(embedder)
    for step in range(12):
        world.write(f"memory/{step}.md", "".join(f"anna word{step} line{line}\n" for line in range(5)))
        if step % 3 == 2:
            world.write(f"memory/{step - 1}.md", f"bob again{step}\n")
        index.view()
    index.embed()
    other = world.fresh(embedder)
    other.view()
    other.embed()
    words = ["anna", "bob", *(f"word{step}" for step in range(12)), *(f"line{line}" for line in range(5))]
    assert what_it_says(index.view(), words) == what_it_says(other.view(), words)
    vector = embedder.embed(["anna word3"])[0]
    assert cosines_by_place(index.view(), vector) == cosines_by_place(other.view(), vector)
    assert len(index.view().moment.header.columns) > 6


def test_an_index_that_is_mostly_dead_is_made_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.search.index._MANY_DEAD", 20)
    index = world.index()
    for step in range(30):
        world.write("MEMORY.md", f"anna {step}\nbob {step}\n")
        index.view()
    assert len(index.view().columns) < 60
    assert found(index, "29") == [("MEMORY.md", 1), ("MEMORY.md", 2)]
    assert index.status().dead < 30


def test_no_word_stands_in_the_file(world: World) -> None:
    world.write("MEMORY.md", "xylophone serendipity\n")
    index = world.index(FakeEmbedder())
    index.view()
    index.embed()
    index.close()
    data = b"".join(path.read_bytes() for path in world.state.glob("index.db*"))
    assert b"xylophone" not in data
    assert b"serendipity" not in data


def test_everything_of_the_index_is_private(world: World) -> None:
    before = os.umask(0)
    try:
        world.write("MEMORY.md", "anna\n")
        index = world.index()
        index.view()
        index.rebuild()
        world.write("MEMORY.md", "bob\n")
        index.view()
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in world.state.glob("index.db*")} == {0o600}


def test_a_workspace_in_memory_is_indexed_as_well(tmp_path: Path) -> None:
    clock = FrozenTime().clock()
    workspace = InMemoryWorkspace(clock)
    workspace.apply(Change(Author.OWNER, "a test", (Append("MEMORY.md", b"anna\n"),)))
    with make_world(tmp_path) as world:
        index = Index(
            workspace, IndexPlace(world.index()._opener.place.files, str(world.state)), clock, "x", chunking=LINES
        )
        assert found(index, "anna") == [("MEMORY.md", 1)]
        document = workspace.read("MEMORY.md")
        workspace.apply(Change(Author.OWNER, "a test", (Remove("MEMORY.md", document.hash),)))
        assert found(index, "anna") == []
        index.close()


def test_prepared_documents_are_filled_in_with_their_vectors(world: World) -> None:
    index = world.index(FakeEmbedder(8))
    vectors = numpy.eye(8, dtype=numpy.float32)

    def prepared(number: int) -> Prepared:
        chunks = chunk_lines("", f"anna word{number}\nbob\n".encode())
        texts = [text_hash(f"{number} {at}") for at in range(2)]
        terms = [words_of(chunk, "") for chunk in chunks]
        return Prepared(
            f"memory/{number}.md", "0" * 64, chunks, terms, texts, vectors=vectors[number * 2 : number * 2 + 2]
        )

    assert index.fill(prepared(number) for number in range(4)) == 8
    view = index.view(fresh=False)
    assert (len(view.documents), view.embedded) == (4, 8)
    assert len(view.postings("anna")[0]) == 4
    assert view.nearest(vectors[5], 1).tolist() == [5]


steps = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "write", "remove", "touch", "view", "embed", "reopen"]),
        st.sampled_from(["MEMORY.md", "memory/a.md", "memory/b.md", "memory/2024-01-01.md"]),
        st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=5),
    ),
    max_size=12,
)


def follow(top: Path, series: list[tuple[str, str, list[str]]]) -> None:
    with make_world(top) as world:
        embedder = FakeEmbedder()
        index = world.index(embedder)
        for act, path, lines in series:
            if act == "write":
                world.write(path, "\n".join(lines))
            elif act == "remove" and (world.files / path).exists():
                world.remove(path)
            elif act == "touch" and (world.files / path).exists():
                os.utime(world.files / path)
            elif act == "view":
                index.view()
            elif act == "embed":
                index.embed()
            elif act == "reopen":
                index.close()
                index = world.index(embedder)
        index.view()
        index.embed()
        other = world.fresh(embedder)
        other.view()
        other.embed()
        assert what_it_says(index.view(), WORDS) == what_it_says(other.view(), WORDS)
        vector = embedder.embed(["anna tea"])[0]
        assert cosines_by_place(index.view(), vector) == cosines_by_place(other.view(), vector)
        shutil.rmtree(world.files / "memory")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(series=steps)
def test_an_index_that_followed_equals_one_that_was_made_at_once(
    series: list[tuple[str, str, list[str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    follow(tmp_path_factory.mktemp("series"), series)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(series=steps)
def test_many_series_end_in_what_a_rebuild_gives(
    series: list[tuple[str, str, list[str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    follow(tmp_path_factory.mktemp("series"), series)
