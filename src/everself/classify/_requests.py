"""Rules that supplement the learned heads: the trigger lists, and the words that a request to remember or forget refers to. Pure."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from everself.classify.pattern_sets import Matcher, compile_set, read_patterns, regex
from everself.text.folding import fold_in_place, whole
from everself.text.leads import without_empty_lead

if TYPE_CHECKING:
    import re2

Route = Literal["memory", "recall", "soft", "change"]
_ROUTES: Final[tuple[Route, ...]] = ("memory", "recall", "soft", "change")
_EDGES: Final = " ,;:、，。-–—"
_FEWEST: Final = 2


def routes(sentence: str) -> frozenset[Route]:
    """The routes whose triggers match a sentence."""
    patterns, compiled = _triggers()
    found = compiled.Match(whole(fold_in_place(sentence)))
    return frozenset(one for one in _ROUTES if any(patterns[number][0] == one for number in found or ()))


@cache
def _triggers() -> tuple[tuple[tuple[str, str], ...], Matcher]:
    patterns = read_patterns("triggers")
    return patterns, compile_set(pattern for _, pattern in patterns)


def meant(sentence: str, kind: Literal["remember", "forget"]) -> str:
    """The words to be remembered or forgotten, as the person wrote them; empty if the request names none."""
    shown = fold_in_place(sentence)
    for pattern in _requests(kind):
        found = pattern.search(shown)
        if found is not None:
            words = without_empty_lead(sentence[slice(*found.span(1))].strip(_EDGES))
            if _names(words):
                return words
    return ""


def _names(words: str) -> bool:
    letters = sum(char.isalnum() for char in words)
    return letters >= _FEWEST and not any(one.search(fold_in_place(words)) for one in _requests("nothing"))


def _requests(kind: str) -> "Iterator[re2._Regexp]":
    found = (pattern for section, pattern in read_patterns("requests") if section == kind)
    return (regex(f"(?s){pattern}", case=False) for pattern in found)
