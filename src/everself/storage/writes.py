"""Atomic writes: append, create, replace, remove. Each happens whole or not at all, and none overwrites what it did not expect.

People save files in editors while Everself writes, and hold no lock. So a replacement is exchanged with the old file in
one step and the old bytes are compared afterwards: if they are not the expected ones, the two files are exchanged back,
until the file that came out is the one that was put in. On a file system that cannot exchange, the old file is renamed
first. Unexpected bytes are never removed.

The caller chooses the temporary names, so that it can find them again after a crash. A file gets its temporary name
only once it is whole and synced; until then it has the name of a part. So a file with a temporary name is never torn,
and a part never holds a person's text.
"""

from collections.abc import Iterable
from contextlib import suppress

from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem, Handle, parent_of
from everself.values import digest

# how often a person may save during an exchange of two files before the caller must handle it
SAVES = 20


class Differs(Frozen):
    """The file is not what was expected; nothing was changed. `data` is its current content, None if there is no file.

    `older`: a person saved twice while we wrote. Their last text is in place, and the one before it has the temporary name.
    """

    data: bytes | None
    older: bytes | None = None


def write_all(handle: Handle, data: bytes) -> None:
    """Write until all bytes are written: one call may accept only some of them."""
    view = memoryview(data)
    while view:
        done = handle.write(bytes(view[: 1 << 20]))
        view = view[done:]


def find(files: FileSystem, path: str) -> bytes | None:
    """The whole content of a regular file; None if it does not exist."""
    found = files.stat(path)
    if found is None:
        return None
    try:
        return files.read(path, 0, max(found.size, 1) + (1 << 16))
    except FileNotFoundError:
        return None


def missing_directories(files: FileSystem, path: str) -> list[str]:
    """The directories above a path that do not exist yet, outermost first."""
    missing = []
    folder = parent_of(path)
    while folder and files.stat(folder) is None:
        missing.append(folder)
        folder = parent_of(folder)
    return missing[::-1]


def make_directories(files: FileSystem, path: str) -> None:
    """Create every missing directory above a path, durably."""
    for folder in missing_directories(files, path):
        files.make_directory(folder)
        files.sync_directory(parent_of(folder))


def write_new(files: FileSystem, path: str, data: bytes) -> None:
    """Create a file with these bytes, durable except for its name. A leftover file of that temporary name is replaced."""
    try:
        handle = files.create(path)
    except FileExistsError:
        files.unlink(path)
        handle = files.create(path)
    try:
        write_all(handle, data)
        handle.sync()
    finally:
        handle.close()


def discard(files: FileSystem, paths: Iterable[str]) -> None:
    """Remove temporary files, if they exist."""
    for path in paths:
        if files.stat(path) is not None:
            files.unlink(path)


def part(temporary: str) -> str:
    """The name of a temporary file that is still being written."""
    return f"{temporary}-part"


def stage(files: FileSystem, temporary: str, data: bytes) -> None:
    """Write a file that gets its temporary name only once it is whole. A failed write leaves nothing."""
    name = part(temporary)
    try:
        write_new(files, name, data)
        files.rename(name, temporary)
    except OSError:
        # the original error counts; a leftover part is recognised by its name
        with suppress(OSError):
            discard(files, [name])
        raise


def create(files: FileSystem, path: str, data: bytes, temporary: str) -> Differs | None:
    """Create a file atomically; the name must be free."""
    make_directories(files, path)
    stage(files, temporary, data)
    try:
        files.publish(temporary, path)
    except FileExistsError:
        files.unlink(temporary)
        return Differs(find(files, path))
    files.sync_directory(parent_of(path))
    return None


