"""Opens what searching needs: the index beside the agent's state, the embedder that the settings ask for, files from elsewhere."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from everself.errors import DiskError, EverselfError, NotFound, RefusedByRule
from everself.storage.host_files import ensure_folder
from everself.storage.real_disk import RealFileSystem
from everself.values import Entry
from everself.workspace.extra_paths import Elsewhere

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.config import Agent
    from everself.memory.catalog import Book
    from everself.models.embedding.protocol import Embedder
    from everself.search.forgetting import IndexTraces
    from everself.search.index import Index
    from everself.search.index_file.file import IndexPlace
    from everself.search.recall import Recall

INDEX_FILE = "index.db"
MODELS_FOLDER = "models"
SWITCH_ON = "everself config set memorySearch.enabled true"


class Known(Protocol):
    """As much of an App as tells where its index is: an examined agent has it too."""

    @property
    def agent(self) -> "Agent": ...


def need_search(app: "App") -> None:
    """Whoever searches is refused where the settings say so."""
    if not app.agent.search.enabled:
        raise RefusedByRule("Searching memory is switched off.", mend=SWITCH_ON)


def open_search_embedder(app: "App") -> "Embedder | None":
    """The embedder that the settings ask for; nothing is loaded yet."""
    from everself.models.embedding import open_embedder

    return open_embedder(app.agent.search, app.loaded.config.provider, os.path.join(app.places.home, MODELS_FOLDER))


def open_index(app: "App") -> "Index":
    from everself.search.index import Index

    place = index_place(app)
    # where there can be no folder, the index lives in memory and says so
    with suppress(DiskError, NotFound):
        ensure_folder(place.folder)
    grace = app.tunables.corrected_embedding_grace_days
    return Index(app.workspace, place, app.clock, index_identity(app), app.embedder, elsewhere(app), grace=grace)


def index_place(app: "Known") -> "IndexPlace":
    return _place(app.agent.search.store_path or f"{app.agent.state}/{INDEX_FILE}")


def unused_place(app: "Known") -> "IndexPlace | None":
    """Where an index may lie that nobody searches any more, because the settings name another place."""
    usual = f"{app.agent.state}/{INDEX_FILE}"
    return None if app.agent.search.store_path in ("", usual) else _place(usual)


def _place(path: str) -> "IndexPlace":
    from everself.search.index_file.file import IndexPlace

    folder, name = os.path.split(path)
    return IndexPlace(RealFileSystem(folder), folder, name)


def open_traces(app: "App") -> "IndexTraces":
    """The index as forgetting reaches it; nothing is opened yet."""
    from everself.search.forgetting import IndexTraces
    from everself.search.sync.documents import Sources, default_craft

    def open_sources() -> Sources:
        return Sources(app.workspace, elsewhere(app), default_craft())

    return IndexTraces(index_place(app), open_sources, lambda: app.index, unused_place(app))


def index_identity(app: "Known") -> str:
    return f"{app.agent.id} {app.agent.workspace}"


def elsewhere(app: "App") -> "list[Elsewhere]":
    return [Elsewhere(_absolute(app, path)) for path in app.agent.search.extra_paths]


def _absolute(app: "App", path: str) -> str:
    """A path without a root is meant from the workspace."""
    if path.startswith("~"):
        path = app.places.expand(path, "memorySearch.extraPaths")
    return os.path.normpath(os.path.join(app.agent.workspace, path))


def open_recall(app: "App") -> "Recall":
    from everself.search.recall import Keeping, Recall

    book = app.memory.book
    keeping = Keeping(
        lambda asked, held: find_entries(book, asked, held),
        app.memory.confidence,
        app.state.searches.record,
        app.memory.words_now,
    )
    boost = app.tunables.correction_relevance_boost
    return Recall(app.index, app.clock, app.agent.search, keeping, boost=boost)


def find_entries(
    book: "Book", asked: Mapping[str, set[int]], held: Mapping[str, tuple[str, bytes]]
) -> dict[tuple[str, int], Entry]:
    """Entries by document and place in it. A document that cannot be read has none: the hit is served without its entry."""
    try:
        return book.at(asked, held)
    except EverselfError:
        return {}
