"""A quick overview of an index: its header and list of documents, without loading, repairing or writing anything.

Made for a quick status: does not import numpy. An index that cannot be read is reported as unusable; a search would rebuild it.
"""

from typing import TYPE_CHECKING

from everself.errors import Damaged, DiskError, EverselfError, NotFound, StoreBusy
from everself.frozen import Frozen
from everself.search.index_file.file import IndexPlace, open_existing, reading
from everself.search.index_file.header import count_embedded, load_header, parse_sources
from everself.search.index_file.rows import FORMAT
from everself.search.sync.documents import Sources, stamp_of
from everself.storage.filesystem import disk_errors

if TYPE_CHECKING:
    import apsw


class IndexStatus(Frozen):
    """`stale` documents differ on disk from the index; `pending` chunks have no vector of `model` yet."""

    documents: int
    chunks: int
    dead: int
    embedded: int
    pending: int
    size: int
    stale: int
    model: str
    in_memory: bool
    notices: tuple[str, ...]
    # the better embedder that runs in idle time; empty if there is none
    second_model: str = ""
    second_pending: int = 0


class IndexOverview(Frozen):
    """`trouble` is the reason why the index cannot be used; `stale` counts documents with other stamps."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    second_embedded: int = 0
    stale: int = 0
    size: int = 0
    truncated: tuple[str, ...] = ()
    trouble: str = ""


def read_overview(
    place: IndexPlace, identity: str, sources: Sources, model: int, second: int = 0
) -> IndexOverview | None:
    """The overview; None if there is no index yet."""
    try:
        file = open_existing(place)
        if file is None:
            return None
        try:
            with reading(file.connection):
                return _look(file.connection, place, sources, (identity, model, second))
        finally:
            file.close()
    except NotFound:
        return None
    except StoreBusy:
        return IndexOverview(trouble="Another process is writing it.")
    except (Damaged, DiskError) as error:
        return IndexOverview(trouble=error.detail or str(error))


def _look(
    connection: "apsw.Connection", place: IndexPlace, sources: Sources, ours: tuple[str, int, int]
) -> IndexOverview:
    header = load_header(connection)
    if header.identity != ours[0]:
        return IndexOverview(trouble="index.db belongs to another workspace.")
    if header.versions != f"{FORMAT}.{sources.chunking.versions}":
        return IndexOverview(trouble="index.db was written by another version.")
    known = parse_sources(connection, header)
    slots = header.slot(ours[1]), header.slot(ours[2])
    embedded, second = (0 if slot is None else count_embedded(connection, header, slot) for slot in slots)
    with disk_errors(place.name):
        found = place.files.stat(place.name)
    return IndexOverview(
        documents=header.documents,
        chunks=header.living,
        embedded=embedded,
        second_embedded=second,
        stale=_count_stale(sources, {one.document.path: one.stamp for one in known}),
        size=found.size if found is not None else 0,
        truncated=tuple(one.document.path for one in known if one.document.cut),
    )


def _count_stale(sources: Sources, known: dict[str, tuple[int, ...]]) -> int:
    try:
        found, _ = sources.list()
    except EverselfError:
        return 0
    changed = sum(known.get(path) != stamp_of(stat) for path, stat in found.items())
    return changed + sum(path not in found for path in known)
