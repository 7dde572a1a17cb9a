"""What was read lately is handed out again only while the last look at the files saw it unchanged."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.search.index.world import LINES, World, make_world

from everself.search.index import Index
from everself.search.index_file.protocol import IndexedDocument
from everself.search.snippets import DocumentCache
from everself.search.sync.documents import Sources
from everself.values import Document, FileStat, digest

PATH = "memory/2024-05-01.md"
OLD = 1_000_000_000


class Counted:
    """Reads a workspace and counts how often."""

    def __init__(self, world: World) -> None:
        self._workspace = world.workspace
        self.reads = 0

    def find(self, path: str) -> Document | None:
        self.reads += 1
        return self._workspace.find(path)

    def list(self, under: str = "") -> list[FileStat]:
        return self._workspace.list(under)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def write_old(world: World, text: str, path: str = PATH) -> IndexedDocument:
    """A file that was last saved long ago, as an index knows it."""
    world.write(path, text)
    os.utime(world.files / path, (OLD, OLD))
    return IndexedDocument(1, path, digest(text.encode()), 0, 1)


def test_a_document_is_read_once_while_nothing_changes(world: World) -> None:
    document = write_old(world, "tea\n")
    reader = Counted(world)
    sources = Sources(reader, (), LINES)
    document_cache = DocumentCache(sources)
    for _ in range(3):
        sources.list()
        assert document_cache.read(document) == b"tea\n"
    assert reader.reads == 1


def test_a_changed_file_is_never_served_from_memory(world: World) -> None:
    document = write_old(world, "tea\n")
    sources = Sources(world.workspace, (), LINES)
    document_cache = DocumentCache(sources)
    sources.list()
    assert document_cache.read(document) == b"tea\n"
    # the same size and the same time of saving: the time of the change gives it away
    changed = write_old(world, "sea\n")
    sources.list()
    assert document_cache.read(document) is None
    assert document_cache.read(changed) == b"sea\n"
    world.remove(PATH)
    sources.list()
    assert document_cache.read(changed) is None


def test_without_a_look_at_the_files_every_document_is_read(world: World) -> None:
    document = write_old(world, "tea\n")
    reader = Counted(world)
    document_cache = DocumentCache(Sources(reader, (), LINES))
    assert document_cache.read(document) == document_cache.read(document) == b"tea\n"
    assert reader.reads == 2


def test_a_file_of_this_moment_is_read_again(world: World) -> None:
    world.write(PATH, "tea\n")
    reader = Counted(world)
    sources = Sources(reader, (), LINES)
    sources.list()
    document_cache = DocumentCache(sources)
    document = IndexedDocument(1, PATH, digest(b"tea\n"), 0, 1)
    assert document_cache.read(document) == document_cache.read(document) == b"tea\n"
    assert reader.reads == 2


def test_no_more_is_kept_than_there_is_room_for(world: World) -> None:
    documents = [write_old(world, f"{number:>9}\n", f"memory/2024-05-0{number}.md") for number in range(1, 6)]
    reader = Counted(world)
    sources = Sources(reader, (), LINES)
    sources.list()
    document_cache = DocumentCache(sources, 25)
    for document in documents:
        document_cache.read(document)
    assert reader.reads == 5
    assert [document_cache.read(document) for document in documents[-2:]] == [b"        4\n", b"        5\n"]
    assert reader.reads == 5
    document_cache.read(documents[0])
    assert reader.reads == 6


def test_an_index_serves_what_it_indexed(world: World) -> None:
    write_old(world, "tea\nand cake\n")
    index: Index = world.index()
    view = index.view()
    (document,) = view.documents.values()
    document_cache = DocumentCache(index)
    assert document_cache.read(document) == b"tea\nand cake\n"
    world.write(PATH, "nothing\n")
    index.view()
    assert document_cache.read(document) is None
