"""A text becomes the terms an index keeps of it. Knows nothing of chunks, files or the index.

Texts repeat their words, so what a chunk of text comes to is kept in a bounded table: with it, counting is most of the work.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import add

from everself.text.search._characters import chunks_and_runs
from everself.text.search._languages import Votes, elect, tally, votes
from everself.text.search._segments import Form, Piece, pieces
from everself.text.search._terms import IndexTerms
from everself.text.search._words import index_forms, is_stop

# Longer chunks hardly repeat.
_REPEATED = 24
# About 20 MB when full; then it starts again, which costs less than keeping order.
_MOST_KNOWN = 40_000


@dataclass(frozen=True, slots=True)
class _Known:
    """A chunk that may come again: its pieces, what language they speak for, and its terms and length in each."""

    pieces: tuple[Piece, ...]
    votes: Votes
    terms: dict[str, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def terms_in(self, language: str) -> tuple[tuple[str, ...], int]:
        found = self.terms.get(language)
        if found is None:
            listed: list[str] = []
            length = 0
            for piece in self.pieces:
                listed += _terms(piece, language)
                length += _length(piece, language)
            found = self.terms[language] = (tuple(listed), length)
        return found


_known: dict[str, _Known] = {}


def index_terms(text: str) -> IndexTerms:
    """Every term of a text, in time linear in it."""
    words, runs = chunks_and_runs(text)
    met: list[tuple[_Known, int]] = []
    long: list[tuple[str, int]] = []
    for chunk, times in Counter(words).items():
        known = _known.get(chunk)
        if known is None:
            if len(chunk) > _REPEATED:
                long.append((chunk, times))
                continue
            known = _remembered(chunk)
        met.append((known, times))
    language = elect(tally((known.votes, times) for known, times in met if known.votes))
    counts: dict[str, int] = (
        Counter(chain(chain.from_iterable(runs), chain.from_iterable(map(_pairs, runs)))) if runs else {}
    )
    length = sum(map(len, runs)) - len(runs)
    for known, times in met:
        terms, own_length = known.terms_in(language)
        length += own_length * times
        for term in terms:
            counts[term] = counts.get(term, 0) + times
    for chunk, times in long:
        # piece by piece, because a chunk may be a book
        for piece in pieces(chunk):
            length += _length(piece, language) * times
            for term in _terms(piece, language):
                counts[term] = counts.get(term, 0) + times
    return IndexTerms(dict(counts) if runs else counts, length)


def _remembered(chunk: str) -> _Known:
    found = tuple(pieces(chunk))
    cast = tuple(vote for piece in found if piece.form is Form.WORD and not piece.part for vote in votes(piece.text))
    known = _Known(found, cast)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[chunk] = known
    return known


def _pairs(run: str) -> Iterator[str]:
    return map(add, run, run[1:])


def _terms(piece: Piece, language: str) -> Iterable[str]:
    if piece.form is Form.WORD:
        return index_forms(piece.text, language)
    spelled = (form for spelling in piece.spellings for form in index_forms(spelling, language))
    return dict.fromkeys((piece.text, *spelled))


def _length(piece: Piece, language: str) -> int:
    if piece.part:
        return 0
    return 0 if piece.form is Form.WORD and is_stop(piece.text, language) else 1
