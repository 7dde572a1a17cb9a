"""Describes briefly how the documents of a prefix changed since it was built.

Lines that were added or removed, or only how many there are where they do not fit. Does not know where the words will stand.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from everself.conversation.context._sources import Source
from everself.conversation.context.packing import Omission, PackItem, fit, readable

# comparing two texts costs the square of their lines
_COMPARED_LINES: Final = 2_000


@dataclass(frozen=True, slots=True)
class FileDelta:
    """`text` is what is new in the document; `quoted`: it is data, as logs are."""

    path: str
    text: str
    quoted: bool
    tokens: int
    omissions: tuple[Omission, ...] = ()


def tell_change(
    path: str, before: Source | None, after: Source | None, tokens: int, count: Callable[[str], int]
) -> FileDelta | None:
    """What changed in a document as this session sees it; None where it sees nothing of it."""
    old = b"" if before is None else before.data
    new = b"" if after is None else after.data
    if old == new and (before is None) == (after is None):
        return None
    dated = after or before
    quoted = dated is not None and dated.day is not None
    if after is None:
        return _fitting(path, f"({path} is not there any more.)", quoted, tokens, count)
    if new.startswith(old) and quoted:
        return _growth(path, old, new, tokens, count)
    return _fitting(path, _difference(readable(old), readable(new)), quoted, tokens, count)


def _growth(path: str, old: bytes, new: bytes, tokens: int, count: Callable[[str], int]) -> FileDelta:
    """A log that grew: what was added, of which the newest stays longest."""
    packed = fit(path, new[len(old) :], tokens, _newest, count)
    skipped = old.count(b"\n")
    omitted = tuple(replace(one, lines=(one.lines[0] + skipped, one.lines[1] + skipped)) for one in packed.omitted)
    return FileDelta(path, packed.text.strip(), True, packed.tokens, omitted)


def _newest(piece: PackItem) -> float:
    return piece.first_line


def _fitting(path: str, text: str, quoted: bool, tokens: int, count: Callable[[str], int]) -> FileDelta | None:
    if not text:
        return None
    size = count(text)
    if size <= tokens:
        return FileDelta(path, text, quoted, size)
    added = sum(line.startswith("+") for line in text.splitlines())
    removed = sum(line.startswith("-") for line in text.splitlines())
    said = f"({path} changed: {added} lines added, {removed} removed. Read it where it matters.)"
    gap = Omission(path, (), (1, max(1, added)), size, "larger than all the room there is")
    cost = count(said)
    return FileDelta(path, said if cost <= tokens else "", quoted, cost if cost <= tokens else 0, (gap,))


def _difference(old: str, new: str) -> str:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _COMPARED_LINES:
        # too many lines to show: only their number is given
        return "\n".join([*(f"-{line}" for line in before), *(f"+{line}" for line in after)])
    lines = difflib.unified_diff(before, after, lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---") and line[1:].strip())
