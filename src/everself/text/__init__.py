"""Text as values: normalise, count tokens, cut into sentences and search terms. Pure functions; knows nothing of files, Markdown or models.

The light part is exported here. `everself.text.tokens` and `everself.text.search` are imported by name by those who
need them, because a vocabulary and compiled patterns have no place in the start of `everself --help`.
"""

from everself.text.normalise import encode, fold, one_line, slug

__all__ = ["encode", "fold", "one_line", "slug"]
