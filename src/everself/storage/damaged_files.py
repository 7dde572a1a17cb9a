"""Moves damaged files to a separate folder and never deletes them: parts of them may still be readable.

Handles names and folders, not the purpose of the files.
"""

from collections.abc import Iterable
from datetime import datetime

from everself.storage.filesystem import FileSystem, parent_of
from everself.storage.writes import make_directories, write_new

# relative to the agent's state folder
FOLDER = "damaged"
NOTE = "WHAT-IS-GONE.txt"


def free_name(files: FileSystem, stem: str) -> str:
    """`stem`, with a number appended if that name is taken."""
    number, name = 1, stem
    while files.stat(name) is not None:
        number += 1
        name = f"{stem}-{number}"
    return name


def free_folder(files: FileSystem, what: str, now: datetime) -> str:
    """An unused name for a folder that receives damaged files now."""
    return free_name(files, f"{FOLDER}/{what}-{now:%Y%m%d-%H%M%S}")


def set_aside(files: FileSystem, paths: Iterable[str], folder: str) -> list[str]:
    """Move files or folders into `folder`, each under its own path. Returns the paths that existed."""
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
    """Write a note into `folder` that says what was moved there and what was lost."""
    path = f"{folder}/{NOTE}"
    make_directories(files, path)
    write_new(files, path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    files.sync_directory(folder)
