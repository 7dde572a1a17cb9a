"""LanceDB and memsearch as measured systems: the same documents, and the same encoder where they accept one.

Both are installed in a separate environment (`make bench-peers`); nothing else here needs them.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.bench_recall.sets import Question, Store

from everself.search.packing import pack
from everself.text.tokens import count
from everself.values import Hit

if TYPE_CHECKING:
    from everself.models.embedding import Embedder

# number of hits that the product considers for a budget
_PACKED = 200
_TABLE = "units"


class Peer(ABC):
    """Common part of the peers: packs hits, best first, as the product does, so that a token costs the same."""

    name = ""

    @abstractmethod
    def rank(self, question: Question, limit: int) -> Sequence[Hit]: ...

    def read(self, question: Question, budget: int) -> str:
        return pack(self.rank(question, _PACKED), budget, count).text

    def strength(self, hit: Hit) -> float:
        return hit.score


class LanceWords(Peer):
    """LanceDB's full-text search over one row per turn, entry or passage."""

    name = "lancedb fts"

    def __init__(self, store: Store, folder: Path, embedder: "Embedder") -> None:
        self._embedder = embedder
        self._place = str(folder / "lance")
        rows = [
            {"path": unit.path, "first": unit.first_line, "last": unit.last_line, "text": unit.said, "shown": unit.text}
            for unit in store.units
        ]
        vectors = embedder.embed([unit.said for unit in store.units])
        held = [{**row, "vector": vector.tolist()} for row, vector in zip(rows, vectors, strict=True)]
        table = import_module("lancedb").connect(self._place).create_table(_TABLE, held, mode="overwrite")
        table.create_fts_index("text", replace=True)
        self._table = table

    def reopen(self) -> None:
        """Open the table again, as a newly started program does."""
        self._table = import_module("lancedb").connect(self._place).open_table(_TABLE)

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        found = self._table.search(plain(question.text), query_type="fts").limit(limit).to_list()
        return _hits(found, "_score")


class LanceHybrid(LanceWords):
    """The same with LanceDB's hybrid of full text and vectors, at its default settings."""

    name = "lancedb hybrid"

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        (vector,) = self._embedder.embed([question.text], purpose="query")
        asked = self._table.search(query_type="hybrid").vector(vector.tolist()).text(plain(question.text))
        return _hits(asked.limit(limit).to_list(), "_relevance_score")


class Memsearch(Peer):
    """memsearch over the same Markdown files, at its default settings, with the product's encoder."""

    name = "memsearch"

    def __init__(self, store: Store, folder: Path, embedder: "Embedder") -> None:
        self._notes = folder / "notes"
        for path, content in store.documents:
            place = self._notes / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        self._provider = _Provider(embedder)
        self._base = str(folder / "milvus.db")
        self.reopen()
        asyncio.run(self._made.index())

    def reopen(self) -> None:
        core: Any = import_module("memsearch.core")
        # its own providers call a server or load their own weights
        core.get_provider = lambda *_, **__: self._provider
        self._made = core.MemSearch([self._notes], milvus_uri=self._base)

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        found = asyncio.run(self._made.search(question.text, top_k=limit))
        return [
            Hit(
                Path(one["source"]).relative_to(self._notes.resolve()).as_posix(),
                int(one["start_line"]),
                int(one["end_line"]),
                float(one["score"]),
                one["content"],
            )
            for one in found
        ]


class _Provider:
    """The encoder interface of memsearch."""

    model_name = "everself"
    batch_size = 64

    def __init__(self, embedder: "Embedder") -> None:
        self._embedder = embedder
        self.dimension = len(embedder.embed(["."])[0])

    async def embed(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors


def plain(text: str) -> str:
    """The text without characters that a query language treats as operators."""
    return "".join(char if char.isalnum() else " " for char in text)


def _hits(found: Sequence[dict[str, Any]], score: str) -> list[Hit]:
    return [Hit(one["path"], one["first"], one["last"], float(one.get(score) or 0.0), one["shown"]) for one in found]


PEERS: tuple[Callable[[Store, Path, "Embedder"], LanceWords | Memsearch], ...] = (LanceWords, LanceHybrid, Memsearch)
