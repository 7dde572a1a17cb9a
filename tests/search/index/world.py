"""A workspace with an index beside it, cut in a way that a test can foresee, and what an index says, independent of its numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy

from everself.models.embedding.protocol import Embedder
from everself.search.chunking.chunks import Chunk
from everself.search.chunking.marks import Flag
from everself.search.index import Index, IndexOptions
from everself.search.index_file.file import IndexPlace
from everself.search.index_file.view import Snapshot
from everself.search.sync.documents import ChunkingRules, DocumentReader
from everself.storage.real_disk import RealFileSystem
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import real_workspace


def chunk_lines(_path: str, data: bytes, *, imported: bool = False) -> tuple[Chunk, ...]:
    """Every line that says something is a chunk; an empty line begins another group."""
    chunks, start, group = [], 0, 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        end = start + len(line)
        if line.strip():
            flags = Flag.IMPORTED if imported else Flag(0)
            text = line.decode("utf-8", "replace")
            chunks.append(Chunk(number - 1, start, end, number, number, text, "", (), None, flags, group))
        else:
            group += 1
        start = end + 1
    return tuple(chunks)


def words_of(chunk: Chunk, _path: str) -> tuple[dict[str, int], int]:
    words = chunk.text.casefold().split()
    return dict(Counter(words)), len(words)


LINES = ChunkingRules(chunk_lines, words_of, lambda chunks: [chunk.text for chunk in chunks], "lines")


class World:
    """Files of a workspace, and indexes over it."""

    def __init__(self, top: Path, workspace: DocumentReader) -> None:
        self.workspace = workspace
        self.files = top / "workspace"
        self.state = top / "state"
        self.database = self.state / "index.db"
        self.clock = FrozenTime().clock()
        self.opened: list[Index] = []

    def write(self, path: str, text: str) -> None:
        target = self.files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def remove(self, path: str) -> None:
        (self.files / path).unlink()

    def index(
        self,
        embedder: Embedder | None = None,
        *,
        identity: str = "an agent",
        extra: Sequence[DocumentReader] = (),
        chunking: ChunkingRules = LINES,
        name: str = "index.db",
        second: Embedder | None = None,
    ) -> Index:
        place = IndexPlace(RealFileSystem(str(self.state)), str(self.state), name)
        opened = Index(
            self.workspace, place, self.clock, identity, embedder, extra, chunking, options=IndexOptions(second=second)
        )
        self.opened.append(opened)
        return opened

    def fresh(self, embedder: Embedder | None = None) -> Index:
        """Another index of the same files, made just now."""
        return self.index(embedder, name=f"other-{len(self.opened)}.db")


@contextmanager
def make_world(top: Path) -> Iterator[World]:
    with real_workspace(str(top)) as bench:
        world = World(top, bench.workspace)
        (world.files / "memory").mkdir(exist_ok=True)
        try:
            yield world
        finally:
            for index in world.opened:
                index.close()


Said = tuple[set[tuple[str, str]], dict[tuple[str, int], tuple[int, ...]], dict[str, dict[tuple[str, int], int]]]


def what_it_says(view: Snapshot, words: Sequence[str]) -> Said:
    """Documents, chunks by path and line, and for each word where it stands and how often."""
    documents = {(one.path, one.hash) for one in view.documents.values()}
    living = numpy.flatnonzero(view.columns["flags"] & Flag.ALIVE).tolist()
    columns = view.columns
    places: dict[int, tuple[str, int]] = {}
    chunks: dict[tuple[str, int], tuple[int, ...]] = {}
    for chunk in view.chunks(living):
        document = view.documents[chunk.document]
        row = columns[chunk.number]
        places[chunk.number] = document.path, chunk.first_line
        chunks[places[chunk.number]] = (
            *(chunk.entry, chunk.start, chunk.end, chunk.last_line),
            *(int(row["group"]) - document.first, int(row["span"]), int(row["day"]), int(row["length"])),
            *(int(row["flags"]), chunk.number - document.first),
        )
    postings = {}
    for word in words:
        numbers, counts = view.postings(word)
        postings[word] = {places[one]: count for one, count in zip(numbers.tolist(), counts.tolist(), strict=True)}
    return documents, chunks, postings


def cosines_by_place(view: Snapshot, vector: "numpy.typing.NDArray[numpy.float32]") -> dict[tuple[str, int], float]:
    """The cosine of every chunk that has a vector, by path and line."""
    living = numpy.flatnonzero(view.columns["flags"] & Flag.ALIVE).astype(numpy.int32)
    found = view.cosines(vector, living)
    return {
        (view.documents[chunk.document].path, chunk.first_line): round(float(score), 5)
        for chunk, score in zip(view.chunks(living.tolist()), found, strict=True)
        if not numpy.isnan(score)
    }
