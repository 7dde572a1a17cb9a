"""Splits a sentence into clauses. Pure."""

from collections.abc import Iterator
from typing import Final

from everself.text.normalise import without_surrogates
from everself.text.patterns import LazyPattern

_DENSE: Final = "\u2e7f"
# a comma between digits belongs to the number
_MARKS: Final = LazyPattern(r"[;；、，：—–]\s*|[,:](?:\s+|$)|,")


def clauses_of(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in _MARKS.finditer(without_surrogates(sentence)):
        # a script without spaces has no space after a comma
        if mark.group() == "," and mark.end() < len(sentence) and sentence[mark.end()] <= _DENSE:
            continue
        yield start, mark.start()
        start = mark.end()
    yield start, len(sentence)
