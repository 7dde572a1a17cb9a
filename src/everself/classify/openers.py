"""A sentence without what only says that it corrects: "No, ", "That's wrong, ". Pure."""

from functools import cache
from typing import TYPE_CHECKING, Final

from everself.classify.folding import fold, language_of, one_script
from everself.classify.pattern_sets import read_patterns
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

# people say "no, no, sorry, I mean"
_MOST: Final = 4


def bare(sentence: str) -> str:
    """What the sentence says beyond that, beginning as a sentence does."""
    language = language_of(sentence)
    rest = sentence.strip()
    for _ in range(_MOST):
        shown = one_script(fold(rest)) if language == "zh" else fold(rest)
        found = next((match for pattern in _openers(language) if (match := pattern.search(shown))), None)
        if found is None or found.end() >= len(rest):
            break
        rest = rest[found.end() :].lstrip()
    return rest[:1].upper() + rest[1:]


@cache
def _openers(language: Language) -> "tuple[re2._Regexp, ...]":
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return tuple(re2.compile(pattern, options) for _, pattern in read_patterns("openers", language))
