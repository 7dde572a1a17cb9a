"""A workspace that can be searched: real files, a real index, and a catalog of entries beside it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from everself.config.sections import Search
from everself.models.embedding import Embedder
from everself.search.index import Index, IndexOptions
from everself.search.index_file.file import IndexPlace
from everself.search.recall import Recall, RecallRequest, SearchResult
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.searches import HitRecord, SearchRecord
from everself.testing.frozen_time import FrozenTime
from everself.testing.workspaces import real_workspace
from everself.workspace.protocol import Workspace


@dataclass
class Searchable:
    """Files, and what searching them gives."""

    files: Path
    workspace: Workspace
    index: Index
    time: FrozenTime
    memory: Any
    searches: Any
    settings: Search = field(default_factory=Search)

    @property
    def today(self) -> date:
        return self.time.clock().today()

    def write(self, path: str, text: str) -> None:
        target = self.files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def search(self, query: str, request: RecallRequest | None = None) -> SearchResult:
        recall = Recall(self.index, self.time.clock(), self.settings, self.memory, self.searches)
        return recall.search(replace(request, query=query) if request else RecallRequest(query))

    def texts(self, query: str, request: RecallRequest | None = None) -> list[str]:
        """Of what fits; what only comes nearest is not in it."""
        return [hit.text for hit in self.search(query, request).hits if not hit.weak]


@contextmanager
def searchable(
    top: Path,
    embedder: Embedder | None = None,
    recorded: list[SearchRecord] | None = None,
    second: Embedder | None = None,
) -> Iterator[Searchable]:
    from everself.memory.catalog import Catalog

    time = FrozenTime()
    with real_workspace(str(top)) as bench:
        state = top / "state"
        catalog = Catalog(bench.workspace, bench.state.entries, bench.state.provenance, time.clock())

        def record(search: SearchRecord, hits: Sequence[HitRecord]) -> str:
            if recorded is not None:
                recorded.append(replace(search, hits=tuple(hits)))
            return "noted"

        index = Index(
            bench.workspace,
            IndexPlace(RealFileSystem(str(state)), str(state)),
            time.clock(),
            "an agent",
            embedder,
            options=IndexOptions(second=second),
        )
        try:
            yield Searchable(
                top / "workspace",
                bench.workspace,
                index,
                time,
                SimpleNamespace(catalog=catalog, words_now_of=lambda _: {}, successors=lambda _: {}),
                SimpleNamespace(record=record),
            )
        finally:
            index.close()
