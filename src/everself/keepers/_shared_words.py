"""Finds texts that share rare words: an index over word beginnings and single CJK characters. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from everself.text.normalise import fold

# forms of one word mostly share so much of their beginning
_BEGINNING: Final = 5
_LONGEST: Final = 2_000
# a word that stands in more of all texts says little about any
_COMMON: Final = 0.1
_FEW: Final = 50


class RareWordIndex:
    def __init__(self, texts: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        for at, text in enumerate(texts):
            for mark in set(marks_of(text)):
                self._places.setdefault(mark, []).append(at)
        self._most = max(_FEW, int(_COMMON * len(texts)))

    def nearest(self, text: str, limit: int) -> list[int]:
        """The places of those that share most with a text, the nearest first; a rarer word counts more."""
        found = [self._places[mark] for mark in set(marks_of(text)) if mark in self._places]
        rare = [places for places in found if len(places) <= self._most]
        # if all words are common, the least common ones are used
        chosen = rare or sorted(found, key=len)[:2]
        shared = Counter[int]()
        for places in chosen:
            weight = 1_000 // (1 + len(places).bit_length())
            for at in places:
                shared[at] += weight
        return [at for at, _ in shared.most_common(limit)]


def marks_of(text: str) -> Iterator[str]:
    word = ""
    for char in fold(text[:_LONGEST]):
        if char.isalnum() and char < "\u3040":
            word += char
            continue
        if word:
            yield word[:_BEGINNING]
        word = ""
        if char >= "\u3040" and char.isalnum():
            yield char
    if word:
        yield word[:_BEGINNING]
