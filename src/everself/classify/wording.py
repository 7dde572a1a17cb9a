"""How well the words of a question are matched by words of a memory, by the embeddings of single words.

A memory about the cat leaves "old" of "how old is the cat" unexplained, and the head that says whether to be sure weighs what is
unexplained. In scripts without blanks a run of one script is one word; long runs of Chinese characters are read in pairs. Languages are not
distinguished.
"""

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from everself.classify import encoder
from everself.classify.features import EMBEDDED
from everself.classify.pattern_sets import regex
from everself.text.normalise import without_surrogates

if TYPE_CHECKING:
    from everself.classify.features import Rows

# number of words of one text that are compared
MOST: Final = encoder.MOST
_LONGEST: Final = 400
# runs of Chinese characters up to this are read as one word
_ONE_WORD: Final = 3
_HAN: Final = ("\u3400", "\u9fff")
_WORD: Final = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}\p{M}]+(?:['’][\p{Latin}]+)?"
_RUNS: Final = rf"[\p{{Han}}]+|\p{{Hiragana}}+|[\p{{Katakana}}ー]+|\p{{Hangul}}+|{_WORD}|\p{{L}}+"
_SAME, _LIKE = 0.95, 0.6
SCALARS: Final = 12
SIZE: Final = SCALARS + 2 * EMBEDDED


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", without_surrogates(text[:_LONGEST])).casefold()
    found: list[str] = []
    for run in regex(_RUNS).findall(plain):
        paired = _HAN[0] <= run[0] <= _HAN[1] and len(run) > _ONE_WORD
        found += [run[at : at + 2] for at in range(len(run) - 1)] if paired else [run]
    return tuple(found[:MOST]) or (".",)


def explained(question: str, memory: str) -> "Rows | None":
    """Numbers about how well each text is explained by the other, then the sums of the unexplained words' embeddings, weighted by how
    little they are."""
    asked, held = (encoder.embed(words_of(text)) for text in (question, memory))
    return None if asked is None or held is None else compared(asked, held)


def compared(asked: Any, held: Any) -> "Rows":
    import numpy

    ours, theirs = (numpy.stack(list(one)).astype(numpy.float64) for one in (asked, held))
    alike = ours @ theirs.T
    there, back = alike.max(axis=1), alike.max(axis=0)
    lowest = numpy.sort(there)
    left, over = (numpy.clip(1 - one, 0, 1) / numpy.sqrt(len(one)) for one in (there, back))
    scalars = [
        *(there.mean(), lowest[0], lowest[min(1, len(lowest) - 1)], lowest[-1]),
        *((there > _SAME).mean(), (there > _LIKE).mean()),
        *(back.mean(), back.max(), back.min(), (back > _SAME).mean()),
        *(left.sum(), over.sum()),
    ]
    return numpy.concatenate([scalars, left @ ours, over @ theirs])
