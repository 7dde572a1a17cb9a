"""The terms of a chunk for the index, and its text for embedding. Knows no index.

Speaker names, titles and dates are separate terms, so that ranking can distinguish "Anna said" from "about Anna".
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

# Separates a turn from its neighbours in the text for embedding; no text contains it.
_APART: Final = "\x1f"
# The weight of the turns before and after. Chosen on the shared conversations: 0.2 finds more than 0, and more than all three as one
# text, in a third of the time.
BESIDE: Final = 0.2


def terms_of(chunk: Chunk, path: str) -> tuple[dict[str, int], int]:
    """The count of every term, and the length for BM25: that of the text alone."""
    said = index_terms(without_speaker(chunk.text, chunk.speaker))
    counts = dict(said.counts)
    counts.update(_marked(SPEAKER, (chunk.speaker,)) if chunk.speaker else ())
    counts.update(_marked(TITLE, (_stem(path), *chunk.title)))
    if chunk.day is not None:
        counts.update(_dated(chunk.day))
    return counts, said.length


def embedding_texts(chunks: Sequence[Chunk]) -> list[str]:
    """The texts to embed: the text of each chunk with its speaker, under its heading.

    A turn means little without its neighbours, so they are added, and `split_context` separates them again: each is embedded once, and
    the vector of a turn is the weighted sum of the three. An entry stands alone.
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
    """The texts whose vectors make up the vector of a text from `embedding_texts`, its own first, and their weights."""
    own, *beside = text.split(_APART)
    return [(own, 1.0), *((one, BESIDE) for one in beside if one)]


def _with_speaker(chunk: Chunk) -> str:
    said = without_speaker(chunk.text, chunk.speaker)
    return f"{chunk.speaker}: {said}" if chunk.speaker else said


@lru_cache(maxsize=4096)
def _marked(mark: str, texts: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Cached, because the chunks of a section share titles and the turns of a conversation share speakers."""
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
    """The text without its date, which is a separate term."""
    day = find_day(text)
    return text if day is None else text.replace(day.isoformat(), " ")
