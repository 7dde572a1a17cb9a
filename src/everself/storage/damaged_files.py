"""Moves damaged files out of the way and never deletes them: something in them may still be readable.

Knows names and folders, not what the files were for.
"""

from collections.abc import Iterable
from datetime import datetime

from everself.storage.filesystem import FileSystem, parent_of
from everself.storage.writes import make_directories, write_new

# beneath the agent's state
FOLDER = "damaged"
NOTE = "WHAT-IS-GONE.txt"


def free_name(files: FileSystem, stem: str) -> str:
    """The name itself, with a number behind it where something has it already."""
    number, name = 1, stem
    while files.stat(name) is not None:
        number += 1
        name = f"{stem}-{number}"
    return name


def free_folder(files: FileSystem, what: str, now: datetime) -> str:
    """A folder for what is set aside now, under a name that nothing has yet."""
    return free_name(files, f"{FOLDER}/{what}-{now:%Y%m%d-%H%M%S}")


def set_aside(files: FileSystem, paths: Iterable[str], folder: str) -> list[str]:
    """Move files or folders, each under its own path, into `folder`. Which were there to be moved."""
    moved = []
    for path in paths:
        if files.stat(path) is None:
            continue
        target = f"{folder}/{path}"
        make_directories(files, target)
        files.rename(path, target)
        files.sync_directory(parent_of(target))
        moved.append(path)
    for above in {parent_of(path) for path in moved}:
        files.sync_directory(above)
    return moved


def leave_note(files: FileSystem, folder: str, lines: Iterable[str]) -> None:
    """Beside what was set aside: what it was, and what is gone with it."""
    path = f"{folder}/{NOTE}"
    make_directories(files, path)
    write_new(files, path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    files.sync_directory(folder)
