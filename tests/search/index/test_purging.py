"""A purge leaves nothing of what documents said before, and changes nothing of what they say now."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy
import pytest
from tests.search.index.world import World, cosines_by_place, make_world, what_it_says

from everself.errors import DiskError, LockTimeout, StoreBusy
from everself.search import index as module
from everself.search import rebuild
from everself.search.index import Index
from everself.storage.lock import FileLock
from everself.testing.embedder import FakeEmbedder

WORDS = ("anna", "bob", "tea", "rain", "kestrel", "secret")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def has_hash(world: World, word: str) -> bool:
    """Whether the hash under which a word is indexed stands anywhere in the file, as a number or in a list of numbers."""
    hashed = hashlib.blake2b(word.encode(), digest_size=8).digest()
    data = world.database.read_bytes()
    return hashed in data or hashed[::-1] in data


def ask(world: World, query: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(world.database))
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def equals_a_new_one(world: World, index: Index, embedder: FakeEmbedder) -> None:
    other = world.fresh(embedder)
    other.embed()
    vector = embedder.embed(["anna tea"])[0]
    now, new = index.view(), other.view()
    assert what_it_says(now, WORDS) == what_it_says(new, WORDS)
    assert cosines_by_place(now, vector) == cosines_by_place(new, vector)


def test_nothing_is_left_of_what_a_document_said_before(world: World) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "anna likes tea\nthe kestrel is secret\n")
    world.write("memory/b.md", "bob likes rain\n")
    index = world.index(embedder)
    index.embed()
    assert has_hash(world, "kestrel")
    world.write("memory/a.md", "anna likes tea\nbob too\n")
    assert index.purge() == 2
    for word in ("the", "kestrel", "is", "secret"):
        assert not has_hash(world, word)
    assert has_hash(world, "anna")
    assert ask(world, "SELECT count(*) FROM embeddings") == [(2,)]
    index.embed()
    equals_a_new_one(world, index, embedder)
    assert index.verify().differing == ()
    assert index.purge() == 0


def test_a_document_that_is_gone_leaves_nothing_and_those_that_stay_are_found(world: World) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "the kestrel is secret\n")
    world.write("memory/b.md", "anna likes rain\n")
    index = world.index(embedder)
    index.embed()
    world.remove("memory/a.md")
    index.sync()
    assert has_hash(world, "kestrel")
    assert index.purge() == 1
    assert not has_hash(world, "kestrel")
    world.write("memory/c.md", "the kestrel again\n")
    index.sync()
    index.embed()
    equals_a_new_one(world, index, embedder)


def test_every_block_is_purged_and_a_killed_process_finds_it_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rows", "columns", "postings", "vectors"):
        monkeypatch.setattr(f"everself.search.index_file.{name}.BLOCK", 8)
    for name in ("transaction", "vector_rows", "embedding"):
        monkeypatch.setattr(f"everself.search.sync.{name}.BLOCK", 8)
    embedder = FakeEmbedder()
    for number in range(10):
        world.write(f"memory/{number}.md", f"anna saw kestrel {number}\nbob had tea\nrain\n")
    index = world.index(embedder)
    index.embed()
    for number in range(0, 10, 3):
        world.write(f"memory/{number}.md", "anna saw nothing\n")
    with monkeypatch.context() as patch:
        # as if the process died after the first blocks
        patch.setattr("everself.search.sync.purge.prune_all", _die)
        with pytest.raises(KeyboardInterrupt):
            index.purge()
    other = world.index(embedder)
    other.verify()
    other.purge()
    assert not any(has_hash(world, str(number)) for number in (0, 3, 6, 9))
    assert has_hash(world, "1")
    other.embed()
    equals_a_new_one(world, other, embedder)
    assert other.verify().differing == ()


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_view_from_before_goes_on_without_what_is_gone(world: World) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "the kestrel is secret\n")
    world.write("memory/b.md", "the rain\n")
    index = world.index(embedder)
    index.embed()
    before = index.view()
    world.write("memory/a.md", "nothing\n")
    index.purge()
    assert before.postings("kestrel")[0].tolist() == []
    assert len(before.postings("the")[0]) == 1
    assert numpy.isnan(before.cosines(embedder.embed(["kestrel"])[0], numpy.arange(2, dtype=numpy.int32))).sum() == 1


def test_a_damaged_index_is_made_anew_without_what_it_held(world: World) -> None:
    embedder = FakeEmbedder()
    world.write("memory/a.md", "the kestrel is secret\nanna\n")
    index = world.index(embedder)
    index.embed()
    index.close()
    connection = apsw.Connection(str(world.database))
    connection.execute("UPDATE postings SET data = zeroblob(length(data))")
    connection.close()
    world.write("memory/a.md", "anna\n")
    world.index(embedder).purge()
    assert not has_hash(world, "kestrel")
    assert ask(world, "SELECT count(*) FROM embeddings") == [(1,)]


def test_who_cannot_purge_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    world.write("memory/a.md", "anna\n")
    index = world.index()
    index.sync()
    rival = apsw.Connection(str(world.database))
    rival.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        index.purge()
    rival.close()
    with FileLock(rebuild.lock_path(index._opener.place)).hold(), monkeypatch.context() as patch:
        patch.setattr(rebuild.sweep, "__defaults__", (0.01,))
        with pytest.raises(LockTimeout):
            index.purge()
    world.database.unlink()
    world.database.mkdir()
    (world.database / "in the way").touch()
    with pytest.raises(DiskError):
        index.purge()


def test_what_a_killed_rebuild_left_goes_too(world: World) -> None:
    world.write("memory/a.md", "anna\n")
    index = world.index()
    index.sync()
    for ending in ("", "-journal"):
        (world.state / f"index.db.new-7K3QX9M2ABCD{ending}").write_bytes(b"kestrel")
    index.purge()
    assert sorted(path.name for path in world.state.glob("index.db.*")) == ["index.db.lock"]
