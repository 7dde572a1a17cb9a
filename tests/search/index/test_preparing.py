"""What of a document is indexed: all that it says but secrets, up to as many lines as it bears, and cut no more often than needed."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.search.index.world import LINES, World, make_world, what_it_says

from everself.memory.entries import read_document
from everself.search.chunking.chunks import chunk_document
from everself.search.sync.documents import Sources
from everself.testing.embedder import FakeEmbedder
from everself.text.redaction import blank_secrets
from everself.values import Document

LETTERS = "\n".join("MIIEowIBAAKCAQEA" + "abCD12" * 8 for _ in range(6))
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        yield made


def test_a_secret_moves_neither_the_lines_nor_the_entries_after_it() -> None:
    data = f"# Keys\n\n- one\n\n{KEY}\n- AKIAIOSFODNN7EXAMPLE\n- **Key:** AKIAIOSFODNN7EXAMPLE\r\n- two\n".encode()
    blanked = blank_secrets(data)
    assert b"MIIE" not in blanked
    assert b"AKIA" not in blanked
    assert len(blanked) == len(data)
    places = [(one.ordinal, one.start, one.first_line) for one in read_document(data)]
    assert [(one.ordinal, one.start, one.first_line) for one in read_document(blanked)] == places
    last = chunk_document("MEMORY.md", blanked)[-1]
    assert (last.text, last.first_line, last.entry) == ("two", 16, 4)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_document_of_too_many_lines_is_indexed_to_the_last_that_fits_and_announced(
    world: World, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr("everself.memory.entries.LINES_READ", 3)
    (world.files / "MEMORY.md").write_bytes(ending.join(["anna", "", "bob", "carl", ""]).encode())
    world.write("memory/short.md", "carl\n\nanna\n")
    index = world.index(chunking=LINES)
    report = index.sync()
    assert report.truncated == ("MEMORY.md",)
    assert any(notice.startswith("MEMORY.md is too large") for notice in index.view().notices)
    documents = {one.path: one.cut for one in index.view().documents.values()}
    assert documents == {"MEMORY.md": len(f"carl{ending}"), "memory/short.md": 0}
    # and it is not read again for having been left at that
    assert index.sync().read == 0


def test_a_document_ends_where_it_has_as_many_words_as_memory_bears(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.search.sync.transaction.POSTINGS_OF_A_DOCUMENT", 5)
    world.write("memory/a.md", "anna bob\ncarl dora\n")
    world.write("memory/b.md", "anna bob\n\nanna carl\nemil dora\nfritz\ngrete\n")
    index = world.index()
    assert index.sync().truncated == ("memory/b.md",)
    view = index.view()
    assert {one.path: (one.count, one.cut) for one in view.documents.values()} == {
        "memory/a.md": (2, 0),
        "memory/b.md": (3, len("fritz\ngrete")),
    }
    assert view.columns["group"].tolist() == [0, 0, 2, 3, 3]
    assert view.columns["span"].tolist() == [2, 2, 1, 2, 2]
    assert len(view.postings("fritz")[0]) == 0
    assert len(view.postings("dora")[0]) == 2
    assert index.sync().read == 0


def test_a_file_that_grows_beyond_what_is_read_is_not_cut_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.workspace.disk_workspace.READ_LIMIT", 10)
    index = world.index()
    for size, read in ((10, 1), (15, 0), (12, 0), (10, 0)):
        world.write("MEMORY.md", "anna\nbob\n\nmore\n"[:size])
        assert index.sync().read == read
        assert [one.cut for one in index.view().documents.values()] == [size - 10]


def test_a_document_of_many_batches_is_cut_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everself.search.sync.embedding.BATCH", 4)
    world.write("MEMORY.md", "".join(f"anna {number}\n" for number in range(30)))
    world.index(FakeEmbedder()).view()
    cuts: list[str] = []
    texts = Sources.texts

    def counted(sources: Sources, document: Document) -> Sequence[str]:
        cuts.append(document.path)
        return texts(sources, document)

    monkeypatch.setattr(Sources, "texts", counted)
    # another process, which has no text at hand from having indexed it
    index = world.index(FakeEmbedder())
    assert index.embed().done == 30
    assert cuts == ["MEMORY.md"]
    assert what_it_says(index.view(), ("anna",)) == what_it_says(world.fresh().view(), ("anna",))


def test_whoever_has_little_time_leaves_a_large_document_to_those_who_have_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.search.sync.embedding._CHUNKED_AT_ONCE", 100)
    world.write("memory/a.md", "anna\nbob\n")
    world.write("memory/b.md", "".join(f"carl {number}\n" for number in range(60)))
    world.index(FakeEmbedder()).view()
    index = world.index(FakeEmbedder())
    report = index.embed(seconds=30)
    assert (report.done, report.pending) == (2, 60)
    assert index.embed().done == 60


def test_a_copied_day_that_is_no_plain_file_any_more_is_read_from_its_copy(world: World) -> None:
    archive = (
        "# Archive\n\n# 2026-02-19\n<!-- everself: copy-of=memory/2026-02-19.md sha=00 lines=2 -->\n\nanna likes tea\n"
    )
    world.write("memory/2026-02-19.md", "anna likes tea\n")
    world.write("memory/archive/2026-Q1.md", archive)
    index = world.index()
    assert len(index.view().postings("tea")[0]) == 1
    world.remove("memory/2026-02-19.md")
    (world.files / "memory/2026-02-19.md").symlink_to("nowhere.md")
    assert len(index.view().postings("tea")[0]) == 1
    assert len(world.index().view().postings("tea")[0]) == 1
