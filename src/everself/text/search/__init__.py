"""Converts texts and queries to search terms: one tokenizer for every engine, without a dictionary.

Pure functions with bounded caches; knows no index, ranking or files. Stemmers are loaded with the first word that needs one.
"""

from everself.text.search._emoji import is_one_emoji
from everself.text.search._indexing import index_terms
from everself.text.search._query import fold_for_phrase, read_query
from everself.text.search._terms import TOKENIZER_VERSION, IndexTerms, QueryTerm, SearchQuery, TermKind

__all__ = [
    "TOKENIZER_VERSION",
    "IndexTerms",
    "QueryTerm",
    "SearchQuery",
    "TermKind",
    "fold_for_phrase",
    "index_terms",
    "is_one_emoji",
    "read_query",
]
