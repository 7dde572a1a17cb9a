"""Computes the index terms of a text. Knows nothing of files or the index.

Texts repeat their words, so what a fragment of text comes to is kept in a bounded table: with it, counting is most of the work.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import add

from everself.text.search._characters import fragments_and_runs
from everself.text.search._languages import Votes, elect, tally, votes
from everself.text.search._segments import Form, Segment, segments
from everself.text.search._terms import IndexTerms
from everself.text.search._words import index_forms, is_stop

# Longer fragments hardly repeat.
_REPEATED = 24
# About 20 MB when full; then it starts again, which costs less than keeping order.
_MOST_KNOWN = 40_000


@dataclass(frozen=True, slots=True)
class _Known:
    """A fragment that may come again: its segments, what language they speak for, and its terms and length in each."""

    segments: tuple[Segment, ...]
    votes: Votes
    terms: dict[str, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def terms_in(self, language: str) -> tuple[tuple[str, ...], int]:
        found = self.terms.get(language)
        if found is None:
            listed: list[str] = []
            length = 0
            for segment in self.segments:
                listed += _terms(segment, language)
                length += _length(segment, language)
            found = self.terms[language] = (tuple(listed), length)
        return found


_known: dict[str, _Known] = {}


def index_terms(text: str) -> IndexTerms:
    """Every term of a text, in time linear in it."""
    words, runs = fragments_and_runs(text)
    met: list[tuple[_Known, int]] = []
    long: list[tuple[str, int]] = []
    for fragment, times in Counter(words).items():
        known = _known.get(fragment)
        if known is None:
            if len(fragment) > _REPEATED:
                long.append((fragment, times))
                continue
            known = _remembered(fragment)
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
    for fragment, times in long:
        # segment by segment, because a fragment may be a book
        for segment in segments(fragment):
            length += _length(segment, language) * times
            for term in _terms(segment, language):
                counts[term] = counts.get(term, 0) + times
    return IndexTerms(dict(counts) if runs else counts, length)


def _remembered(fragment: str) -> _Known:
    found = tuple(segments(fragment))
    cast = tuple(
        vote for segment in found if segment.form is Form.WORD and not segment.part for vote in votes(segment.text)
    )
    known = _Known(found, cast)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[fragment] = known
    return known


def _pairs(run: str) -> Iterator[str]:
    return map(add, run, run[1:])


def _terms(segment: Segment, language: str) -> Iterable[str]:
    if segment.form is Form.WORD:
        return index_forms(segment.text, language)
    spelled = (form for spelling in segment.spellings for form in index_forms(spelling, language))
    return dict.fromkeys((segment.text, *spelled))


def _length(segment: Segment, language: str) -> int:
    if segment.part:
        return 0
    return 0 if segment.form is Form.WORD and is_stop(segment.text, language) else 1
