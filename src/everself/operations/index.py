"""Operations on the index: update, rebuild and describe it.

Nothing here costs money without confirmation of the price.
"""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated

from everself.config.installation import install_command
from everself.errors import Interrupted, RefusedByRule
from everself.memory.tiers import MemoryStatus, count_tiers
from everself.models.embedding import estimate_cost
from everself.models.embedding.local.prepared_arrays import find_damage, remove_damage
from everself.operations.caller import Caller
from everself.operations.declaration import NoRequest, Option, Request, Result, Tell, owner_reads, owner_writes
from everself.runtime import Runtime
from everself.search.factory import SWITCH_ON, index_identity, index_place, need_search
from everself.search.overview import IndexOverview, read_overview
from everself.search.sync.documents import Sources, default_chunking, model_key

if TYPE_CHECKING:
    from everself.search.sync.sync import SyncReport

INDEX_COMMAND = "everself memory index"


class Price(Result):
    """The estimated cost of embedding the rest; `dollars` is None if the price is unknown."""

    model: str
    texts: int
    tokens: int
    dollars: float | None


class IndexReport(Result):
    """What was read and embedded, and the state of the index afterwards. `failure`: why embedding stopped; `interrupted`: a person stopped
    it."""

    read: int
    removed: int
    documents: int
    pieces: int
    embedded: int
    pending: int
    model: str
    # chunks whose vectors were dropped because their entries were closed long ago
    dropped: int = 0
    failure: str = ""
    interrupted: bool = False
    notices: tuple[str, ...] = ()
    # chunks without a vector of the better model
    better_pending: int = 0


class IndexRequest(Request):
    force: Annotated[bool, Option("Read every file again, whatever its date says.")] = False
    better: Annotated[bool, Option("Do not wait for idle time: embed with the better model now too. Takes long.")] = (
        False
    )


@owner_writes(
    "memory.index",
    idempotent=True,
    question="Embed them?",
    needs_yes="This costs money",
    progress=("Counting", "Reading", "Embedding"),
)
def update_index(
    runtime: Runtime, caller: Caller, request: IndexRequest, tells: Sequence[Tell | None] | None = None
) -> IndexReport:
    """Update the index, including vectors.

    Ctrl-C stops it at any time; finished work is kept, and the next run continues.

    $ everself memory index  # read what changed, and embed what has no vector yet
    $ everself memory index --force  # read every file again
    """
    need_search(runtime.agent.search)
    from everself.search.sync.sync import SyncReport

    counting, reading, embedding = tells or (None, None, None)
    index = runtime.index
    read, before = SyncReport(), 0
    try:
        runtime.memory.catalog.refresh(progress=counting)
        read = index.rebuild(reading) if request.force else index.sync(reading)
        dropped = index.drop_closed()
        before = index.pending()
        report = replace(_embed(runtime, caller, read, embedding), dropped=dropped)
        return _embed_better(runtime, report, embedding) if request.better and not report.failure else report
    except KeyboardInterrupt:
        left = index.pending()
        return _report(runtime, read, embedded=max(0, before - left), interrupted=True)


@owner_writes("memory.rebuild", idempotent=True, progress="Reading")
def rebuild_index(runtime: Runtime, _: Caller, __: NoRequest, tell: Tell | None = None) -> IndexReport:
    """Rebuild the index from the files; the old one is used meanwhile.

    Vectors of unchanged texts are kept.

    $ everself memory rebuild  # make the index anew from the files, beside the old one
    """
    need_search(runtime.agent.search)
    read = runtime.index.rebuild(tell)
    dropped = runtime.index.drop_closed()
    return replace(_report(runtime, read), dropped=dropped)


def _embed(app: Runtime, caller: Caller, read: "SyncReport", tell: Tell | None) -> IndexReport:
    embedder, left = app.embedder, app.index.pending()
    if embedder is None or not left:
        return _report(app, read)
    if embedder.paid:
        try:
            caller.agree(_find_price(app))
        except (Interrupted, RefusedByRule):
            return _report(app, read, failure=f"{app.index.model} costs money, and no person confirmed it.")
    done = app.index.embed(progress=tell)
    return _report(app, read, embedded=done.done, failure=done.failure)


