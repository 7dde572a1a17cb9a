"""Files outside a workspace: the host file, the secrets, the integrity key."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

from everself.errors import ChangedMeanwhile, Damaged
from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.values import digest

KEY_FILE = "integrity.key"
KEY_BYTES = 32


def ensure_folder(path: str) -> None:
    """Create a private folder and its missing parents."""
    with disk_errors(path):
        if not os.path.isdir(path):
            RealFileSystem(path).make_directory("")


@contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A private folder that is removed with its content at the end."""
    with TemporaryDirectory(prefix=prefix) as path:
        yield path


def find_file(path: str) -> bytes | None:
    folder, name = os.path.split(path)
    with disk_errors(path):
        return writes.find(RealFileSystem(folder), name) if os.path.isdir(folder) else None


def read_lines(path: str, start: int, most: int) -> tuple[bytes, int]:
    """Whole lines of a file that another program may still be writing, from byte `start` on, and the offset for the next call.

    Reads at most `most` bytes and skips a line longer than that; leaves an unfinished last line for the next call.
    Returns no bytes if the file is missing, is not a regular file or belongs to another user.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b"", start
    with disk_errors(path), open(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            return b"", start
        file.seek(start)
        data = file.read(most)
        whole = data.rfind(b"\n") + 1
        if whole or len(data) < most:
            return data[:whole], start + whole
        passed = start + len(data)
        while data := file.read(most):
            end = data.find(b"\n") + 1
            if end:
                return b"", passed + end
            passed += len(data)
    return b"", start


def save_file(path: str, data: bytes, base: bytes | None) -> None:
    """Replace the content `base` by `data` (None: the file must not exist yet), atomically and durably."""
    folder, name = os.path.split(path)
    ensure_folder(folder)
    files = RealFileSystem(folder)
    temporary = _temporary(name)
    with disk_errors(path), _lock(folder).hold():
        theirs = False
        try:
            if base is None:
                differs = writes.create(files, name, data, temporary)
            else:
                differs = writes.replace(files, name, data, digest(base), temporary)
            theirs = differs is not None and differs.older is not None
        finally:
            writes.discard(files, [writes.part(temporary), *(() if theirs else (temporary,))])
        if theirs:
            # the person saved twice meanwhile, and this file cannot be merged
            files.rename(temporary, f"{name}.older")
    if differs is not None:
        raise ChangedMeanwhile(f"({path})")


def sweep(path: str) -> None:
    """Remove temporary files of a process that was killed while it saved this file."""
    folder, name = os.path.split(path)
    with disk_errors(path):
        left = [_temporary(name), writes.part(_temporary(name))]
        if any(os.path.lexists(f"{folder}/{one}") for one in left):
            with _lock(folder).hold():
                writes.discard(RealFileSystem(folder), left)


def _temporary(name: str) -> str:
    """A fixed temporary name per file: only one process saves at a time, and the next one finds what a killed one left."""
    return f"{TEMPORARY_PREFIX}{name}"


def _lock(folder: str) -> FileLock:
    return FileLock(f"{folder}/.everself.lock")


def find_key(folder: str) -> bytes | None:
    """The integrity key; None if it was never created."""
    sweep(f"{folder}/{KEY_FILE}")
    data = find_file(f"{folder}/{KEY_FILE}")
    if data is None:
        return None
    try:
        key = bytes.fromhex(data.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Damaged(f"{folder}/{KEY_FILE} is not a key.", mend="Put the key from a backup in its place.")
    return key


def ensure_key(folder: str) -> bytes:
    """The integrity key, created on first use. Two processes that create it at once get the same one."""
    found = find_key(folder)
    if found is not None:
        return found
    with suppress(ChangedMeanwhile):
        save_file(f"{folder}/{KEY_FILE}", os.urandom(KEY_BYTES).hex().encode() + b"\n", None)
    made = find_key(folder)
    if made is None:
        raise Damaged(f"{folder}/{KEY_FILE} disappeared while it was being created.")
    return made


def counter_file(key_folder: str, agent: str, state: str) -> str:
    """The file of an agent's seal counter. Its name includes the state folder: two homes may share a key folder and
    both have an agent `main`.
    """
    return f"{key_folder}/{agent}-{digest(os.path.realpath(state).encode('utf-8', 'surrogateescape'))[:12]}.count"


def split_path(path: str) -> tuple[str, str]:
    """The folder of a file and its name in it."""
    return os.path.split(path)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies inside it, links resolved."""
    top, place = os.path.realpath(folder), os.path.realpath(path)
    return os.path.commonpath((top, place)) == top


def is_absolute(path: str) -> bool:
    return os.path.isabs(path)
