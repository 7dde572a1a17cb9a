"""What a kind of secret is made of."""

from collections.abc import Callable

from everself.frozen import Frozen
from everself.text._secrets.shapes import plausible

Span = tuple[int, int]

# Sees the text (as UTF-8) and where a candidate stands in it; gives the span to redact, or none for a false alarm.
Judge = Callable[[bytes, int, int], Span | None]


def believable(data: bytes, start: int, end: int) -> Span | None:
    """The judge of kinds whose prefix says nearly all: only placeholders and slices of longer blobs are let go."""
    while end > start and data[end - 1 : end] == b".":
        end -= 1
    return (start, end) if plausible(data, start, end) else None


def certain(_data: bytes, start: int, end: int) -> Span | None:
    return (start, end)


def words(row: str) -> tuple[str, ...]:
    return tuple(row.split())


class Kind(Frozen):
    """`pattern` is RE2 over bytes; its first group, or else the whole match, is the secret.

    The pattern is tried only where one of the `anchors` occurs in the text, whatever the case; without anchors, always.
    """

    name: str
    pattern: str
    anchors: tuple[str, ...] = ()
    judge: Judge = believable
