"""Converts a daily log to a part of an archive that reads back as the same entries. A file that cannot be converted moves as a whole.
Pure.

The result is verified: the entries of the archive are compared with the entries of the days.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.memory.entries import ParsedEntry, read_document
from everself.text.markdown.blocks import scan
from everself.text.markdown.comment import EntryComment, render_comment
from everself.text.markdown.copies import MOVED, ArchivePart, parts
from everself.text.markdown.lines import BOM
from everself.values import digest
from everself.workspace.layout.dates import find_day

# Far below the read limit, because people open archives too.
LARGEST: Final = 4 * 1024 * 1024
_FRONT: Final = b"---"


class Day(Frozen):
    """The current file of one day."""

    path: str
    data: bytes

    @property
    def sha(self) -> str:
        return digest(self.data)


def part_of(day: Day, *, kept: bool) -> bytes | None:
    """The part of the archive for a day; None if its text would be parsed as other entries there."""
    text = day.data.removeprefix(BOM)
    stem = day.path.rpartition("/")[2].removesuffix(".md")
    head, _, rest = text.partition(b"\n")
    if not (head.startswith(b"# ") and find_day(head.decode("utf-8", "replace").strip("# \r")) == find_day(stem)):
        head, rest = f"# {stem}".encode("utf-8", "replace"), b"\n" + text
    rest += b"" if rest.endswith(b"\n") or not rest else b"\n"
    closer = scan(b"\n" + rest).closer
    rest += closer + b"\n" if closer else b""
    made = head.rstrip(b"\r") + b"\n" + _whence(day, rest, kept=kept) + b"\n" + rest
    return made if not text.startswith(_FRONT) and said(made) == said(day.data) else None


def put_over(archive: bytes, copy: ArchivePart, part: bytes) -> bytes:
    """The archive with the part in place of an earlier copy."""
    rest = archive[copy.end :]
    gap = b"\n" if rest.strip() and not rest.startswith((b"\n", b"\r\n")) else b""
    return archive[: copy.start] + part + gap + rest


def find_copy(archive: bytes, path: str) -> ArchivePart | None:
    return next((one for one in parts(archive) if one.path == path and one.sha), None)


# each day is parsed three times: for its part, the verification and the count
@lru_cache(maxsize=64)
def said(data: bytes) -> tuple[tuple[str, ...], ...]:
    """The entries of a document in order, as tuples that can be compared."""
    return tuple(_said(read) for read in read_document(data))


def verify(before: bytes, after: bytes, days: Iterable[Day], replaced: Iterable[bytes] = ()) -> None:
    """Raise Damaged unless the archive contains its old entries and all entries of the days, each once and verbatim."""
    expected = list(said(before))
    for gone in replaced:
        for one in said(gone):
            expected.remove(one)
    expected += [one for day in days for one in said(day.data)]
    if sorted(said(after)) != sorted(expected):
        raise Damaged("The archive would not match the daily logs, so nothing was moved.")


def _said(read: ParsedEntry) -> tuple[str, ...]:
    return (read.claim("id"), read.claim("src"), read.category, read.time, read.text)


def _whence(day: Day, rest: bytes, *, kept: bool) -> bytes:
    if not kept:
        return MOVED + day.path.encode("utf-8", "replace") + b" -->"
    fields = (("copy-of", day.path), ("sha", day.sha), ("lines", str(rest.count(b"\n"))))
    return render_comment(EntryComment(fields))
