"""Opens what searching needs: the index beside the agent's state, the embedder that the settings ask for, files from elsewhere."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from everself.app.outside import ensure_folder
from everself.disk.filesystem import READ_LIMIT, disk_errors
from everself.disk.real import RealFileSystem
from everself.errors import DiskError, EverselfError, NotFound, RefusedByRule
from everself.values import Document, Entry, FileStat

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.index.index import Index
    from everself.indexfile.file import IndexPlace
    from everself.memory.book import Book
    from everself.models.embedding.protocol import Embedder
    from everself.recall.recall import Recall
    from everself.upkeep.traces import IndexTraces

INDEX_FILE = "index.db"
MODELS_FOLDER = "models"
SWITCH_ON = "everself config set memorySearch.enabled true"


def need_search(app: "App") -> None:
    """Whoever searches is refused where the settings say so."""
    if not app.agent.search.enabled:
        raise RefusedByRule("Searching memory is switched off.", mend=SWITCH_ON)


def open_search_embedder(app: "App") -> "Embedder | None":
    """The embedder that the settings ask for; nothing is loaded yet."""
    from everself.models.embedding import open_embedder

    return open_embedder(app.agent.search, app.loaded.config.provider, os.path.join(app.places.home, MODELS_FOLDER))


def open_index(app: "App") -> "Index":
    from everself.index.index import Index

    place = index_place(app)
    # where there can be no folder, the index lives in memory and says so
    with suppress(DiskError, NotFound):
        ensure_folder(place.folder)
    return Index(app.workspace, place, app.clock, index_identity(app), app.embedder, elsewhere(app))


def index_place(app: "App") -> "IndexPlace":
    from everself.indexfile.file import IndexPlace

    path = app.agent.search.store_path
    if not path:
        return usual_index_place(app)
    folder, name = os.path.split(path)
    return IndexPlace(RealFileSystem(folder), folder, name)


def usual_index_place(app: "App") -> "IndexPlace":
    from everself.indexfile.file import IndexPlace

    return IndexPlace(RealFileSystem(app.agent.state), app.agent.state, INDEX_FILE)


def open_traces(app: "App") -> "IndexTraces":
    """The index as forgetting reaches it; nothing is opened yet."""
    from everself.index.sync.preparing import Sources, default_craft
    from everself.upkeep.traces import IndexTraces

    place, usual = index_place(app), usual_index_place(app)
    unused = [usual] if (place.folder, place.name) != (usual.folder, usual.name) else []
    return IndexTraces(
        place, lambda: Sources(app.workspace, elsewhere(app), default_craft()), lambda: app.index, unused
    )


def index_identity(app: "App") -> str:
    return f"{app.agent.id} {app.agent.workspace}"


def elsewhere(app: "App") -> "list[Elsewhere]":
    return [Elsewhere(_absolute(app, path)) for path in app.agent.search.extra_paths]


def _absolute(app: "App", path: str) -> str:
    """A path without a root is meant from the workspace."""
    if path.startswith("~"):
        path = app.places.expand(path, "memorySearch.extraPaths")
    return os.path.normpath(os.path.join(app.agent.workspace, path))


def open_recall(app: "App") -> "Recall":
    from everself.recall.recall import Keeping, Recall

    book = app.memory.book
    keeping = Keeping(lambda asked: find_entries(book, asked), app.memory.confidence, app.state.searches.record)
    return Recall(app.index, app.clock, app.agent.search, keeping)


def find_entries(book: "Book", asked: Mapping[str, set[int]]) -> dict[tuple[str, int], Entry]:
    """Entries by document and place in it. A document that cannot be read has none: the hit is served without its entry."""
    try:
        return book.at(asked)
    except EverselfError:
        return {}


class Elsewhere:
    """A file or folder of `memorySearch.extraPaths`, read only. Its documents are called by their absolute paths."""

    def __init__(self, path: str) -> None:
        self._path = path

    def list(self, under: str = "") -> list[FileStat]:  # noqa: ARG002 (the protocol's)
        found: list[FileStat] = []
        if os.path.isfile(self._path):
            folder, name = os.path.split(self._path)
            with disk_errors(self._path):
                stat = RealFileSystem(folder).stat(name)
            return [_renamed(stat, self._path)] if stat is not None else []
        if not os.path.isdir(self._path):
            return []
        files = RealFileSystem(self._path)
        folders = [""]
        while folders:
            with disk_errors(self._path):
                for one in files.list(folders.pop()):
                    if one.path.rpartition("/")[2].startswith("."):
                        continue
                    if one.kind == "directory":
                        folders.append(one.path)
                    elif one.path.endswith((".md", ".markdown", ".txt")):
                        found.append(_renamed(one, f"{self._path}/{one.path}"))
        return sorted(found, key=lambda one: one.path)

    def find(self, path: str) -> Document | None:
        folder, name = os.path.split(path)
        if path != self._path and not path.startswith(f"{self._path}/"):
            return None
        files = RealFileSystem(folder)
        with disk_errors(path):
            stat = files.stat(name)
            if stat is None or stat.kind != "file":
                return None
            return Document(path, files.read(name), max(0, stat.size - READ_LIMIT))


def _renamed(stat: FileStat, path: str) -> FileStat:
    return FileStat(
        path, stat.kind, stat.size, stat.mode, stat.links, stat.device, stat.inode, stat.mtime_ns, stat.ctime_ns
    )
