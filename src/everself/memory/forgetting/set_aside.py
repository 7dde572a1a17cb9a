"""Removes damaged files that were quarantined: nobody can prove what unreadable bytes contain.

Only the note about the damage stays; it names changes and files, never their text.
"""

import zlib
from collections.abc import Iterator

from everself.memory.forgetting._byte_search import SET_ASIDE
from everself.memory.forgetting.forgotten_words import ForgottenWords
from everself.storage import damaged_files as aside
from everself.storage import writes
from everself.storage.filesystem import FileSystem, disk_errors, parent_of


class SetAside:
    def __init__(self, files: FileSystem) -> None:
        self._files = files

    @property
    def name(self) -> str:
        return SET_ASIDE

    def holds(self, words: ForgottenWords) -> int:
        """The number of occurrences in these files, compressed or not. Zero proves nothing."""
        return sum(words.count(data) + words.count(_inflated(data)) for _, data in self._found())

    def remove(self, words: ForgottenWords) -> int:
        stood = self.holds(words)
        with disk_errors(aside.FOLDER):
            paths = [path for path, _ in self._found()]
            writes.discard(self._files, paths)
            for folder in {parent_of(path) for path in paths}:
                self._files.sync_directory(folder)
        return stood

    def _found(self) -> Iterator[tuple[str, bytes]]:
        left = [aside.FOLDER]
        while left:
            at = self._files.stat(left.pop())
            if at is None:
                continue
            if at.kind == "directory":
                left += [one.path for one in self._files.list(at.path)]
            elif not at.path.endswith(f"/{aside.NOTE}"):
                plain = at.kind == "file" and at.links == 1
                yield at.path, (writes.find(self._files, at.path) or b"") if plain else b""


def _inflated(data: bytes) -> bytes:
    """The readable part of a compressed object."""
    found, machine = b"", zlib.decompressobj()
    try:
        for at in range(0, len(data), 64):
            found += machine.decompress(data[at : at + 64])
    except zlib.error:
        return found
    return found
