"""Parses a query into terms, phrases and names. Knows nothing of an index or of ranking."""

from collections.abc import Iterator
from functools import lru_cache
from operator import add

from everself.text.normalise import fold
from everself.text.search._characters import fragments
from everself.text.search._languages import dense_stop_words, elect, pack, plausible, stop_words, votes
from everself.text.search._segments import Form, Segment, segments
from everself.text.search._terms import QueryTerm, SearchQuery, TermKind
from everself.text.search._words import is_stop, query_forms
from everself.text.search.quotes import quoted

_SENTENCE_ENDS = (".", "!", "?", ":")
# a sentence does not end with such a short word: a name follows Dr. and Mrs.
_ABBREVIATED = 4
# capitalised by rule, so a capital does not indicate a name
_RULED_CAPITALS = frozenset(
    {"i", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    | {"january", "february", "march", "april", "may", "june", "july", "august"}
    | {"september", "october", "november", "december"}
)
# German capitalises every noun
_CAPITAL_NOUNS = "de"
# stop words that are also names if capitalised inside a sentence
_ALSO_NAMES = frozenset({"will"})


@lru_cache(maxsize=512)
def fold_for_phrase(text: str) -> str:
    """The form in which a phrase and a text are compared by substring. Cached, because a search compares each of its texts three times."""
    return fold(text)


def read_query(text: str) -> SearchQuery:
    """Parse a query, in linear time."""
    found = fragments(text)
    rows = {fragment: tuple(segments(fragment)) for fragment in dict.fromkeys(found)}
    words = (segment.text for row in rows.values() for segment in row if segment.form is Form.WORD)
    total = sum(pack(votes(word)) for word in words)
    language, languages = elect(total), plausible(total)
    names = _names([(fragment, rows[fragment]) for fragment in found], language)
    terms: dict[str, QueryTerm] = {}
    for row in rows.values():
        for segment in row:
            for term in _terms(segment, language, languages):
                named = term.kind is TermKind.STOP and term.surface in names
                terms.setdefault(
                    term.surface, QueryTerm(term.surface, term.alternatives, TermKind.WORD) if named else term
                )
    exact = tuple(term.surface for term in terms.values() if term.kind is TermKind.WHOLE or term.surface in names)
    phrases = dict.fromkeys(filter(None, map(fold_for_phrase, quoted(text))))
    return SearchQuery(tuple(terms.values()), tuple(phrases), exact)


def _terms(segment: Segment, language: str, languages: tuple[str, ...]) -> Iterator[QueryTerm]:
    if segment.form is Form.RUN:
        yield from _run_terms(segment.text)
    elif segment.form is Form.WHOLE:
        spelled = (form for spelling in segment.spellings for form in query_forms(spelling, languages))
        yield QueryTerm(segment.text, tuple(dict.fromkeys((segment.text, *spelled))), TermKind.WHOLE)
    else:
        kind = TermKind.STOP if is_stop(segment.text, language) else TermKind.WORD
        yield QueryTerm(segment.text, query_forms(segment.text, languages), kind)


def _run_terms(run: str) -> Iterator[QueryTerm]:
    stops = dense_stop_words()
    for pair in map(add, run, run[1:]):
        yield QueryTerm(pair, (pair,), TermKind.STOP if pair in stops else TermKind.PAIR)
    for char in run:
        yield QueryTerm(char, (char,), TermKind.STOP if char in stops else TermKind.CHARACTER)


def _names(found: list[tuple[str, tuple[Segment, ...]]], language: str) -> frozenset[str]:
    """Folded words with a capital that no rule explains."""
    if language == _CAPITAL_NOUNS:
        return frozenset()
    stops = stop_words(language)
    names: set[str] = set()
    begins = True
    before = ""
    for fragment, row in found:
        beside_run = any(segment.form is Form.RUN for segment in row)
        word = next((segment for segment in row if segment.form is Form.WORD), None)
        if word and word.capital and word.text not in _RULED_CAPITALS and len(word.text) > 1:
            small = word.text in stops and word.text not in _ALSO_NAMES
            if small and not begins:
                return frozenset()  # Every Word Has One: a title
            opens = begins and not beside_run and not fragment.lower().endswith("'s") and len(found) > 1
            if not small and not opens:
                names.add(word.text)
                if before:
                    names.add(before)
            before = word.text if opens and not small else ""
        else:
            before = ""
        begins = fragment.endswith(_SENTENCE_ENDS) and not (fragment[-1] == "." and len(fragment) <= _ABBREVIATED)
    return frozenset(names)
