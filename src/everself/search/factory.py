"""Opens the index, recall over it, and its part of forgetting."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from everself.errors import DiskError, NotFound, RefusedByRule
from everself.storage.host_files import ensure_folder, split_path
from everself.storage.real_disk import RealFileSystem

if TYPE_CHECKING:
    from everself.clock import Clock
    from everself.config.sections import AgentSettings, Search
    from everself.models.embedding.protocol import Embedder
    from everself.search.forgetting import IndexTraces
    from everself.search.index import Index, IndexOptions
    from everself.search.index_file.file import IndexPlace
    from everself.workspace.disk_workspace import DiskWorkspace
    from everself.workspace.extra_paths import ExtraPath

INDEX_FILE: Final = "index.db"
SWITCH_ON: Final = "everself config set memorySearch.enabled true"


def need_search(settings: "Search") -> None:
    """Raise RefusedByRule if the settings disable search."""
    if not settings.enabled:
        raise RefusedByRule("Memory search is disabled.", mend=SWITCH_ON)


def open_index(
    agent: "AgentSettings",
    workspace: "DiskWorkspace",
    clock: "Clock",
    embedder: "Embedder | None",
    extra_paths: "Sequence[ExtraPath]",
    options: "IndexOptions",
) -> "Index":
    from everself.search.index import Index

    place = index_place(agent)
    # without a folder, the index is kept in memory and reports it
    with suppress(DiskError, NotFound):
        ensure_folder(place.folder)
    return Index(workspace, place, clock, index_identity(agent), embedder, extra_paths, options=options)


def index_place(agent: "AgentSettings") -> "IndexPlace":
    return _place(agent.search.store_path or f"{agent.state}/{INDEX_FILE}")


def unused_place(agent: "AgentSettings") -> "IndexPlace | None":
    """The default location of an index that is no longer used, because the settings name another one."""
    usual = f"{agent.state}/{INDEX_FILE}"
    return None if agent.search.store_path in ("", usual) else _place(usual)


def _place(path: str) -> "IndexPlace":
    from everself.search.index_file.file import IndexPlace

    folder, name = split_path(path)
    return IndexPlace(RealFileSystem(folder), folder, name)


def index_identity(agent: "AgentSettings") -> str:
    return f"{agent.id} {agent.workspace}"


def open_traces(
    agent: "AgentSettings",
    workspace: "Callable[[], DiskWorkspace]",
    extra_paths: "Callable[[], Sequence[ExtraPath]]",
    index: "Callable[[], Index]",
) -> "IndexTraces":
    """The index as a store for forgetting; nothing is opened yet."""
    from everself.search.forgetting import IndexTraces
    from everself.search.sync.documents import Sources, default_chunking

    def open_sources() -> Sources:
        return Sources(workspace(), extra_paths(), default_chunking())

    return IndexTraces(index_place(agent), open_sources, index, unused_place(agent))
