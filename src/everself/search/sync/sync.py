"""Syncs index.db with the workspace: checks every file's stamp, reads what changed, commits often.

A file saved within the granularity of its time stamp is read again until that time has passed. Knows no search.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from logging import DEBUG, INFO
from typing import TYPE_CHECKING

import numpy

from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.memory.garbage import uncollected
from everself.search.index_file.rows import SourceRow
from everself.search.sync.documents import GRAIN_NS, Prepared, Sources, now_ns, stamp_of
from everself.search.sync.transaction import IndexWriter, writing
from everself.search.sync.vector_rows import prune_all
from everself.values import FileStat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everself.search.index_file.view import IndexReader

_log = get_logger(__name__)

Progress = Callable[[int, int], None]

# limits of the work that is lost if the process is killed
_CHUNKS_A_COMMIT = 8_192
_BYTES_A_COMMIT = 8 * 1024 * 1024
_CHUNKS_IN_BULK = 16_384


class SyncReport(Frozen):
    """The result of a sync: documents read, removed and unchanged, chunks written, and documents read only partly or not at all."""

    read: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    truncated: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    # why the files could not be listed; the index is then unchanged
    failure: str = ""


class SyncPlan(Frozen):
    """`changed` files look different from the index; `fresh` ones look the same, but their stamp proves nothing yet."""

    changed: tuple[FileStat, ...]
    fresh: tuple[FileStat, ...]
    removed: tuple[SourceRow, ...]
    unchanged: int
    odd: tuple[str, ...] = ()
    failure: str = ""


def plan_sync(listing: "tuple[dict[str, FileStat], Sequence[str]]", known: "Mapping[str, SourceRow]") -> SyncPlan:
    """Compare files with the index. Pure."""
    found, odd = listing
    changed, fresh = [], []
    for path, stat in found.items():
        source = known.get(path)
        if source is None or source.stamp != stamp_of(stat):
            changed.append(stat)
        elif stat.mtime_ns + GRAIN_NS > source.read_at:
            fresh.append(stat)
    removed = tuple(source for path, source in known.items() if path not in found)
    return SyncPlan(tuple(changed), tuple(fresh), removed, len(found) - len(changed), tuple(odd))


@dataclass(slots=True)
class _Tally:
    read: int = 0
    removed: int = 0
    chunks: int = 0
    unreadable: list[str] = field(default_factory=list)


class Syncer:
    """Syncs one open index. New chunks get stored vectors of `models`."""

    def __init__(self, reader: "IndexReader", sources: Sources, models: "Sequence[int]") -> None:
        self._reader = reader
        self._sources = sources
        self._models = models

    def look(self) -> SyncPlan:
        """The changes that a sync would make now."""
        self._reader.refresh()
        known = self._reader.columns.by_path
        try:
            listing = self._sources.list()
        except EverselfError as error:
            return SyncPlan((), (), (), len(known), failure=str(error))
        return plan_sync(listing, known)

    def sync(self, wait: float, progress: Progress | None = None) -> SyncReport:
        """Sync in several commits. Raises StoreBusy if another process writes for longer than `wait` seconds; earlier commits stay."""
        plan = self.look()
        tally = _Tally()
        waiting = deque(stat for stat in plan.fresh if not self._is_same(stat))
        waiting += plan.changed
        done, total = 0, len(waiting)
        removed = [source.document.path for source in plan.removed]
        if progress is not None and total:
            progress(0, total)
        while waiting or removed:
            with self._reader.lock, writing(self._reader.file, wait):
                self._reader.refresh_within()
                writer = IndexWriter(self._reader.file, self._models, self._living)
                for path in removed:
                    source = self._reader.columns.by_path.get(path)
                    if source is not None:
                        writer.remove(source)
                        tally.removed += 1
                removed = []
                with uncollected():
                    done += self._take(waiting, writer, tally)
                    writer.commit()
                tally.chunks += writer.added
            self._reader.refresh()
            if progress is not None and total:
                progress(done, total)
        documents = self._reader.columns.documents.values()
        truncated = tuple(document.path for document in documents if document.cut)
        skipped = (*plan.odd, *tally.unreadable)
        return SyncReport(tally.read, tally.removed, plan.unchanged, tally.chunks, truncated, skipped, plan.failure)

    def fill(self, documents: Iterable[Prepared]) -> int:
        """Write documents that are chunked already, one block at a time."""
        chunks, documents = 0, iter(documents)
        more = True
        while more:
            with self._reader.lock, writing(self._reader.file, 60.0):
                writer = IndexWriter(self._reader.file, self._models)
                more = False
                for document in documents:
                    writer.add(document)
                    if writer.added >= _CHUNKS_IN_BULK:
                        more = True
                        break
                writer.commit()
                chunks += writer.added
        self._reader.refresh()
        return chunks

    def prune(self) -> None:
        with self._reader.lock, writing(self._reader.file, 10.0):
            prune_all(self._reader.file.connection)
            self._reader.file.connection.execute("COMMIT")

    def _take(self, waiting: deque[FileStat], writer: IndexWriter, tally: _Tally) -> int:
        """Read and write waiting documents, enough for one commit. Returns their number."""
        taken = size = 0
        while waiting and writer.added < _CHUNKS_A_COMMIT and size < _BYTES_A_COMMIT:
            stat = waiting.popleft()
            taken += 1
            source = self._reader.columns.by_path.get(stat.path)
            read_at = now_ns()
            document = self._sources.read(stat.path)
            if document is None:
                tally.unreadable.append(stat.path)
                if source is not None:
                    writer.remove(source)
                    tally.removed += 1
                continue
            size += len(document.data)
            if source is not None and source.document.hash == document.hash:
                writer.restamp(source, stamp_of(stat), read_at)
                continue
            if source is not None:
                writer.remove(source)
            writer.add(self._sources.prepare(document, stat, read_at))
            tally.read += 1
        return taken

    def _is_same(self, stat: FileStat) -> bool:
        """Whether a file that may have been saved twice still matches the index. Always False once its time stamp is old enough."""
        if now_ns() > stat.mtime_ns + GRAIN_NS:
            return False
        source = self._reader.columns.by_path[stat.path]
        document = self._sources.read(stat.path)
        return document is not None and document.hash == source.document.hash

    def _living(self, ids: "Sequence[int]", dead: "Sequence[range]") -> frozenset[int]:
        moment = self._reader.refresh_within()
        # vector numbers are unique across models
        living = numpy.stack([moment.ids, moment.second_ids])
        for one in dead:
            living[:, one.start : one.stop] = 0
        asked = numpy.array(ids, numpy.int32)
        return frozenset(asked[numpy.isin(asked, living)].tolist())


def log_sync(report: SyncReport, seconds: float) -> None:
    changed = report.read or report.removed
    _log.log(
        INFO if changed else DEBUG,
        "Index synced in %.0f ms: %d documents read, %d removed, %d unchanged, %d chunks written, %d skipped.",
        seconds * 1000,
        report.read,
        report.removed,
        report.unchanged,
        report.chunks,
        len(report.skipped),
    )
