"""The interface between index and ranking: arrays over chunks, posting lists, cosines.

A chunk is the small chunk of a document that search finds: an entry, a turn of a conversation, a part of a long text. Chunks are
numbered from 0; those of one document stand in a row, so that a chunk's neighbours are the numbers beside it. Numbers of documents that
changed are dead and never used again.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from everself.frozen import Frozen

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Counts, Floats, Numbers, Rows

# One row a chunk. `group` and `span` are the first chunk and the number of chunks of the smallest part of the document that makes context:
# the document where it is short, else its section. `day` counts days since 1970-01-01 (0: none). `length` is what BM25 counts.
# `until` is the last day that the entry held, counted like `day` (0: it holds, or nobody knows since when not).
COLUMNS = [
    ("document", "<i4"),
    ("group", "<i4"),
    ("span", "<i4"),
    ("day", "<i4"),
    ("length", "<u2"),
    ("flags", "<u2"),
    ("until", "<i4"),
]


class IndexedDocument(Frozen):
    """`cut` counts the bytes beyond the reading limit, which were not indexed."""

    number: int
    path: str
    hash: str
    first: int
    count: int
    cut: int = 0


class IndexedChunk(Frozen):
    """Where a chunk stands: bytes start..end and lines of its document. `entry` is the ordinal of the memory it belongs to there."""

    number: int
    document: int
    entry: int
    start: int
    end: int
    first_line: int
    last_line: int


class IndexView(Protocol):
    """The index at one moment."""

    @property
    def generation(self) -> int: ...

    @property
    def columns(self) -> "Rows":
        """A structured array of COLUMNS, one row a chunk."""

    @property
    def documents(self) -> Mapping[int, IndexedDocument]: ...

    @property
    def living(self) -> int: ...

    @property
    def average_length(self) -> float:
        """Of the living chunks, at least 1."""

    @property
    def embedded(self) -> int:
        """How many living chunks have a vector of the present model."""

    def postings(self, term: str) -> "tuple[Numbers, Counts]":
        """Numbers of the living chunks with that term, rising, and how often each has it."""

    def chunks(self, numbers: Sequence[int]) -> list[IndexedChunk]: ...

    def nearest(self, vector: "Floats", count: int) -> "Numbers":
        """Living chunks whose vectors are nearest, best first; nearly exact."""

    def cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        """Exact cosines for those chunks; NaN where a chunk has no vector or is dead."""

    @property
    def second_embedded(self) -> int:
        """How many living chunks have a vector of the second model."""

    def has_second(self, numbers: "Numbers") -> "Bools":
        """Which of these chunks have a vector of the second model."""

    def second_cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        """The same by the vectors of the second model, for some hundreds of chunks."""
