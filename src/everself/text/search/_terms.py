"""Terms of texts and queries as values."""

from enum import StrEnum

from everself.frozen import Frozen

# Part of an index's identity: raise it whenever the same text would give other terms.
TOKENIZER_VERSION = 1

# A longer word or whole is cut to this, in texts and in questions alike.
TERM_LENGTH = 64


class TermKind(StrEnum):
    """What a term is. `STOP` is a word that says little; `WHOLE` an identifier, hash, path, address, version or emoji."""

    WORD = "word"
    STOP = "stop"
    PAIR = "pair"
    CHARACTER = "character"
    WHOLE = "whole"


class IndexTerms(Frozen):
    """Every term of a text with how often it stands there, and the length that BM25 should count.

    `length` counts words, pairs and wholes: stop words, single characters and the parts of a whole add nothing to it, so
    it may be 0 where `counts` is not empty.
    """

    counts: dict[str, int]
    length: int


class QueryTerm(Frozen):
    """One thing asked for. A text may hold several `alternatives` of it for one word: their counts are not to be summed."""

    surface: str
    alternatives: tuple[str, ...]
    kind: TermKind


class SearchQuery(Frozen):
    """A question, read. Every one of `exact` is the surface of one of `terms`; `phrases` compare with `fold_for_phrase`."""

    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]
    exact: tuple[str, ...]
