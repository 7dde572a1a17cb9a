"""Whatever a document holds: nothing is lost, ranges are right, and cost grows with size alone."""

from itertools import pairwise

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everself.memory.entries import read_document
from everself.search.chunking.chunks import chunk_document, chunk_text

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

WORD = re2.compile(r"[\pL\pN]+")
LINES = st.sampled_from(
    [
        "", "# Title", "## [09:30:00] note", "### Deep", "plain words here", "- item one", "  - below it", "1. first", "> quoted",
        "```", "~~~", "    indented", "| a | b |", "|---|---|", "| c | d |", "**Anna:** hello", "Ben: yes", "user: ask?", "小明：你好。",
        "- **Anna:** listed", "~~struck~~", "- ~~gone~~", "---", "long " * 120, "Ein Satz. Noch einer! Und? " * 40, "茶。" * 300, "x" * 900,
        "- kept <!-- everself: id=7K3QX9M2ABCD seen=2026-03-19 -->", "<!-- everself: id=7K3QX9M2ABCE -->", "<!-- other -->",
        "<div>", "[14:03] Eve: hm",
    ]
)  # fmt: skip
DOCUMENTS = st.builds(
    lambda lines, end: end.join(lines).encode(), st.lists(LINES, max_size=30), st.sampled_from(["\n", "\r\n", "\r"])
)
# what a comment of ours says inside code is code to a reader of entries and a comment to a reader of chunks
FIELDS = {"everself", "id", "7K3QX9M2ABCD", "7K3QX9M2ABCE", "seen", "2026", "03", "19"}


def check(data: bytes) -> None:
    reads = read_document(data)
    found = chunk_document("memory/2026-03-19.md", data)
    assert found == chunk_document("memory/2026-03-19.md", data)
    lines = len(data.splitlines())
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.entry <= after.entry
        assert after.group - before.group in (0, 1)
    for chunk in found:
        assert 0 <= chunk.start < chunk.end <= len(data)
        assert 1 <= chunk.first_line <= chunk.last_line <= lines
        assert len(data[: chunk.start].splitlines()) <= chunk.first_line
        assert chunk.text == chunk_text(data, chunk.start, chunk.end) != ""
    said: dict[int, set[str]] = {}
    for chunk in found:
        said.setdefault(chunk.entry, set()).update(WORD.findall(chunk.text))
    for read in reads:
        lost = set(WORD.findall(read.text)) - said.get(read.ordinal, set()) - FIELDS
        assert not {word for word in lost if len(word.encode()) < 200}


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_no_word_of_a_document_is_lost(data: bytes) -> None:
    check(data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400).map(lambda some: some * 4))
@example(b"\xef\xbb\xbf# T\n\n**A:** x\n**B:** y\n")
@example(b"Anna: \xff\xfe\nBen: \x00\nAnna: \xe8\x8c\n")
@example(b"\x80" * 3000)
@example(b"a\xe8\x8c\xb6" * 1000)
@example(b"<!-- everself:" * 500)
def test_any_bytes_are_accepted(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize("character", ["茶", "é", "😀", "한", "x茶"])
def test_no_character_is_cut_in_two(character: str) -> None:
    for chunk in chunk_document("memory/a.md", (character * 4000).encode()):
        assert set(chunk.text) == set(character)


HOSTILE = [
    b"word ",
    b"x",
    b"<!--",
    b"<!-- everself: id=A -->",
    b"Anna: ",
    b"**",
    b"|",
    b"> ",
    "茶".encode(),
    b"\r",
    b"a: b\n",
    b"```\nA: b\n```\n",
    b"Anna: x\n```\ncode\n```\n",
    b"- **Anna:** x\n",
    b"# A\n\nAnna: x\n",
]


@pytest.mark.parametrize("some", HOSTILE)
@pytest.mark.timeout(300)
def test_a_lot_of_anything_is_cut(some: bytes) -> None:
    data = some * (40_000 // len(some))
    assert all(chunk.start < chunk.end <= len(data) for chunk in chunk_document("memory/a.md", data))


@pytest.mark.slow
@pytest.mark.parametrize("some", HOSTILE)
@pytest.mark.timeout(600)
def test_a_megabyte_of_anything_is_cut_in_linear_time(some: bytes) -> None:
    data = some * (1_000_000 // len(some))
    assert all(chunk.start < chunk.end <= len(data) for chunk in chunk_document("memory/a.md", data))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_line_of_fifty_megabytes_is_cut() -> None:
    found = chunk_document("memory/a.md", b"Some words in a sentence. " * 2_000_000)
    assert len(found) > 10_000
    assert max(len(chunk.text) for chunk in found) < 4_000
