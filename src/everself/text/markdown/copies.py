"""The daily logs inside an archive: where each begins, and which are copies of files that still exist. Pure.

A day begins with a heading and, on the next line, a comment with its origin: `<!-- moved from PATH -->`, or `<!-- everself: copy-of=PATH
sha=… lines=… -->` if the original was kept.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from everself.frozen import Frozen
from everself.text.markdown.comment import parse_comment

COPY: Final = b"copy-of="
MOVED: Final = b"<!-- moved from "
_CLOSE: Final = b" -->"
_DIGITS: Final = 9


class ArchivePart(Frozen):
    """One day of an archive: bytes start..end with its heading; `body` is the start of the comment. `sha` is the hash of the original;
    empty if this is not a copy."""

    path: str
    start: int
    body: int
    end: int
    sha: str = ""


def parts(data: bytes) -> tuple[ArchivePart, ...]:
    """The days of an archive in order. Text below a copied last day belongs to no day."""
    heads = list(_heads(data))
    found = []
    for number, (start, body, path, sha, lines) in enumerate(heads):
        end = heads[number + 1][0] if number + 1 < len(heads) else len(data)
        if lines >= 0:
            end = min(end, _after_lines(data, body, lines + 1))
        found.append(ArchivePart(path, start, body, end, sha))
    return tuple(found)


def origins(data: bytes) -> Callable[[int], str]:
    """A function from a position in an archive to the path of its day; empty outside any day."""
    found = parts(data)
    starts = [one.start for one in found]

    def origin(at: int) -> str:
        number = bisect_right(starts, at) - 1
        return found[number].path if number >= 0 and at < found[number].end else ""

    return origin


def hide_copies(data: bytes, exists: Callable[[str], bool]) -> bytes:
    """The document with copies blanked out if their original exists. Every other byte and every line keeps its position."""
    made = data
    for one in parts(data):
        if one.sha and exists(one.path):
            blank = b"\n".join(b" " * len(line) for line in data[one.body : one.end].split(b"\n"))
            made = made[: one.body] + blank + made[one.end :]
    return made


def _heads(data: bytes) -> Iterator[tuple[int, int, str, str, int]]:
    at = 0
    while (at := data.find(b"\n<!-- ", at)) >= 0:
        at += 1
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)].rstrip(b"\r ")
        above = data.rfind(b"\n", 0, at - 1) + 1
        if not data.startswith(b"#", above):
            continue
        if line.startswith(MOVED) and line.endswith(_CLOSE):
            yield above, at, line[len(MOVED) : -len(_CLOSE)].decode("utf-8", "replace"), "", -1
            continue
        comment = parse_comment(line) if COPY in line else None
        path, lines = (comment.get("copy-of"), comment.get("lines")) if comment is not None else ("", "")
        if comment is not None and path and comment.get("sha"):
            known = lines.isascii() and lines.isdigit() and len(lines) < _DIGITS
            yield above, at, path, comment.get("sha"), int(lines) if known else -1


def _after_lines(data: bytes, at: int, lines: int) -> int:
    for _ in range(lines):
        at = data.find(b"\n", at) + 1
        if at == 0:
            return len(data)
    return at
