"""A mind that can be searched, and all that an index says in a form that two indexes can be compared in, whatever their numbers.

Everything is the product's own: cutting, terms, ranking and entries. Only the embedder is a fake.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
from tests.memory.minds import Mind

from everself.config.sections import Search
from everself.models.embedding.protocol import Embedder
from everself.search.chunking.marks import Flag
from everself.search.index import Index, IndexOptions
from everself.search.index_file.file import IndexPlace, reading
from everself.search.index_file.postings import load_vocabulary
from everself.search.index_file.rows import BLOCK, POSTINGS, checked, parse_vector
from everself.search.index_file.view import Snapshot
from everself.search.recall import Recall, RecallRequest
from everself.search.sync.documents import DocumentReader
from everself.storage.real_disk import RealFileSystem
from everself.testing.embedder import FakeEmbedder
from everself.values import Entry, Hit

AGENT = "an agent"
DIMENSIONS = 48
# days that a closed entry keeps its vectors: few, so that a short life sees them pass
GRACE = 1
# a chunk by its document and by how many stand before it there
Place = tuple[str, int]
Asked = Mapping[str, set[int]]


@dataclass(frozen=True)
class Said:
    """Documents with their hashes, chunks with all their columns, terms with where they stand, vectors."""

    documents: Mapping[str, tuple[str, int]]
    chunks: Mapping[Place, tuple[int, ...]]
    postings: Mapping[int, Mapping[Place, int]]
    vectors: Mapping[Place, bytes]

    def differs(self, other: "Said", *, vectors: bool = True) -> str:
        """Where the two differ, in words; nothing where they do not."""
        for name in ("documents", "chunks", "postings", *(["vectors"] if vectors else [])):
            mine, theirs = getattr(self, name), getattr(other, name)
            keys = [key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)]
            if keys:
                shown = sorted(map(str, keys))[:3]
                first = keys[0]
                return f"{len(keys)} {name} differ: {shown}; {mine.get(first)} against {theirs.get(first)}"
        return ""


def everything(view: Snapshot) -> Said:
    """All that a view says of what lives."""
    documents = {one.path: (one.hash, one.cut) for one in view.documents.values()}
    assert len(documents) == len(view.documents), "a document stands there twice"
    columns = view.columns
    alive = numpy.flatnonzero(columns["flags"] & Flag.ALIVE)
    places: dict[int, Place] = {}
    chunks: dict[Place, tuple[int, ...]] = {}
    for chunk in view.chunks(alive.tolist()):
        document, row = view.documents[chunk.document], columns[chunk.number]
        place = places[chunk.number] = document.path, chunk.number - document.first
        chunks[place] = (
            *(chunk.entry, chunk.start, chunk.end, chunk.first_line, chunk.last_line),
            *(int(row["group"]) - document.first, int(row["span"]), int(row["day"]), int(row["length"])),
            *(int(row["flags"]), int(row["until"])),
        )
    return Said(documents, chunks, _postings(view, places), _vectors(view, places))


def _postings(view: Snapshot, places: Mapping[int, Place]) -> dict[int, dict[Place, int]]:
    found: dict[int, dict[Place, int]] = {}
    reader = view._reader
    connection = reader.file.connection
    with reader.lock, reading(connection):
        header = reader.header_now()
        for block in range(len(header.vocabularies)):
            known = load_vocabulary(connection, header, block)
            rows = connection.execute("SELECT term, data FROM postings WHERE block=?", (block,)).fetchall()
            kept = dict(rows)
            for key in known.keys.tolist():
                data = checked(header, POSTINGS, key ^ block, kept.get(key), known.sum_of(key) or 0)
                numbers = numpy.frombuffer(data, "<u2", len(data) // 3).astype(int) + block * BLOCK
                for number, count in zip(numbers.tolist(), data[len(data) // 3 * 2 :], strict=True):
                    if number in places:
                        found.setdefault(key, {})[places[number]] = count
    return found


def _vectors(view: Snapshot, places: Mapping[int, Place]) -> dict[Place, bytes]:
    slot, ids = view.moment.slot, view.moment.ids
    if slot is None:
        return {}
    asked = {number: int(ids[number]) for number in places if ids[number] > 0}
    reader, rows = view._reader, {}
    with reader.lock, reading(reader.file.connection):
        query = "SELECT number, hash, model, data FROM embeddings"
        for number, hashed, model, data in reader.file.connection.execute(query):
            assert model == slot.model or number not in asked.values(), "a vector belongs to another model"
            rows[number] = parse_vector(number, hashed, model, data)
    return {places[number]: rows[identity] for number, identity in asked.items()}


class Meddler(FakeEmbedder):
    """An embedder at whose call something happens: it is asked for a query's vector in the middle of a search."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.happens: Callable[[], None] | None = None

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> "numpy.typing.NDArray[numpy.float32]":  # type: ignore[override] # purposes as plain words
        if purpose == "query" and self.happens is not None:
            self.happens()
        return super().embed(texts)


