"""The terms of a chunk for the index, and the text that is embedded. Knows no index.

The name of a speaker, titles and dates are terms of their own, so that ranking can weigh "Anna said" against "about Anna".
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from everself.search.chunking._speakers import without_speaker
from everself.search.chunking.chunks import Chunk
from everself.search.chunking.marks import DATE, SPEAKER, TITLE
from everself.text.search import index_terms
from everself.workspace.layout.dates import find_day

# characters of a neighbouring turn that are added as context
_NEIGHBOUR: Final = 600


def terms_of(chunk: Chunk, path: str) -> tuple[dict[str, int], int]:
    """Every term with how often it stands there, and the length that BM25 counts: that of the words alone."""
    said = index_terms(without_speaker(chunk.text, chunk.speaker))
    counts = dict(said.counts)
    counts.update(_marked(SPEAKER, (chunk.speaker,)) if chunk.speaker else ())
    counts.update(_marked(TITLE, (_stem(path), *chunk.title)))
    if chunk.day is not None:
        day = chunk.day.isoformat()
        counts.update({DATE + day[:4]: 1, DATE + day[:7]: 1, DATE + day: 1})
    return counts, said.length


def embedding_texts(chunks: Sequence[Chunk]) -> list[str]:
    """What is embedded of each chunk: its words with who said them, under the heading they stand under.

    A turn of a conversation means little without the one before and the one after, so these go with it; measured, one such vector finds
    more than two for turn and surroundings. An entry speaks for itself.
    """
    own = [_with_speaker(chunk) for chunk in chunks]
    return ["\n".join((*chunk.title[-1:], *_surrounded(chunks, own, at))) for at, chunk in enumerate(chunks)]


def _with_speaker(chunk: Chunk) -> str:
    said = without_speaker(chunk.text, chunk.speaker)
    return f"{chunk.speaker}: {said}" if chunk.speaker else said


def _surrounded(chunks: Sequence[Chunk], own: Sequence[str], at: int) -> list[str]:
    if not chunks[at].speaker:
        return [own[at]]
    near = range(max(0, at - 1), min(len(chunks), at + 2))
    return [own[one][:_NEIGHBOUR] if one != at else own[one] for one in near if chunks[one].speaker]


@lru_cache(maxsize=4096)
def _marked(mark: str, texts: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Kept, because a section's chunks share their titles and a conversation's turns their speakers."""
    counts: dict[str, int] = {}
    for text in texts:
        for term, count in index_terms(_undated(text)).counts.items():
            counts[mark + term] = counts.get(mark + term, 0) + count
    return tuple(counts.items())


def _stem(path: str) -> str:
    return _undated(path.rpartition("/")[2].rpartition(".")[0]).replace("-", " ").replace("_", " ")


def _undated(text: str) -> str:
    """Without its day, which is in the dates."""
    day = find_day(text)
    return text if day is None else text.replace(day.isoformat(), " ")