def _embed_better(app: Runtime, report: IndexReport, tell: Tell | None) -> IndexReport:
    if app.second_embedder is None:
        words = "The better model is not installed, or another model is set"
        return replace(report, failure=f"{words}: {install_command('quality')}")
    done = app.index.embed_second(progress=tell)
    return replace(report, better_pending=done.pending, failure=done.failure)


def _find_price(app: Runtime) -> Price:
    tokens = app.index.pending_tokens()
    dollars = None if app.embedder is None else estimate_cost(app.embedder, tokens)
    return Price(app.index.model, app.index.pending(), tokens, dollars)


def _report(
    app: Runtime, read: "SyncReport", *, embedded: int = 0, failure: str = "", interrupted: bool = False
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
        better_pending=found.second_pending,
    )


class Remark(Result):
    """A note about the index, with the command that helps."""

    words: str
    mend: str = ""


class DeepLook(Result):
    """A full check of `rows` and `documents`. `dimensions` of a test vector, or in `failure` why there is none."""

    documents: int
    rows: int
    dimensions: int = 0
    failure: str = ""


class IndexHealth(Result):
    enabled: bool
    documents: int
    pieces: int
    embedded: int
    stale: int
    size: int
    model: str
    remarks: tuple[Remark, ...] = ()
    deep: DeepLook | None = None
    # the second, better model, and the number of chunks it has embedded
    better_model: str = ""
    better_embedded: int = 0


class FullStatus(MemoryStatus):
    """The contents of memory, and the state of the index."""

    index: IndexHealth


class StatusRequest(Request):
    deep: Annotated[bool, Option("Count all, check every row of the index, and that the embedder answers.")] = False
    index: Annotated[bool, Option("First bring the index up to date, and embed what costs nothing.")] = False
    fix: Annotated[bool, Option("Like --deep --index, and repair damage to the index and prepared weights.")] = False


@owner_reads("memory.status", progress="Checking")
def memory_status(runtime: Runtime, _: Caller, request: StatusRequest, tell: Tell | None = None) -> FullStatus:
    """Count entries by tier, and show the state of the index.

    If too much changed to be read at once, the last known counts are shown, with a note.

    $ everself memory status  # how much is remembered, and how well it can be found
    $ everself memory status --deep  # check every row of the index, and that the embedder answers
    $ everself memory status --fix  # bring the index up to date and mend what is damaged
    """
    deep = request.deep or request.fix
    tell = tell if deep or request.index else None
    done = _put_right(runtime, request, tell) if request.index or request.fix else []
    counted = count_tiers(runtime.memory, runtime.state.entries, whole=deep, progress=tell)
    health = _look_deep(runtime, tell) if deep and runtime.agent.search.enabled else _look(runtime)
    health = replace(health, remarks=(*done, *health.remarks))
    return FullStatus(**{one.name: getattr(counted, one.name) for one in fields(counted)}, index=health)


def _put_right(app: Runtime, request: StatusRequest, tell: Tell | None) -> list[Remark]:
    """Update and repair derived data, and describe what was done. Documents are not changed."""
    need_search(app.agent.search)
    done: list[Remark] = []
    app.memory.catalog.refresh()
    if request.fix:
        gone = remove_damage(app.models_folder)
        done += [Remark(f"Damaged weights of the local model were removed; they are made again: {one}") for one in gone]
    read = app.index.sync(tell)
    if read.read or read.removed:
        done.append(Remark(f"Indexed now: {read.read:,} documents read, {read.removed:,} gone."))
    embedder = app.embedder
    if embedder is not None and not embedder.paid and app.index.pending():
        embedded = app.index.embed(progress=tell)
        done.append(
            Remark(f"Embedded now: {embedded.done:,} chunks." + (f" {embedded.failure}" if embedded.failure else ""))
        )
    return done


