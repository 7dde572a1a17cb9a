"""Safe changes to files of other programs. Their mode stays unless a secret is added, and no temporary file is left beside them."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from everself.errors import ChangedMeanwhile, RefusedByRule
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors

_MOST: Final = 16 * 2**20


def read_client_file(path: str) -> bytes | None:
    """The file's bytes; None if it does not exist. Raises RefusedByRule if it is not a regular file."""
    with disk_errors(path):
        try:
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with open(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise RefusedByRule(f"{path} is not a file.", mend="Move it away.")
            data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise RefusedByRule(f"{path} is larger than {_MOST // 2**20} MB.")
    return data


def save_client_file(path: str, data: bytes, base: bytes | None, *, secret: bool = False) -> tuple[str, ...]:
    """Replace the content `base` by `data` (None: the file does not exist yet). Returns the folders created for it, outermost first.

    `secret`: the data holds a secret, so the file's mode is limited to its owner.
    """
    folder = os.path.dirname(path)
    made = _make_folders(folder)
    temporary = os.path.join(folder, f"{TEMPORARY_PREFIX}{os.path.basename(path)}")
    with disk_errors(path):
        mode = stat.S_IMODE(os.stat(path).st_mode) if base is not None else 0o600
        mode &= 0o700 if secret else 0o7777
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        try:
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(number, mode)
                os.fsync(number)
            if read_client_file(path) != base:
                raise ChangedMeanwhile(f"({path})")
            os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        _sync(folder)
    return made


def remove_client_file(path: str, base: bytes) -> None:
    """Remove a file that Everself created; its content must still be `base`."""
    if read_client_file(path) != base:
        raise ChangedMeanwhile(f"({path})")
    with disk_errors(path):
        os.unlink(path)


def remove_empty_folders(folders: Iterable[str]) -> None:
    """Remove those of the given folders, which Everself created, that are empty."""
    for folder in sorted(set(folders), key=len, reverse=True):
        # a folder in which another program stored something stays
        with suppress(OSError):
            os.rmdir(folder)


def _make_folders(folder: str) -> tuple[str, ...]:
    missing: list[str] = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        with disk_errors(one):
            os.mkdir(one, 0o700)
    return tuple(reversed(missing))


def _sync(folder: str) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)
