"""Rebuilds index.db next to the old file and swaps the two. Writes no rows itself.

Only one process rebuilds at a time; one that waited checks first whether a rebuild is still needed.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from threading import Lock
from zlib import crc32

from everself.errors import Damaged, EverselfError, StoreBusy
from everself.frozen import Frozen
from everself.search.index_file.columns import read_header
from everself.search.index_file.file import (
    IndexFile,
    IndexPlace,
    open_beside,
    open_existing,
    open_memory,
    open_to_salvage,
    publish,
    reading,
    remove_beside,
    sound,
    swap,
)
from everself.search.index_file.rows import FORMAT, Header
from everself.search.sync.transaction import write_first_header
from everself.search.sync.vector_rows import salvage
from everself.storage.filesystem import disk_errors
from everself.storage.lock import FileLock
from everself.values import new_id


class IndexIdentity(Frozen):
    """The workspace and the format versions of an index. An index with another identity is not used."""

    identity: str
    versions: str
    # the known dimensions of each model, by its key
    sizes: Callable[[], Mapping[int, int]] = dict

    def new_header(self) -> Header:
        return Header(f"{FORMAT}.{self.versions}", self.identity, crc32(new_id().encode()))

    def check(self, header: Header) -> None:
        if header.identity != self.identity:
            raise Damaged("index.db belongs to another workspace.")
        if header.versions != f"{FORMAT}.{self.versions}":
            raise Damaged("index.db was written by another version.")


class OpenedIndex(Frozen):
    """An open index. `why` is what was wrong with the previous one; `memory` is why this one is not on disk."""

    file: IndexFile
    why: str = ""
    memory: str = ""


def sweep(place: IndexPlace, wait: float = 10.0) -> None:
    """Remove files of killed rebuilds. Waits for a running rebuild."""
    with disk_errors(place.name), FileLock(lock_path(place)).hold(wait):
        remove_beside(place)


def lock_path(place: IndexPlace) -> str:
    return f"{place.folder}/{place.name}.lock"


class Opener:
    """Opens the index of one location, and creates it if there is none that can be used."""

    def __init__(self, place: IndexPlace, passport: IndexIdentity, lock: FileLock, wait: float = 10.0) -> None:
        self.place = place
        self._passport = passport
        self._lock = lock
        self._wait = wait
        self._one_at_a_time = Lock()

    def open(self) -> OpenedIndex:
        """The existing index, else a new empty one: on disk if possible, else in memory."""
        try:
            found = self._find()
            return OpenedIndex(self._make(None)) if found is None else OpenedIndex(found)
        except Damaged as error:
            return self.renew(error)
        except EverselfError as error:
            return self.in_memory(error)

    def renew(self, damage: Damaged, broken: tuple[int, int] | None = None) -> OpenedIndex:
        """Replace a damaged index with an empty one that keeps its undamaged vectors.

        `broken` is the damaged file: its header may be fine and another row damaged.
        """
        try:
            with self._one_at_a_time, self._lock.hold(self._wait):
                try:
                    found = self._find()
                except Damaged:
                    found = None
                if found is not None and found.token != broken:
                    return OpenedIndex(found)
                if found is not None:
                    found.close()
                return OpenedIndex(self._make(damage), why=damage.detail)
        except (EverselfError, OSError) as error:
            return self.in_memory(error)

    def in_memory(self, reason: Exception) -> OpenedIndex:
        file = open_memory()
        self._begin(file)
        words = str(reason) if isinstance(reason, EverselfError) else "its file cannot be written."
        return OpenedIndex(file, memory=words)

    def rebuild(self, fill: Callable[[IndexFile], None]) -> None:
        """Fill a new index beside the old one, which stays in use, and then swap them."""
        with self._one_at_a_time, disk_errors(self.place.name), self._lock.hold(self._wait):
            remove_beside(self.place)
            self._beside(fill, swap)

    def _find(self) -> IndexFile | None:
        file = open_existing(self.place)
        if file is None:
            return None
        with ExitStack() as undo:
            undo.callback(file.close)
            with reading(file.connection):
                self._passport.check(read_header(file.connection)[1])
            undo.pop_all()
        return file

    def _make(self, damage: Damaged | None) -> IndexFile:
        if damage is None:
            self._beside(lambda _file: None, self._publish)
        else:
            remove_beside(self.place)
            self._beside(lambda _file: None, swap)
        found = self._find()
        if found is None:
            raise Damaged("index.db vanished.")
        return found

    def _beside(self, fill: Callable[[IndexFile], None], finish: Callable[[IndexPlace, str], None]) -> None:
        name, file = open_beside(self.place)
        with ExitStack() as undo:
            undo.callback(remove_beside, self.place, name)
            with closing(file):
                self._begin(file)
                fill(file)
            finish(self.place, name)
            undo.pop_all()

    def _publish(self, place: IndexPlace, name: str) -> None:
        publish(place, name)
        # delete the new file if another process finished first, else only the journal left under its temporary name
        remove_beside(place, name)

    def _begin(self, file: IndexFile) -> None:
        write_first_header(file, self._passport.new_header())
        old = open_to_salvage(self.place)
        if old is not None:
            self._save_vectors(old, file)

    def _save_vectors(self, old: IndexFile, new: IndexFile) -> None:
        with closing(old):
            try:
                with reading(old.connection):
                    header = read_header(old.connection)[1]
            except Damaged:
                header = None
            except StoreBusy:
                return
            # vectors of another workspace are not reused
            if header is None or header.identity == self._passport.identity:
                with sound(new.connection):
                    salvage(old, new, self._passport.sizes())
