"""The verbs over the index: bring it up to date, make it anew, and say in words how it is.

Nothing here spends money unasked: whoever calls is shown the price first and passes on what was answered.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from everself.memory.tiers import MemoryStatus, count_tiers
from everself.search.factory import SWITCH_ON, index_identity, index_place, need_search

if TYPE_CHECKING:
    from everself.runtime import Runtime
    from everself.search.sync.sync import Progress, SyncReport

INDEX_COMMAND = "everself memory index"


@dataclass(frozen=True, slots=True)
class Price:
    """What embedding the rest would cost at about; `dollars` is None where nobody published a price."""

    model: str
    texts: int
    tokens: int
    dollars: float | None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What was read and embedded now, and how the index is after it. `failure`: why embedding stopped; `interrupted`: a person did."""

    read: int
    removed: int
    documents: int
    pieces: int
    embedded: int
    pending: int
    model: str
    # pieces of entries that were closed too long ago to keep their vectors
    dropped: int = 0
    failure: str = ""
    interrupted: bool = False
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """What somebody who watches is told: `counting`, `reading` and `embedding` how far it is; `agrees` is asked before what costs."""

    reading: "Progress | None" = None
    embedding: "Progress | None" = None
    agrees: Callable[[Price], bool] = lambda _price: False
    counting: "Progress | None" = None


def update_index(app: "Runtime", steps: Steps, *, force: bool = False) -> IndexReport:
    """Count entries, read what changed (`force`: everything) and embed all that has no vector. Stopped at any moment, what was done
    stays done."""
    need_search(app.agent.search)
    from everself.search.sync.sync import SyncReport

    index = app.index
    read, before = SyncReport(), 0
    try:
        app.memory.catalog.refresh(progress=steps.counting)
        read = index.rebuild(steps.reading) if force else index.sync(steps.reading)
        dropped = index.drop_closed()
        before = index.pending()
        return replace(_embed(app, steps, read), dropped=dropped)
    except KeyboardInterrupt:
        left = index.pending()
        return _report(app, read, embedded=max(0, before - left), interrupted=True)


def rebuild_index(app: "Runtime", steps: Steps) -> IndexReport:
    """Make the index anew beside the old one, which serves meanwhile. Vectors of the same texts are kept."""
    need_search(app.agent.search)
    read = app.index.rebuild(steps.reading)
    dropped = app.index.drop_closed()
    return replace(_report(app, read), dropped=dropped)


def _embed(app: "Runtime", steps: Steps, read: "SyncReport") -> IndexReport:
    embedder, left = app.embedder, app.index.pending()
    if embedder is None or not left:
        return _report(app, read)
    if embedder.paid and not steps.agrees(find_price(app)):
        return _report(app, read, failure=f"{app.index.model} costs money, and nobody agreed to it.")
    done = app.index.embed(progress=steps.embedding)
    return _report(app, read, embedded=done.done, failure=done.failure)


def find_price(app: "Runtime") -> Price:
    from everself.models.embedding import estimate_cost

    tokens = app.index.pending_tokens()
    dollars = None if app.embedder is None else estimate_cost(app.embedder, tokens)
    return Price(app.index.model, app.index.pending(), tokens, dollars)


