"""File names: which two names are the same file on some file system, and which are no documents.

Knows nothing of what a document is for.
"""

import unicodedata
from typing import Final

from everself.storage.filesystem import TEMPORARY_PREFIX

# Some file systems drop these when they compare names, so "SOUL<zero width>.md" can open SOUL.md.
_IGNORED: Final = dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
    )
)

_TEMPORARY_STARTS: Final = (TEMPORARY_PREFIX, ".#", "~$", ".~lock.", "~syncthing~", ".syncthing.", ".goutputstream-")
_TEMPORARY_ENDS: Final = (
    "~",
    ".tmp",
    ".temp",
    ".swp",
    ".swo",
    ".swx",
    ".part",
    ".crdownload",
    ".kate-swp",
    "___jb_tmp___",
    "___jb_old___",
)
# vim makes and removes a file of this name to learn whether it may write here
_VIM_PROBE: Final = "4913"


def fold(path: str) -> str:
    """One spelling for all that a case-insensitive or normalising file system would open as the same file.

    It errs towards "the same": guards use it, so that no spelling of SOUL.md slips past them.
    """
    if path.isascii():
        folded = path.lower()
    else:
        folded = unicodedata.normalize("NFKC", path).translate(_IGNORED).casefold()
        folded = unicodedata.normalize("NFKC", folded)
    # Windows drops what follows a colon (a stream of the same file) and dots and spaces at the end
    if ":" in folded or " " in folded or "." in (folded[-1:], folded[:1]) or "./" in folded:
        segments = [segment.partition(":")[0].rstrip(". ") for segment in folded.split("/")]
        return "/".join(segment for segment in segments if segment)
    return folded


def is_hidden(path: str) -> bool:
    """Does the name or a folder on the way begin with a dot?"""
    return path[:1] == "." or "/." in path


def is_temporary(name: str) -> bool:
    """A file that an editor, a syncer or Everself makes for a moment. `name` is the last part of a path."""
    # almost every name in a workspace is settled by this line
    if name.endswith(".md") and name[0] not in ".~":
        return False
    return (
        name.startswith(_TEMPORARY_STARTS)
        or name.lower().endswith(_TEMPORARY_ENDS)
        or name == _VIM_PROBE
        or (len(name) > 2 and name[0] == name[-1] == "#")
    )
