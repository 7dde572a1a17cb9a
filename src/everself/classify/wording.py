"""How far each word of a question has a word like it in a memory, by the embeddings of words alone.

A memory that speaks of the cat leaves "old" of "how old is the cat" unexplained, and what is left unexplained is what the head that says
whether to be sure weighs. Where words are not written apart, a run of one script is one; long runs of Chinese characters are read in pairs.
No language is told apart.
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

# of one text no more words are looked at
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
    """Numbers about how well each is explained by the other, then the sums of the words that are not, weighted by how little."""
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