def _report(
    app: "Runtime", read: "SyncReport", *, embedded: int = 0, failure: str = "", interrupted: bool = False
) -> IndexReport:
    found = app.index.status()
    return IndexReport(
        read=read.read,
        removed=read.removed,
        documents=found.documents,
        pieces=found.chunks,
        embedded=embedded,
        pending=found.pending,
        model=found.model,
        failure=failure,
        interrupted=interrupted,
        notices=found.notices,
    )


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the index that a person should know, and what helps."""

    words: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class DeepLook:
    """`dimensions` of the one vector that was asked for; `failure` is why there was none. `rows` and `documents` were all checked."""

    documents: int
    rows: int
    dimensions: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class IndexHealth:
    enabled: bool
    documents: int
    pieces: int
    embedded: int
    stale: int
    size: int
    model: str
    remarks: tuple[Remark, ...] = ()
    deep: DeepLook | None = None


@dataclass(frozen=True, slots=True)
class FullStatus(MemoryStatus):
    """What is remembered, and how well it can be found."""

    index: IndexHealth


def memory_status(app: "Runtime", *, deep: bool = False, progress: "Progress | None" = None) -> FullStatus:
    """Count what is remembered, and say how the index is; `deep`: count all that changed, however much it is, check every row of the
    index, and that the embedder answers."""
    counted = count_tiers(app.memory, app.state.entries, whole=deep, progress=progress)
    health = _look_deep(app, progress) if deep and app.agent.search.enabled else _look(app)
    return FullStatus(**{one.name: getattr(counted, one.name) for one in fields(counted)}, index=health)


def _look(app: "Runtime") -> IndexHealth:
    from everself.search.overview import IndexOverview, read_overview
    from everself.search.sync.documents import Sources, default_chunking, model_key

    embedder = app.embedder
    model = "" if embedder is None else f"{embedder.provider}/{embedder.model}"
    if not app.agent.search.enabled:
        off = Remark("Memory search is disabled.", SWITCH_ON)
        return IndexHealth(False, 0, 0, 0, 0, 0, model, (off,))
    place = index_place(app.agent)
    sources = Sources(app.workspace, app.extra_paths(), default_chunking())
    found = read_overview(place, index_identity(app.agent), sources, model_key(embedder))
    remarks: list[Remark] = []
    if found is None:
        remarks.append(Remark("Nothing is indexed yet; the first search does it.", INDEX_COMMAND))
    elif found.trouble:
        remarks.append(Remark(f"The index cannot be used as it is; the next search makes it anew: {found.trouble}"))
    if not os.access(place.folder, os.W_OK):
        words = f"{place.folder} cannot be written: the index is kept in memory, and every command makes it again."
        remarks.append(Remark(words, "Make the folder writable, or set memorySearch.store.path."))
    shown = found or IndexOverview()
    remarks += [Remark(f"{path} is too large and was only partly read.") for path in shown.truncated]
    health = IndexHealth(True, shown.documents, shown.chunks, shown.embedded, shown.stale, shown.size, model)
    return _with_remarks(app, health, remarks)


def _look_deep(app: "Runtime", progress: "Progress | None") -> IndexHealth:
    from everself.models.embedding.local.prepared_arrays import find_damage

    index = app.index
    checked = index.verify(progress)
    vector = index.query_vector("Does it answer?") if app.embedder is not None else ""
    failed = vector if isinstance(vector, str) else ""
    size = 0 if isinstance(vector, str) else len(vector)
    found = index.status()
    remarks = [Remark(words) for words in found.notices]
    if failed:
        remarks.append(
            Remark(f"The embedder does not answer, so search goes by keywords: {failed}", "docs/embeddings.md")
        )
    remarks += [Remark(f"{path} changed while it was checked; the next search reads it.") for path in checked.differing]
    for folder in find_damage(app.models_folder):
        remarks.append(
            Remark("Prepared weights of the local model are damaged; removed, they are made again.", f"rm -r {folder}")
        )
    # what has nothing to embed waits for nothing
    embedded = found.chunks - found.pending if app.embedder is not None else found.embedded
    deep = DeepLook(checked.documents, checked.rows, size, failed)
    health = IndexHealth(True, found.documents, found.chunks, embedded, found.stale, found.size, found.model, (), deep)
    return _with_remarks(app, health, remarks)


def _with_remarks(app: "Runtime", health: IndexHealth, remarks: list[Remark]) -> IndexHealth:
    waiting = health.pieces - health.embedded
    if health.stale:
        words = "document differs" if health.stale == 1 else "documents differ"
        remarks.append(Remark(f"{health.stale:,} {words} from what is indexed; the next search reads them."))
    if app.embedder is None:
        remarks.append(
            Remark("No embedder is set up: search goes by keywords.", "everself config set memorySearch.provider auto")
        )
    elif waiting:
        cost = "; embedding them costs money" if app.embedder.paid else ""
        remarks.append(
            Remark(f"{waiting:,} pieces have no vector yet and are found by keywords alone{cost}.", INDEX_COMMAND)
        )
    if app.embedder is not None and health.embedded and health.deep is None:
        last = app.state.searches.list(1)
        if last and last[0].provider == "keywords" and last[0].mode != "tfidf" and last[0].notices:
            remarks.append(
                Remark(f"The last search went by keywords: {last[0].notices[0]}", "everself memory status --deep")
            )
    return replace(health, remarks=tuple(remarks))
