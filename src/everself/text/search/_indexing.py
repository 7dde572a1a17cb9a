"""Computes the index terms of a text. Knows nothing of files or the index.

Words repeat, so the terms of each fragment are cached in one bounded table per language. Most of the work is then counting, which C does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, repeat
from operator import add

from everself.text.search._characters import JOINERS, fragments_and_runs
from everself.text.search._languages import ENGLISH, elect, pack, stem, stop_words, votes
from everself.text.search._segments import Form, Segment, segments
from everself.text.search._terms import IndexTerms
from everself.text.search._words import index_forms, is_stop

# longer fragments hardly repeat
_REPEATED = 24
# about 15 MB; a full table is replaced, which costs less than tracking use
_MOST_KNOWN = 100_000


class _Table:
    """The cached terms of fragments in one language. A full table is replaced; threads that still use the old one keep it."""

    __slots__ = ("lengths", "several", "single")

    def __init__(self) -> None:
        # fragments with exactly one term, and the length that each adds to a text
        self.single: dict[str, str] = {}
        self.lengths: dict[str, int] = {}
        self.several: dict[str, tuple[tuple[str, ...], int]] = {}

    @property
    def full(self) -> bool:
        return len(self.lengths) + len(self.several) >= _MOST_KNOWN


_tables: dict[str, _Table] = {}
# the packed language votes of each fragment, including zero
_votes: dict[str, int] = {}


def index_terms(text: str) -> IndexTerms:
    """All terms of a text, in linear time."""
    words, runs = fragments_and_runs(text)
    language = elect(_cast(words))
    table = _tables.get(language)
    if table is None or table.full:
        table = _tables[language] = _Table()
    found = list(map(table.single.get, words))
    length = sum(map(len, runs)) - len(runs) + sum(map(table.lengths.get, words, repeat(0)))
    tallied: Counter[str | None] = Counter(found)
    missing = tallied.pop(None, 0)
    counts: dict[str, int] = dict(tallied)  # type: ignore[arg-type]  # None was taken out
    if missing:
        # use the result above: another thread may have filled the table meanwhile
        unknown = Counter(word for word, term in zip(words, found, strict=True) if term is None)
        for fragment, times in unknown.items():
            for terms, own_length in _terms_of(fragment, language, table):
                length += own_length * times
                for term in terms:
                    counts[term] = counts.get(term, 0) + times
    if runs:
        dense = Counter(chain(chain.from_iterable(runs), chain.from_iterable(map(_pairs, runs))))
        for term, times in dense.items():
            counts[term] = counts.get(term, 0) + times
    return IndexTerms(counts, length)


def _cast(words: list[str]) -> int:
    """The votes of all words."""
    found = list(map(_votes.get, words))
    if None in found:
        return sum(_votes_of(word) if cast is None else cast for word, cast in zip(words, found, strict=True))
    return sum(found)  # type: ignore[arg-type]  # none of them is None


def _votes_of(fragment: str) -> int:
    if len(fragment) > _REPEATED:
        return 0
    word = _plain_word(fragment)
    if word:
        cast = pack(votes(word))
    else:
        spoken = (one for one in segments(fragment) if one.form is Form.WORD and not one.part)
        cast = sum(pack(votes(one.text)) for one in spoken)
    if len(_votes) >= _MOST_KNOWN:
        _votes.clear()
    _votes[fragment] = cast
    return cast


@lru_cache(maxsize=1024)
def _plain_word(fragment: str) -> str:
    """The folded word of a fragment that is an ordinary word; empty for all others."""
    inside = fragment.strip(JOINERS)
    plain = len(inside) > 1 and inside.isascii() and inside.isalpha() and inside[1:].islower()
    return inside.lower() if plain else ""


def _terms_of(fragment: str, language: str, table: _Table) -> Iterator[tuple[tuple[str, ...], int]]:
    """The terms and length of a fragment, in one or more parts; cached if it may recur."""
    if len(fragment) > _REPEATED:
        # segment by segment, because a fragment may be a book
        for segment in segments(fragment):
            yield tuple(_terms(segment, language)), _length(segment, language)
        return
    kept = table.several.get(fragment)
    if kept is not None:
        yield kept
        return
    word = _plain_word(fragment)
    if word and (language == ENGLISH or word in stop_words(language)):
        stop = word in stop_words(language)
        terms: tuple[str, ...] = (word if stop else stem(word, language),)
        length = 0 if stop else 1
    else:
        cut = list(segments(fragment))
        terms = tuple(term for segment in cut for term in _terms(segment, language))
        length = sum(_length(segment, language) for segment in cut)
    if len(terms) == 1:
        table.lengths[fragment] = length
        table.single[fragment] = terms[0]
    else:
        table.several[fragment] = terms, length
    yield terms, length


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
