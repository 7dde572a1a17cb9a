"""Removes forgotten text from the index: syncs it with the documents, purges old rows, and verifies.

index.db contains hashes of words and vectors, from which words could be guessed. An index that cannot be cleaned is deleted, because a
search rebuilds it. Without an index nothing is loaded or done.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from everself.errors import ChangedMeanwhile, Damaged, DiskError, EverselfError
from everself.storage.filesystem import disk_errors
from everself.storage.writes import discard

if TYPE_CHECKING:
    from everself.memory.forgetting.forgotten_words import ForgottenWords
    from everself.search.index import Index
    from everself.search.index_file.file import IndexPlace
    from everself.search.sync.documents import Sources

_BESIDE = ("", "-journal", "-wal", "-shm")


class IndexTraces:
    """`unused` is the location of an index that is no longer used. `notice` is a message for the user."""

    def __init__(
        self,
        place: "IndexPlace",
        open_sources: "Callable[[], Sources]",
        open_index: "Callable[[], Index]",
        unused: "IndexPlace | None" = None,
    ) -> None:
        self._place = place
        self._open_sources = open_sources
        self._open_index = open_index
        self._unused = unused
        self._vectors: Mapping[bytes, bytes] = {}
        self.notice = ""

    @property
    def name(self) -> str:
        return "index"

    def holds(self, words: "ForgottenWords") -> int:
        """The number of traces: chunks, vectors, bytes. An index that cannot be searched counts as one more."""
        # a parallel rebuild may have read the documents before they were cleaned
        left = int(_is_there(self._unused)) + _count_beside(self._place)
        if not _is_there(self._place):
            return left
        from everself.search._forgotten_words import look

        sources = self._open_sources()
        try:
            # list all documents first: this determines which are imported
            sources.list()
            seen = look(self._place, sources, words, self._vectors)
        except (Damaged, DiskError, ChangedMeanwhile):
            return left + 1
        self._vectors = {**self._vectors, **seen.vectors}
        return left + seen.found

    def remove(self, words: "ForgottenWords") -> int:
        """Purge the index, else rebuild it, else delete it. Returns the number of traces it had."""
        self._delete(self._unused, "It was no longer in use.")
        if not _is_there(self._place) and not _count_beside(self._place):
            return 0
        from everself.search.index import Index

        stood, trouble = self.holds(words), "It still contained traces of the forgotten text."
        clean: Callable[[Index], object]
        for clean in (Index.purge, Index.rebuild):
            try:
                clean(self._open_index())
            except EverselfError as error:
                trouble = str(error)
                continue
            if not self.holds(words):
                return stood
        self._delete(self._place, trouble)
        return stood

    def _delete(self, place: "IndexPlace | None", why: str) -> None:
        if place is None or not _is_there(place):
            return
        name = f"{place.folder}/{place.name}"
        try:
            with disk_errors(name):
                discard(place.files, [f"{place.name}{ending}" for ending in _BESIDE])
                place.files.sync_directory("")
            self.notice = f"The index {name} was deleted: {why} The next search rebuilds it if needed."
        except EverselfError as error:
            self.notice = f"The index {name} can be neither cleaned nor deleted: {error}"


def _count_beside(place: "IndexPlace") -> int:
    """The number of unfinished new indexes, in progress or left by a killed process."""
    try:
        return sum(one.path.startswith(f"{place.name}.new-") for one in place.files.list(""))
    except (OSError, EverselfError):
        return 0


def _is_there(place: "IndexPlace | None") -> bool:
    try:
        return place is not None and place.files.stat(place.name) is not None
    except (OSError, EverselfError):
        return False