def _look(app: Runtime) -> IndexHealth:
    embedder = app.index_embedder
    model = "" if embedder is None else f"{embedder.provider}/{embedder.model}"
    if not app.agent.search.enabled:
        off = Remark("Memory search is disabled.", SWITCH_ON)
        return IndexHealth(False, 0, 0, 0, 0, 0, model, (off,))
    place = index_place(app.agent)
    sources = Sources(app.workspace, app.extra_paths(), default_chunking())
    second = app.second_embedder
    found = read_overview(place, index_identity(app.agent), sources, model_key(embedder), model_key(second))
    remarks: list[Remark] = []
    if found is None:
        remarks.append(Remark("Nothing is indexed yet; the first search does it.", INDEX_COMMAND))
    elif found.trouble:
        remarks.append(Remark(f"The index cannot be used as it is; the next search rebuilds it: {found.trouble}"))
    if not os.access(place.folder, os.W_OK):
        words = f"{place.folder} cannot be written: the index is kept in memory, and every command makes it again."
        remarks.append(Remark(words, "Make the folder writable, or set memorySearch.store.path."))
    shown = found or IndexOverview()
    remarks += [Remark(f"{path} is too large and was only partly read.") for path in shown.truncated]
    health = IndexHealth(
        True,
        shown.documents,
        shown.chunks,
        shown.embedded,
        shown.stale,
        shown.size,
        model,
        better_model="" if second is None else f"{second.provider}/{second.model}",
        better_embedded=shown.second_embedded,
    )
    return _with_remarks(app, health, remarks)


def _look_deep(app: Runtime, tell: Tell | None) -> IndexHealth:
    index = app.index
    checked = index.verify(tell)
    vector = index.query_vector("Does it answer?") if app.embedder is not None else ""
    failed = vector if isinstance(vector, str) else ""
    size = 0 if isinstance(vector, str) else len(vector)
    found = index.status()
    remarks = [Remark(words) for words in found.notices]
    if failed:
        remarks.append(
            Remark(f"The embedder does not answer, so search uses keywords only: {failed}", "docs/embeddings.md")
        )
    remarks += [Remark(f"{path} changed while it was checked; the next search reads it.") for path in checked.differing]
    for folder in find_damage(app.models_folder):
        remarks.append(
            Remark("Prepared weights of the local model are damaged; removed, they are made again.", f"rm -r {folder}")
        )
    # without an embedder, no chunk waits for a vector
    embedded = found.chunks - found.pending if app.embedder is not None else found.embedded
    deep = DeepLook(checked.documents, checked.rows, size, failed)
    health = IndexHealth(
        True,
        found.documents,
        found.chunks,
        embedded,
        found.stale,
        found.size,
        found.model,
        deep=deep,
        better_model=found.second_model,
        better_embedded=found.chunks - found.second_pending if found.second_model else 0,
    )
    return _with_remarks(app, health, remarks)


def _with_remarks(app: Runtime, health: IndexHealth, remarks: list[Remark]) -> IndexHealth:
    waiting = health.pieces - health.embedded
    if health.stale:
        words = "document differs" if health.stale == 1 else "documents differ"
        remarks.append(Remark(f"{health.stale:,} {words} from what is indexed; the next search reads them."))
    if app.embedder is None:
        remarks.append(
            Remark(
                "No embedder is set up: search uses keywords only.", "everself config set memorySearch.provider auto"
            )
        )
    elif waiting:
        cost = "; embedding them costs money" if app.embedder.paid else ""
        told = "1 chunk has no vector yet and is" if waiting == 1 else f"{waiting:,} chunks have no vector yet and are"
        remarks.append(Remark(f"{told} found by keywords alone{cost}.", INDEX_COMMAND))
    if app.embedder is not None and health.embedded and health.deep is None:
        last = app.state.searches.list(1)
        if last and last[0].provider == "keywords" and last[0].mode != "tfidf" and last[0].notices:
            remarks.append(
                Remark(f"The last search went by keywords: {last[0].notices[0]}", "everself memory status --deep")
            )
    return replace(health, remarks=tuple(remarks))
