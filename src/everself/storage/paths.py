"""Which paths are valid inside a workspace. Pure: examines the text of a path, never the disk.

Passing this check does not mean that a path is free of links; the file system resolves it without following any.
"""

import unicodedata
from typing import Final

from everself.errors import UnsafePath

SEGMENT_BYTES: Final = 255
PATH_BYTES: Final = 1024

# Names that Windows reserves for devices in any folder and with any extension; a synced workspace would break there.
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)]
)

# Direction overrides display a name other than the stored one; line separators break every listing.
_DECEIVING: Final = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# The last two are overlong UTF-8, which careless decoders read as a dot and a slash.
_ESCAPES: Final = (
    ("%2e", "."),
    ("%2f", "/"),
    ("%5c", "\\"),
    ("%00", "\0"),
    ("%u002e", "."),
    ("%u002f", "/"),
    ("%u005c", "\\"),
    ("%c0%ae", "."),
    ("%c0%af", "/"),
)


def check_path(path: str) -> None:
    """Raise UnsafePath unless this is a relative path with forward slashes that cannot leave its root."""
    reason = find_fault(path)
    if reason:
        raise UnsafePath(
            f"{_shown(path)}: {reason}.", mend='Use a path inside the workspace such as "memory/2026-03-19.md".'
        )


def find_fault(path: str) -> str:
    """What is wrong with a path, as a phrase; empty if it is valid."""
    if not path:
        return "the path is empty"
    if path[0] == "/":
        return "the path is absolute"
    if "\\" in path:
        return "it contains a backslash"
    if path[1:2] == ":" and path[0].isalpha():
        return "it starts with a drive letter"
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "the name is not valid Unicode"
    if size > PATH_BYTES:
        return f"it is {size:,} bytes long; the limit is {PATH_BYTES:,}"
    for segment in path.split("/"):
        fault = _fault_of_segment(segment)
        if fault:
            return fault
    return ""


def _fault_of_segment(segment: str) -> str:
    if not segment:
        return "it contains an empty name"
    if segment in (".", ".."):
        return 'it contains "." or ".." as a name'
    if not segment.isprintable() and any(unicodedata.category(c) == "Cc" or c in _DECEIVING for c in segment):
        return "it contains control characters"
    # the cheap test first: only a name that could exceed the limit is encoded
    if len(segment) * 4 > SEGMENT_BYTES and len(segment.encode()) > SEGMENT_BYTES:
        return f"a name in it is longer than {SEGMENT_BYTES} bytes"
    if segment[-1] == "." or segment[-1].isspace():
        return "a name in it ends in a dot or a space"
    if segment.isascii():
        plain = segment
    else:
        plain = unicodedata.normalize("NFKC", segment)
        if "/" in plain or "\\" in plain:
            return "it contains a character that looks like a slash"
        if not plain.strip(". "):
            return 'it contains a name that looks like "." or ".."'
    if "%" in plain and _climbs(plain):
        return 'it contains an encoded ".." or slash'
    if plain.partition(".")[0].rstrip(" ").casefold() in _DEVICES:
        return "it contains a device name of Windows"
    return ""


def _climbs(segment: str) -> bool:
    """Whether a program that decodes percent signs, once or repeatedly, would see a step out of the folder."""
    text = segment.lower()
    while True:
        decoded = text
        for escape, meant in _ESCAPES:
            decoded = decoded.replace(escape, meant)
        pieces = decoded.replace("\\", "/").split("/")
        if "\0" in decoded or "." in pieces or ".." in pieces:
            return True
        # each round removes one layer of double encoding, so this ends after at most len(segment) rounds
        text = decoded.replace("%25", "%")
        if text == decoded:
            return False


def _shown(path: str) -> str:
    """The path in a form that is safe to print in a terminal."""
    return ascii(path if len(path) <= 200 else path[:200] + "…")
