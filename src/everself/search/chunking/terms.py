"""The terms of a chunk for the index, and the text that is embedded. Knows no index.

The name of a speaker, titles and dates are terms of their own, so that ranking can weigh "Anna said" against "about Anna".
"""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Final

from everself.search.chunking._speakers import without_speaker
from everself.search.chunking.chunks import Chunk
from everself.search.chunking.marks import DATE, SPEAKER, TITLE
from everself.text.search import index_terms
from everself.workspace.layout.dates import find_day

# Between what is embedded of a turn and its neighbours; no text that is embedded holds it.
_APART: Final = "\x1f"
# What the turn before and the turn after count beside a turn itself. Chosen on the shared conversations: a fifth finds more than nothing
# and more than the three as one text, in a third of the time.
BESIDE: Final = 0.2


def terms_of(chunk: Chunk, path: str) -> tuple[dict[str, int], int]:
    """Every term with how often it stands there, and the length that BM25 counts: that of the words alone."""
    said = index_terms(without_speaker(chunk.text, chunk.speaker))
    counts = dict(said.counts)
    counts.update(_marked(SPEAKER, (chunk.speaker,)) if chunk.speaker else ())
    counts.update(_marked(TITLE, (_stem(path), *chunk.title)))
    if chunk.day is not None:
        counts.update(_dated(chunk.day))
    return counts, said.length


def embedding_texts(chunks: Sequence[Chunk]) -> list[str]:
    """What is embedded of each chunk: its words with who said them, under the heading they stand under.

    A turn of a conversation means little without the one before and the one after, so these come with it, for `split_context` to take
    apart: each is embedded once, and the vector of a turn is the sum of the three. An entry speaks for itself.
    """
    own = ["\n".join((*chunk.title[-1:], _with_speaker(chunk))).replace(_APART, " ") for chunk in chunks]
    spoken = [bool(chunk.speaker) for chunk in chunks]
    last = len(chunks) - 1
    return [
        _APART.join(
            (text, own[at - 1] if at and spoken[at - 1] else "", own[at + 1] if at < last and spoken[at + 1] else "")
        )
        if spoken[at]
        else text
        for at, text in enumerate(own)
    ]


def split_context(text: str) -> list[tuple[str, float]]:
    """The texts whose vectors make up the vector of a text of `embedding_texts`, its own first, and what each counts."""
    own, *beside = text.split(_APART)
    return [(own, 1.0), *((one, BESIDE) for one in beside if one)]


def _with_speaker(chunk: Chunk) -> str:
    said = without_speaker(chunk.text, chunk.speaker)
    return f"{chunk.speaker}: {said}" if chunk.speaker else said


@lru_cache(maxsize=4096)
def _marked(mark: str, texts: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Kept, because a section's chunks share their titles and a conversation's turns their speakers."""
    counts: dict[str, int] = {}
    for text in texts:
        for term, count in index_terms(_undated(text)).counts.items():
            counts[mark + term] = counts.get(mark + term, 0) + count
    return tuple(counts.items())


@lru_cache(maxsize=64)
def _dated(day: date) -> dict[str, int]:
    told = day.isoformat()
    return {DATE + told[:4]: 1, DATE + told[:7]: 1, DATE + told: 1}


@lru_cache(maxsize=64)
def _stem(path: str) -> str:
    return _undated(path.rpartition("/")[2].rpartition(".")[0]).replace("-", " ").replace("_", " ")


def _undated(text: str) -> str:
    """Without its day, which is in the dates."""
    day = find_day(text)
    return text if day is None else text.replace(day.isoformat(), " ")
