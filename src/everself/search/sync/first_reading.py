"""Which of many new files to read first when somebody waits for an answer: those that hold words of the question.

Looks at bytes alone, a hundredth of the work of indexing them. Knows no index.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from everself.text.search import TermKind, read_query
from everself.values import Document, FileStat

# New files of less than this are read at once, whoever waits.
LITTLE: Final = 1_000_000
# So many are read however long it takes, and then until the time is over.
LEAST: Final = 100
SECONDS: Final = 2.0
_SILENT: Final = (TermKind.STOP, TermKind.CHARACTER)


@dataclass(frozen=True, slots=True)
class Hurry:
    """Somebody waits for the answer to this question: of many new files those that may hold it are read first, for so many seconds."""

    query: str
    seconds: float = SECONDS


def by_promise(stats: Sequence[FileStat], query: str, read: Callable[[str], Document | None]) -> list[FileStat]:
    """Files with more and rarer words of the query first; among equals the later name, which is the later day."""
    words = _words(query)
    held: dict[str, list[int]] = {stat.path: _found(words, read(stat.path)) for stat in stats} if words else {}
    often = [1] * len(words)
    for found in held.values():
        for word in found:
            often[word] += 1
    rarity = [log(1 + len(stats) / count) for count in often]
    promise = {path: sum(rarity[word] for word in found) for path, found in held.items()}
    latest = sorted(stats, key=lambda stat: stat.path, reverse=True)
    return sorted(latest, key=lambda stat: -promise.get(stat.path, 0.0))


def _words(query: str) -> list[tuple[bytes, ...]]:
    """The ways in which each word of the query may be written; a stem is the beginning of what it stands for."""
    terms = [term for term in read_query(query).terms if term.kind not in _SILENT]
    return [
        tuple({one.encode("utf-8", "replace") for one in (*term.alternatives, term.surface.lower())}) for term in terms
    ]


def _found(words: Sequence[tuple[bytes, ...]], document: Document | None) -> list[int]:
    if document is None:
        return []
    # letters beyond ASCII keep their case: what is missed here is read later
    text = document.data.lower()
    return [at for at, ways in enumerate(words) if any(way in text for way in ways)]
