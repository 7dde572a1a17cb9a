"""The index of one agent: returns views for searching, syncs documents, embeds chunks in the background. Knows no ranking.

No problem of index.db is an error for a search: a broken index is rebuilt, one that cannot be written is kept in memory, and without the
lock the existing state is used. A view reports this as a notice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from everself.clock import Clock, monotonic
from everself.errors import (
    ChangedMeanwhile,
    Damaged,
    DiskError,
    EmbeddingFailed,
    EverselfError,
    LockTimeout,
    StoreBusy,
)
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.search.background import SECOND_BATCH, BackgroundEmbedding
from everself.search.index_file.file import IndexFile, IndexPlace, find_token, reading
from everself.search.index_file.verification import Verified, verify
from everself.search.index_file.view import IndexReader, Moment, Snapshot
from everself.search.overview import IndexStatus
from everself.search.rebuild import IndexIdentity, OpenedIndex, Opener, lock_path, sweep
from everself.search.sync.documents import ChunkingRules, DocumentReader, Prepared, Sources, default_chunking, model_key
from everself.search.sync.embedding import Bounds, Embedding, EmbedReport, ask_embedder, count_pending_tokens
from everself.search.sync.purge import purge
from everself.search.sync.sync import Progress, Syncer, SyncReport, log_sync
from everself.search.sync.transaction import day_number
from everself.search.sync.vector_retention import drop_closed
from everself.storage.lock import FileLock
from everself.values import Document, FileStat

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Embedder
    from everself.search.arrays import Floats

T = TypeVar("T")

_log = get_logger(__name__)

# The longest wait of a search for another writing process, in seconds.
SYNC_WAIT = 0.5
GRACE = 7
# Forgetting waits longer.
_PATIENCE = 10.0
_TRIES = 3
_MANY_DEAD = 10_000
# Seconds after which an index in memory tries to write to disk again.
_RETRY = 600.0


class IndexOptions(Frozen):
    """`grace` is the number of days after which vectors of closed entries are dropped.

    `second` is a better and slower embedder, used where its vectors exist. They are computed in idle time.
    """

    grace: int = GRACE
    second: "Embedder | None" = None


class Index:
    """Thread-safe."""

    def __init__(
        self,
        workspace: DocumentReader,
        place: IndexPlace,
        clock: Clock,
        identity: str,
        embedder: "Embedder | None" = None,
        extra: Sequence[DocumentReader] = (),
        chunking: ChunkingRules | None = None,
        options: IndexOptions = IndexOptions(),  # noqa: B008 (frozen, so it may be shared)
    ) -> None:
        self._sources = Sources(workspace, extra, chunking or default_chunking(), keeps_texts=embedder is not None)
        self._clock = clock
        self._grace = timedelta(days=options.grace)
        self._embedder = embedder
        self._model = model_key(embedder)
        self._second_embedder = options.second if embedder is not None else None
        self._second_model = model_key(self._second_embedder)
        identity_check = IndexIdentity(identity, self._sources.chunking.versions, self._sizes)
        self._opener = Opener(place, identity_check, FileLock(lock_path(place)))
        self._lock = RLock()
        self._reader: IndexReader | None = None
        self._view: Snapshot | None = None
        self._report = SyncReport()
        self._lasting: dict[str, str] = {}
        self._renewed = False
        self._retry_at = 0.0
        self._told: Progress | None = None
        second_of = None if self._second_embedder is None else self._embed_second
        self._background = BackgroundEmbedding(self._embed, second_of)

    def view(self, *, fresh: bool = True) -> Snapshot:
        """The searchable view. `fresh`: all files are checked, and changed ones are read."""
        self._background.note_question()
        with self._lock:
            reader, moment = (
                self._sync(self._told) if fresh else self._steadily(lambda reader: (reader, reader.refresh()))
            )
            notices = self._notices()
            known, said = self._view, (notices, self._horizon())
            if known is None or known.moment is not moment or (known.notices, known.horizon) != said:
                known = self._view = Snapshot(reader, moment, *said)
            return known

    def ask(self, question: Callable[[Snapshot], T], *, fresh: bool = True) -> T:
        """Answer a question from a view; retried with a new view if the file was damaged or replaced."""
        for number in range(_TRIES):
            view = self.view(fresh=fresh or number > 0)
            try:
                return question(view)
            except Damaged as error:
                self._break(error, view.token)
            except ChangedMeanwhile:
                continue
        return question(self.view())

    @contextmanager
    def reporting(self, progress: Progress | None) -> Iterator[None]:
        """While active, `view` reports the progress of reading changed documents."""
        before, self._told = self._told, progress
        try:
            yield
        finally:
            self._told = before

    def sync(self, progress: Progress | None = None) -> SyncReport:
        """Read changed documents. If another process is syncing, the previous report is returned."""
        with self._lock:
            self._sync(progress)
            return self._report

    def fill(self, documents: Iterable[Prepared]) -> int:
        """Write documents that are chunked already. Returns the number of chunks. For benchmarks."""
        with self._lock:
            return self._steadily(lambda reader: self._syncer(reader).fill(documents))

    def rebuild(self, progress: Progress | None = None) -> SyncReport:
        """Rebuild the index next to the old one, which stays searchable meanwhile. Vectors of unchanged texts are reused."""
        report = SyncReport()

        def fill(file: IndexFile) -> None:
            nonlocal report
            reader = IndexReader(file, self._model, self._second_model)
            reader.refresh()
            syncer = self._syncer(reader)
            report = syncer.sync(SYNC_WAIT, progress)
            syncer.prune()

        try:
            self._opener.rebuild(fill)
            opening = None
        except LockTimeout:
            raise
        except EverselfError as error:
            opening = self._opener.in_memory(error)
        with self._lock:
            # open views keep the old file open
            self._reader = None
            self._say("renewed", "")
            if opening is not None:
                self._use(opening)
            self._sync(None)
            return report if opening is None else self._report

    def purge(self) -> int:
        """Sync the index and remove all previous content of documents. Returns the number of purged chunks.

        Errors are raised here: forgetting must know if a file could not be cleaned.
        """
        sweep(self._opener.place)
        with self._lock:
            for _ in range(_TRIES):
                reader = self._open()
                if reader.file.in_memory:
                    raise DiskError("index.db cannot be written.")
                try:
                    with reader.lock:
                        self._report = self._syncer(reader).sync(_PATIENCE)
                        count = purge(reader.file, _PATIENCE)
                    reader.refresh()
                    return count
                except Damaged as error:
                    self._break(error, reader.file.token)
        raise Damaged("index.db failed repeatedly.")

    def embed(self, *, seconds: float | None = None, progress: Progress | None = None) -> EmbedReport:
        """Assign vectors to chunks, stored ones first. May be interrupted at any moment."""
        return self._embed(Bounds(seconds, self._is_stopped, progress))

    def embed_second(self, *, progress: Progress | None = None) -> EmbedReport:
        """The same with the second embedder, until nothing is left or it is interrupted."""
        return self._embed_second(Bounds(None, self._is_stopped, progress, SECOND_BATCH))

    def drop_closed(self) -> int:
        """Drop the vectors of chunks whose entries were closed before the grace period. Returns their number."""
        with self._lock:
            return self._steadily(self._drop_closed)

    def pending(self) -> int:
        """The number of living chunks without a vector of the current model."""
        return 0 if self._embedder is None else self.view(fresh=False).pending

    def pending_tokens(self) -> int:
        """The estimated number of their tokens, rather too high."""
        if self._embedder is None:
            return 0

        def count(reader: IndexReader) -> int:
            with reader.lock, reading(reader.file.connection):
                return count_pending_tokens(reader.file, reader.header_now(), self._model, self._horizon())

        return self._steadily(count)

    @property
    def model(self) -> str:
        """The embedder as provider/model; empty without one."""
        return "" if self._embedder is None else f"{self._embedder.provider}/{self._embedder.model}"

    @property
    def second_model(self) -> str:
        """The second embedder, as provider/model; empty without one."""
        second = self._second_embedder
        return "" if second is None else f"{second.provider}/{second.model}"

    def read(self, path: str) -> Document | None:
        """The current content of an indexed document."""
        return self._sources.read(path)

    def seen(self, path: str) -> FileStat | None:
        """The stamp of a document at the last check; None if there was none."""
        return self._sources.seen(path)

    def is_imported(self, path: str) -> bool:
        """Whether the document is outside the workspace."""
        return self._sources.is_imported(path)

    def query_vector(self, text: str) -> "Floats | str":
        """The vector of a query, or the reason why there is none."""
        if self._embedder is None:
            return "No embedder is configured."
        reader = self._reader
        slot = reader.vectors.slot if reader is not None else None
        try:
            expected = slot.dimensions if slot is not None else None
            vector: Floats = ask_embedder(self._embedder, [text], "query", expected)[0]
        except EmbeddingFailed as error:
            return str(error)
        return vector

    def second_query_vector(self, text: str, view: Snapshot) -> "Floats | None":
        """The vector of a query by the second embedder; None if no chunk of the view has one, or if it fails."""
        slot = view.moment.second_slot
        if self._second_embedder is None or slot is None or not view.second_embedded:
            return None
        try:
            vector: Floats = ask_embedder(self._second_embedder, [text], "query", slot.dimensions)[0]
        except EmbeddingFailed as error:
            _log.warning("The second embedder gave no vector (%s).", error.reason)
            return None
        return vector

    def status(self) -> IndexStatus:
        """The state of the index, without syncing it."""
        with self._lock:
            view = self.view(fresh=False)
            header = view.moment.header
            plan = self._steadily(lambda reader: self._syncer(reader).look())
            place = self._opener.place
            found = place.files.stat(place.name)
            in_memory = self._reader is not None and self._reader.file.in_memory
            return IndexStatus(
                documents=header.documents,
                chunks=header.living,
                dead=header.chunks - header.living,
                embedded=view.embedded,
                pending=self.pending(),
                size=0 if in_memory or found is None else found.size,
                stale=len(plan.changed) + len(plan.removed),
                model="" if self._embedder is None else f"{self._embedder.provider}/{self._embedder.model}",
                in_memory=in_memory,
                notices=view.notices,
                second_model=self.second_model,
                second_pending=view.second_pending if self._second_embedder is not None else 0,
            )

    def verify(self, progress: Progress | None = None) -> Verified:
        """Verify every row of the index, and every document against its file. A broken index is rebuilt."""

        def check(view: Snapshot) -> Verified:
            with self._lock:
                return self._steadily(lambda reader: verify(reader, view.documents, self._sources.read, progress))

        return self.ask(check)

    def start_embedding(self) -> None:
        """Embed in the background until `close`. Searches never wait for it."""
        with self._lock:
            if self._embedder is not None:
                self._background.start()

    def close(self) -> None:
        self._background.stop()
        with self._lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def _is_stopped(self) -> bool:
        return self._background.stopped

    def _embed_second(self, bounds: Bounds) -> EmbedReport:
        return self._embed_by(self._second_embedder, bounds)

    def _embed(self, bounds: Bounds) -> EmbedReport:
        report = self._embed_by(self._embedder, bounds)
        if self._embedder is not None:
            self._say("embedding", report.failure)
        return report

    def _embed_by(self, embedder: "Embedder | None", bounds: Bounds) -> EmbedReport:
        if embedder is None:
            return EmbedReport(failure="No embedder is configured.")
        for _ in range(_TRIES):
            with self._lock:
                file = self._second()
            try:
                report = Embedding(file, self._sources, embedder, self._horizon(), self._models).run(bounds)
            except Damaged as error:
                self._break(error, file.token)
                continue
            except (StoreBusy, DiskError) as error:
                report = EmbedReport(failure=str(error))
            finally:
                file.close()
            return report
        return EmbedReport(failure="The index failed repeatedly.")

    def _drop_closed(self, reader: IndexReader) -> int:
        with reader.lock:
            return drop_closed(reader.file, self._horizon(), _PATIENCE)

    def _horizon(self) -> int:
        return day_number(self._clock.today() - self._grace)

    def _second(self) -> IndexFile:
        """A second connection to the index, not to one that was just created empty in place of a broken one."""
        for _ in range(_TRIES):
            if self._view is None:
                self.view()
            file = self._steadily(lambda reader: reader.file.second())
            if self._view is not None:
                break
            file.close()
        return file

    def _sync(self, progress: Progress | None) -> tuple[IndexReader, Moment]:
        """Sync the index, or note why it is not up to date."""
        reader, moment = self._steadily(lambda reader: (reader, self._sync_one(reader, progress)))
        if self._report.read or self._report.removed:
            self._background.wake()
            if self._tidy(moment):
                return self._steadily(lambda reader: (reader, self._sync_one(reader, None)))
        return reader, moment

    def _sync_one(self, reader: IndexReader, progress: Progress | None) -> Moment:
        self._say("busy", "")
        begun = monotonic()
        try:
            self._report = self._syncer(reader).sync(SYNC_WAIT, progress)
            log_sync(self._report, monotonic() - begun)
            if self._renewed:
                self._syncer(reader).prune()
                self._renewed = False
        except StoreBusy:
            _log.info("Another process is writing the index; it was not brought up to date.")
            self._say("busy", "Another process is writing the index; the results come from the previous state.")
        return reader.refresh()

    def _tidy(self, moment: Moment) -> bool:
        """Rebuild an index that consists mostly of dead chunks."""
        header = moment.header
        dead = header.chunks - header.living
        if dead <= _MANY_DEAD or dead <= header.living or "memory" in self._lasting:
            return False
        try:
            self.rebuild()
        except EverselfError:
            # the old index is still usable
            return False
        return True

    def _steadily(self, act: Callable[[IndexReader], T]) -> T:
        """Run a function on the index, and again if the index turns out to be broken."""
        for _ in range(_TRIES):
            reader = self._open()
            try:
                return act(reader)
            except Damaged as error:
                self._break(error, reader.file.token)
            except (DiskError, StoreBusy) as error:
                # a lock held this long belongs to a process that was suspended while writing
                self._fall_back(error)
        # an index in memory cannot be damaged
        self._fall_back(DiskError("index.db failed repeatedly."))
        return act(self._open())

    def _open(self) -> IndexReader:
        with self._lock:
            reader = self._reader
            if reader is not None and reader.file.in_memory:
                if monotonic() < self._retry_at:
                    return reader
                opening = self._opener.open()
                self._retry_at = monotonic() + _RETRY
                if not opening.memory:
                    return self._use(opening)
                opening.file.close()
                return reader
            if reader is not None and self._is_there(reader.file):
                return reader
            return self._use(self._opener.open())

    def _is_there(self, file: IndexFile) -> bool:
        try:
            return find_token(self._opener.place) == file.token
        except EverselfError:
            return True

    def _use(self, opening: OpenedIndex) -> IndexReader:
        if opening.memory:
            self._retry_at = monotonic() + _RETRY
        self._say("memory", f"The index is kept in memory: {opening.memory}" if opening.memory else "")
        if opening.why:
            self._say("renewed", f"The index was rebuilt: {opening.why}")
        self._renewed = bool(opening.why or opening.memory)
        if self._renewed:
            _log.warning("The index was rebuilt%s.", ", in memory" if opening.memory else "")
        self._reader = IndexReader(opening.file, self._model, self._second_model)
        # it may be empty: the next caller must sync it first
        self._view = None
        return self._reader

    def _break(self, error: Damaged, broken: tuple[int, int] | None) -> None:
        """Replace a damaged index, unless another process has done so."""
        with self._lock:
            if self._reader is None or self._reader.file.token == broken:
                self._use(self._opener.renew(error, broken))

    def _fall_back(self, error: EverselfError) -> None:
        with self._lock:
            reader = self._reader
            # a file that was replaced cannot be written, but its replacement can
            if reader is not None and not reader.file.in_memory and not self._is_there(reader.file):
                self._reader = None
                return
            self._use(self._opener.in_memory(error))

    def _sizes(self) -> dict[int, int]:
        embedders = (self._model, self._embedder), (self._second_model, self._second_embedder)
        sizes = {model: one.dimensions for model, one in embedders if one is not None}
        return {model: size for model, size in sizes.items() if size is not None}

    @property
    def _models(self) -> tuple[int, ...]:
        return tuple(model for model in (self._model, self._second_model) if model)

    def _syncer(self, reader: IndexReader) -> Syncer:
        return Syncer(reader, self._sources, self._models)

    def _say(self, about: str, words: str) -> None:
        if words:
            self._lasting[about] = words
        else:
            self._lasting.pop(about, None)

    def _notices(self) -> tuple[str, ...]:
        report = self._report
        cut = tuple(f"{path} is too large and was only partly read." for path in report.truncated)
        skipped = tuple(f"{path} is not a readable regular file." for path in report.skipped)
        failure = (f"The files could not be listed: {report.failure}",) if report.failure else ()
        return (*self._lasting.values(), *failure, *cut, *skipped)
