"""Measures how much of a query occurs verbatim in a text. Pure.

Scattered words and the same words in a row are different matches; postings cannot tell them apart, the text can.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from everself.text.search import fold_for_phrase

_ENDS: Final = " ?？!！。.,、，　"
# a longer query is a pasted text, and comparing all of it is too slow
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class QueryWording:
    """A query as it is compared: by characters where it is written without blanks, else by words."""

    characters: str
    words: tuple[str, ...]


def read_wording(query: str) -> QueryWording:
    folded = fold_for_phrase(query[:_LONGEST]).strip(_ENDS)
    if sum(character > "⺀" for character in folded) * 3 > len(folded):
        return QueryWording(folded, ())
    return QueryWording("", tuple(_words(folded)))


def run_share(wording: QueryWording, text: str) -> float:
    """0 where nothing of the query stands in a row in the text, 1 where all of it does."""
    folded = fold_for_phrase(text)
    if wording.characters:
        return _share_of_characters(wording.characters, folded)
    return _share_of_words(wording.words, _words(folded))


def _share_of_characters(query: str, text: str) -> float:
    size, at, total = len(query), 0, 0
    while at < size:
        end = at + 1
        while end <= size and query[at:end] in text:
            end += 1
        length = end - 1 - at
        total += length * length
        at += max(1, length)
    return sqrt(total) / size if size else 0.0


def _share_of_words(query: tuple[str, ...], words: Sequence[str]) -> float:
    """A word alone is what postings tell already: only the steps from one to the next count."""
    there, text = frozenset(words), ""
    size, at, total = len(query), 0, 0
    while at < size:
        end = at + 1
        while end < size and query[at] in there and query[end] in there:
            text = text or f" {' '.join(words)} "
            if f" {' '.join(query[at : end + 1])} " not in text:
                break
            end += 1
        total += (end - at - 1) ** 2
        at = end
    return sqrt(total) / (size - 1) if size > 1 else 0.0


def _words(text: str) -> list[str]:
    return text.translate(_TABLE).split()


class _Table(dict[int, str]):
    """Characters as they are where words are made of them, else a blank. Filled as they are met: a pattern takes ten times as long."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character == "_" or unicodedata.category(character)[0] in "LNM"
        found = self[code] = character if kept else " "
        return found


_TABLE: Final = _Table()
