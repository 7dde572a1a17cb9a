"""The interface between index and ranking: arrays over chunks, posting lists, cosines.

A chunk is the unit that search finds: an entry, a turn of a conversation, or a part of a long text. Chunks are numbered from 0, and those
of one document are consecutive, so neighbours have neighbouring numbers. Numbers of changed documents are dead and never reused.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from everself.frozen import Frozen

if TYPE_CHECKING:
    from everself.search.arrays import Bools, Counts, Floats, Numbers, Rows

# One row per chunk. `group` and `span` are the first chunk and the number of chunks of its context: a short document, or else a section.
# `day` counts days since 1970-01-01 (0: none). `length` is the BM25 length. `until` is the last day that the entry held, counted like
# `day` (0: still valid or unknown).
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
    """`cut` is the number of bytes beyond the reading limit, which are not indexed."""

    number: int
    path: str
    hash: str
    first: int
    count: int
    cut: int = 0


class IndexedChunk(NamedTuple):
    """The location of a chunk: bytes start..end and lines of its document. `entry` is the ordinal of its entry."""

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
        """A structured array of COLUMNS, one row per chunk."""

    @property
    def documents(self) -> Mapping[int, IndexedDocument]: ...

    @property
    def living(self) -> int: ...

    @property
    def average_length(self) -> float:
        """The average length of the living chunks, at least 1."""

    @property
    def embedded(self) -> int:
        """The number of living chunks with a vector of the current model."""

    def postings(self, term: str) -> "tuple[Numbers, Counts]":
        """Sorted numbers of the living chunks with a term, and its count in each."""

    def chunks(self, numbers: Sequence[int]) -> list[IndexedChunk]: ...

    def nearest(self, vector: "Floats", count: int) -> "Numbers":
        """The living chunks with the nearest vectors, best first; nearly exact."""

    def cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        """Exact cosines for those chunks; NaN for dead chunks and those without a vector."""

    def likenesses(self, numbers: "Numbers") -> "Floats":
        """The cosines of some dozens of chunks with each other; NaN for dead chunks and those without a vector."""

    @property
    def second_embedded(self) -> int:
        """The number of living chunks with a vector of the second model."""

    def has_second(self, numbers: "Numbers") -> "Bools":
        """Whether each of these chunks has a vector of the second model."""

    def second_cosines(self, vector: "Floats", numbers: "Numbers") -> "Floats":
        """The same with the vectors of the second model, for some hundreds of chunks."""
