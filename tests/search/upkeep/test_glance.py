"""What a status sees from outside is what the index says of itself; and every row can be checked."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy
import pytest
from tests.search.index.world import LINES, World, make_world

from everself.search.index import Index
from everself.search.index_file import header as outline
from everself.search.index_file.file import IndexPlace
from everself.search.index_file.protocol import COLUMNS
from everself.search.overview import IndexOverview, read_overview
from everself.search.sync.documents import Sources, model_key
from everself.search.sync.embedding import BATCH, next_size
from everself.storage.real_disk import RealFileSystem
from everself.testing.embedder import FakeEmbedder


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def look(world: World, embedder: FakeEmbedder | None = None, identity: str = "an agent") -> IndexOverview | None:
    place = IndexPlace(RealFileSystem(str(world.state)), str(world.state))
    return read_overview(place, identity, Sources(world.workspace, (), LINES), model_key(embedder))


def same(seen: IndexOverview | None, index: Index) -> bool:
    told = index.status()
    asked = (told.documents, told.chunks, told.embedded, told.stale, told.size)
    return seen is not None and (seen.documents, seen.chunks, seen.embedded, seen.stale, seen.size) == asked


def test_a_glance_sees_what_the_index_says(world: World) -> None:
    embedder = FakeEmbedder()
    assert look(world) is None
    world.write("memory/a.md", "anna likes tea\nbob likes rain\n")
    world.write("memory/b.md", "coffee\n")
    index = world.index(embedder)
    index.sync()
    assert same(look(world, embedder), index)
    index.embed()
    assert same(look(world, embedder), index)
    assert index.status().embedded == 3
    # a document that changed leaves dead chunks with vectors behind
    world.write("memory/a.md", "anna likes coffee now\n")
    seen = look(world, embedder)
    assert seen is not None
    assert seen.stale == 1
    index.sync()
    assert same(look(world, embedder), index)
    assert index.status().dead == 2
    world.remove("memory/b.md")
    seen = look(world, FakeEmbedder(model="another"))
    assert seen is not None
    assert (seen.stale, seen.embedded) == (1, 0)


@pytest.mark.parametrize("data", [b"", b"nothing like a database" * 99])
def test_what_cannot_be_used_is_said_and_left_alone(world: World, data: bytes) -> None:
    world.write("memory/a.md", "anna\n")
    world.index().sync()
    other = look(world, identity="somebody else")
    assert other is not None
    assert "another workspace" in other.trouble
    world.database.write_bytes(data)
    seen = look(world)
    assert seen is not None
    assert seen.trouble
    assert world.database.read_bytes() == data


def test_a_glance_knows_where_the_flags_stand() -> None:
    row = numpy.dtype(COLUMNS)
    assert row.fields is not None
    assert (row.itemsize, row.fields["flags"][1]) == (outline._ROW_BYTES, outline._FLAGS_AT)


def test_a_glance_loads_no_numpy() -> None:
    code = "import everself.search.overview, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE units SET data = zeroblob(length(data)) WHERE number = 1",
        "UPDATE postings SET data = zeroblob(length(data))",
        "DELETE FROM postings",
        "UPDATE embeddings SET data = zeroblob(length(data)) WHERE number = 1",
        "UPDATE codes SET data = zeroblob(length(data))",
        "DELETE FROM sources WHERE number = 1",
    ],
)
def test_every_row_is_checked_and_what_is_broken_is_made_anew(world: World, harm: str) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "anna likes tea\nbob likes rain\n")
    index = world.index(embedder)
    index.embed()
    assert index.verify().differing == ()
    index.close()
    connection = apsw.Connection(str(world.database))
    connection.execute(harm)
    connection.close()
    opened = world.index(embedder)
    found = opened.verify()
    assert (found.documents, found.differing) == (1, ())
    assert any("was rebuilt" in words for words in opened.status().notices)
    assert opened.view().postings("rain")[0].tolist()


def test_a_moment_is_enough_for_few_with_a_slow_model_and_for_many_with_a_quick_one() -> None:
    # 16 in a second, and a second is left: 16 more; hardly any time: as many as may be, step by step
    assert next_size(16, 1.0, 1.0) == 16
    assert next_size(16, 1.9, 0.1) == 1
    assert next_size(16, 0.001, 1.9) == 64
    assert next_size(BATCH, 0.001, 1.9) == BATCH
    assert next_size(16, 0.0, 1.0) == 64
    assert next_size(16, 3.0, -1.0) == 1


def test_a_bounded_run_gives_every_chunk_its_vector_when_there_is_time(world: World) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "".join(f"anna saw {number} birds\n" for number in range(200)))
    index = world.index(embedder)
    index.sync()
    report = index.embed(seconds=60)
    assert (report.done, report.pending) == (200, 0)
    assert [len(texts) for texts, _ in embedder.calls] == [16, 64, 120]
