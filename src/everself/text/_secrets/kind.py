"""The definition of a kind of secret."""

from collections.abc import Callable

from everself.frozen import Frozen
from everself.text._secrets.shapes import plausible

Span = tuple[int, int]

# Takes the text (UTF-8) and the span of a candidate. Returns the span to redact, or None for a false alarm.
Judge = Callable[[bytes, int, int], Span | None]


def believable(data: bytes, start: int, end: int) -> Span | None:
    """The judge for distinctive prefixes: rejects only placeholders and parts of longer blobs."""
    while end > start and data[end - 1 : end] == b".":
        end -= 1
    return (start, end) if plausible(data, start, end) else None


def certain(_data: bytes, start: int, end: int) -> Span | None:
    return (start, end)


def words(row: str) -> tuple[str, ...]:
    return tuple(row.split())


class Kind(Frozen):
    """`pattern` is RE2 over bytes; its first group, or else the whole match, is the secret.

    The pattern is tried only if one of the `anchors` occurs in the text, ignoring case; without anchors, always.
    """

    name: str
    pattern: str
    anchors: tuple[str, ...] = ()
    judge: Judge = believable
