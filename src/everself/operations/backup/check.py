"""Checks a whole backup without unpacking it to disk.

A valid backup is an archive in our own format whose files match its manifest. Whether the ledger is genuine is checked on restore, because
that needs the key.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from everself.errors import Damaged, NotFound, WrongUse
from everself.operations.backup.manifest import LIMIT, MANIFEST, Line, Manifest, parse_manifest
from everself.storage.archive import LARGEST_RATIO, ArchiveReader
from everself.storage.filesystem import disk_errors

Progress = Callable[[int, int], None]


class OpenBackup:
    """A backup that is being read. The manifest was read; the files follow in its order."""

    def __init__(self, reader: ArchiveReader, size: int) -> None:
        self._reader = reader
        self.manifest: Manifest = parse_manifest(reader.first(MANIFEST, LIMIT))
        if self.manifest.bytes > LARGEST_RATIO * size:
            raise Damaged(f"{MANIFEST} names more bytes than an archive of this size can hold.")

    def content(self, line: Line) -> Iterator[bytes]:
        hashed = hashlib.sha256()
        for chunk in self._reader.next(line.member):
            hashed.update(chunk)
            yield chunk
        if hashed.hexdigest() != line.sha256:
            raise Damaged(f"{line.path} is not what it was.")

    def finish(self) -> None:
        self._reader.finish()


@contextmanager
def open_backup(source: str) -> Iterator[OpenBackup]:
    with disk_errors(source):
        if not os.path.lexists(source):
            raise NotFound(f"backup {source}.")
        # opening a FIFO would block until something writes to it
        if not stat.S_ISREG(os.stat(source).st_mode):
            raise WrongUse(f"{source} is no file.")
        with open(source, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            yield OpenBackup(ArchiveReader(stream, size), size)


def verify(source: str, progress: Progress | None = None) -> Manifest:
    """Read the whole backup and trust nothing in it. Raises Damaged at the first fault."""
    with open_backup(source) as backup:
        done, total = 0, backup.manifest.bytes
        for line in backup.manifest.files:
            for chunk in backup.content(line):
                done += len(chunk)
                if progress is not None:
                    progress(done, total)
        backup.finish()
        return backup.manifest
