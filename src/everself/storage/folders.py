"""Removes whole folders and makes them durable. Never follows links; ignores what the files contain."""

import os

from everself.storage.filesystem import FileSystem
from everself.storage.real_disk import RealFileSystem


def remove_folder(path: str) -> None:
    """Remove a real folder with its content. A missing folder is not an error."""
    above, name = os.path.split(path)
    files = RealFileSystem(above)
    if files.stat(name) is None:
        return
    # rooted in the folder itself, because paths from above may be too long
    empty_folder(RealFileSystem(path))
    files.remove_directory(name)


def empty_folder(files: FileSystem, path: str = "") -> None:
    for one in files.list(path):
        if one.kind == "directory":
            empty_folder(files, one.path)
            files.remove_directory(one.path)
        else:
            files.unlink(one.path)


def sync_folder(files: FileSystem, path: str = "") -> None:
    """Make a folder and everything in it durable, except the folder's own name.

    Writing all files first and syncing them afterwards lets the file system write in few large steps.
    """
    for one in files.list(path):
        if one.kind == "directory":
            sync_folder(files, one.path)
            continue
        handle = files.open_append(one.path)
        try:
            handle.sync()
        finally:
            handle.close()
    files.sync_directory(path)