@dataclass
class Finder:
    """A mind's documents, indexes over them, and what searching them gives."""

    mind: Mind
    top: Path
    look: Callable[[DocumentReader], DocumentReader] = lambda workspace: workspace
    opened: list[Index] = field(default_factory=list)
    # called when the ranking is done and the hits are made
    happens: Callable[[], None] | None = None

    @property
    def files(self) -> Path:
        return self.top / "workspace"

    @property
    def state(self) -> Path:
        return self.top / "state"

    def index(
        self,
        embedder: Embedder | None = None,
        *,
        name: str = "index.db",
        identity: str = AGENT,
        folder: Path | None = None,
    ) -> Index:
        place = folder or self.state
        index = Index(
            self.look(self.mind.bench.workspace),
            IndexPlace(RealFileSystem(str(place)), str(place), name),
            self.mind.bench.clock,
            identity,
            embedder,
            options=IndexOptions(GRACE),
        )
        self.opened.append(index)
        return index

    @contextmanager
    def fresh(self, embedder: Embedder | None = None) -> Iterator[Index]:
        """Another index of the same files, made just now, with all its vectors."""
        name = f"fresh-{len(self.opened)}.db"
        index = self.index(embedder, name=name)
        try:
            index.view()
            if embedder is not None:
                assert not index.embed().failure
            yield index
        finally:
            index.close()
            for path in self.state.glob(f"{name}*"):
                path.unlink()

    def search(self, index: Index, queries: Sequence[str]) -> list[tuple[Hit, ...]]:
        def entries(asked: Asked, held: Mapping[str, tuple[str, bytes]]) -> Mapping[tuple[str, int], Entry]:
            if self.happens is not None:
                self.happens()
            return self.mind.catalog.at(asked, held)

        memory: Any = SimpleNamespace(
            catalog=SimpleNamespace(at=entries),
            confidence=self.mind.memory.confidence,
            words_now_of=lambda _: {},
            successors=lambda _: {},
        )
        recall = Recall(index, self.mind.bench.clock, Search(), memory, self.mind.bench.state.searches)
        return [tuple(map(_shown, recall.search(RecallRequest(query, recorded=False)).hits)) for query in queries]

    def close(self) -> None:
        for index in self.opened:
            index.close()


def _shown(hit: Hit) -> Hit:
    """Sums of floats depend on the order of what is added; nobody sees the sixth place."""
    parts = tuple(part._replace(value=round(part.value, 4)) for part in hit.parts)
    return hit._replace(score=round(hit.score, 4), parts=parts)


def _agree(one: Hit, other: Hit) -> bool:
    """What is rounded may still lie on two sides of a last figure."""
    values = [[hit.score, *(part.value for part in hit.parts)] for hit in (one, other)]
    plain = [
        hit._replace(score=0.0, parts=tuple(part._replace(value=0.0) for part in hit.parts)) for hit in (one, other)
    ]
    return plain[0] == plain[1] and all(abs(a - b) < 2e-4 for a, b in zip(*values, strict=True))


def differing(mine: Sequence[tuple[Hit, ...]], theirs: Sequence[tuple[Hit, ...]], queries: Sequence[str]) -> str:
    """The first query that finds something else here than there."""
    for query, one, other in zip(queries, mine, theirs, strict=True):
        if len(one) != len(other) or not all(map(_agree, one, other)):
            shown = [[(hit.reference, hit.score, hit.entry) for hit in hits] for hits in (one, other)]
            return f"{query!r} finds {shown[0]} and in a fresh index {shown[1]}"
    return ""
