"""Where the clauses of a sentence begin and end. Pure; judges nothing."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.text.normalise import without_surrogates

if TYPE_CHECKING:
    import re2


_DENSE: Final = "\u2e7f"


def clauses_of(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in _marks().finditer(without_surrogates(sentence)):
        # in a script without blanks none follows a comma
        if mark.group() == "," and mark.end() < len(sentence) and sentence[mark.end()] <= _DENSE:
            continue
        yield start, mark.start()
        start = mark.end()
    yield start, len(sentence)


@lru_cache(maxsize=1)
def _marks() -> "re2._Regexp":
    import re2

    # a comma between digits belongs to the number
    return re2.compile(r"[;；、，：—–]\s*|[,:](?:\s+|$)|,")
