"""Terms of texts and queries as values."""

from enum import StrEnum

from everself.frozen import Frozen

# Part of an index's identity: increase it whenever the same text would give other terms.
TOKENIZER_VERSION = 1

# longer words are cut to this length, in texts and queries alike
TERM_LENGTH = 64


class TermKind(StrEnum):
    """The kind of a term. `STOP` is an insignificant word; `WHOLE` an identifier, hash, path, address, version or emoji."""

    WORD = "word"
    STOP = "stop"
    PAIR = "pair"
    CHARACTER = "character"
    WHOLE = "whole"


class IndexTerms(Frozen):
    """The count of every term of a text, and the length for BM25.

    `length` counts words, pairs and wholes. Stop words, single characters and parts of a whole do not count, so it may be 0 although
    `counts` is not empty.
    """

    counts: dict[str, int]
    length: int


class QueryTerm(Frozen):
    """One search word. A text may contain several `alternatives` for one word: do not add their counts."""

    surface: str
    alternatives: tuple[str, ...]
    kind: TermKind


class SearchQuery(Frozen):
    """A parsed query. Each of `exact` is the surface of one of `terms`; compare `phrases` using `fold_for_phrase`."""

    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]
    exact: tuple[str, ...]