def replace(files: FileSystem, path: str, data: bytes, base: str, temporary: str) -> Differs | None:
    """Replace the content whose hash is `base` by `data`; never replace any other content."""
    now = find(files, path)
    if now is None or digest(now) != base:
        return Differs(now)
    stage(files, temporary, data)
    try:
        exchanged = files.exchange(temporary, path)
    except FileNotFoundError:
        # the person removed the file a moment ago
        files.unlink(temporary)
        return Differs(find(files, path))
    if not exchanged:
        return _replace_in_two_steps(files, path, base, temporary)
    if digest(_taken(files, temporary)) == base:
        files.sync_directory(parent_of(path))
        # an editor may still write into the old file, so it is compared once more before it is removed
        if digest(_taken(files, temporary)) == base:
            files.unlink(temporary)
            return None
    return _swap_back(files, path, digest(data), temporary)


def remove(files: FileSystem, path: str, base: str, temporary: str) -> Differs | None:
    """Remove the file whose content has that hash. It is renamed first, so that a newer text is never deleted."""
    try:
        files.rename(path, temporary)
    except FileNotFoundError:
        return Differs(None)
    old = find(files, temporary)
    if old is None or digest(old) != base:
        return _put_back(files, path, temporary)
    files.sync_directory(parent_of(path))
    files.unlink(temporary)
    return None


def append(files: FileSystem, path: str, data: bytes) -> Differs | None:
    """Append bytes to an existing file. Returns Differs if the file was replaced by another one meanwhile."""
    handle = files.open_append(path)
    try:
        before = handle.stat()
        write_all(handle, data)
        handle.sync()
    finally:
        handle.close()
    after = files.stat(path)
    same = after is not None and (after.device, after.inode) == (before.device, before.inode)
    if after is not None and same and after.size == before.size + len(data):
        return None
    now = find(files, path)
    return None if now is not None and data in now else Differs(now)


def aside(temporary: str) -> str:
    """The temporary name of the old file on a file system that cannot exchange two files."""
    return f"{temporary}-old"


def _taken(files: FileSystem, temporary: str) -> bytes:
    """The bytes that an exchange moved to the temporary name. A link or folder there raises an OSError."""
    found = files.stat(temporary)
    return files.read(temporary, 0, (found.size if found is not None else 0) + (1 << 24))


def _swap_back(files: FileSystem, path: str, ours: str, temporary: str) -> Differs:
    """Undo an exchange that took a person's text. A text that they save meanwhile is newer, so it is put back in turn."""
    expected, mine = ours, _taken(files, temporary)
    for _ in range(SAVES):
        try:
            files.exchange(temporary, path)
        except FileNotFoundError:
            # the person removed our file while theirs was set aside
            return _put_back(files, path, temporary)
        files.sync_directory(parent_of(path))
        taken = _taken(files, temporary)
        if digest(taken) == expected:
            break
        expected, mine = digest(mine), taken
    if digest(taken) == ours:
        files.unlink(temporary)
        return Differs(mine)
    return Differs(find(files, path), taken)


def _replace_in_two_steps(files: FileSystem, path: str, base: str, temporary: str) -> Differs | None:
    """Rename the old file, compare it, publish the new one. For a moment there is no file; nobody's text is overwritten."""
    old = aside(temporary)
    try:
        files.rename(path, old)
    except FileNotFoundError:
        files.unlink(temporary)
        return Differs(None)
    taken = find(files, old)
    if taken is None or digest(taken) != base:
        files.unlink(temporary)
        differs = _put_back(files, path, old)
        if differs.older is not None:
            files.rename(old, temporary)
        return differs
    try:
        files.publish(temporary, path)
    except FileExistsError:
        files.unlink(temporary)
        files.unlink(old)
        return Differs(find(files, path))
    files.sync_directory(parent_of(path))
    files.unlink(old)
    return None


def _put_back(files: FileSystem, path: str, temporary: str) -> Differs:
    older = None
    try:
        files.publish(temporary, path)
    except FileExistsError:
        # the person already saved a newer text under the path; the renamed text is theirs as well
        older = find(files, temporary)
    files.sync_directory(parent_of(path))
    return Differs(find(files, path), older)
