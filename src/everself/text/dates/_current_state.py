"""Whether a question asks about the current state rather than the past, in four languages."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everself.text.normalise import fold, without_surrogates

if TYPE_CHECKING:
    import re2

_LONGEST: Final = 4000

_NOW: Final = (
    r"\b(?:do|does|am|is|are|have|has|can) (?:i|we|my|our)\b|\b(?:current|currently|now|nowadays|recent|recently|latest|newest|so far|"
    r"still|these days)\b|\b(?:did|have|has) (?:i|we) (?:switch|change)",
    "现在|現在|目前|如今|最近|至今|还在|지금|현재|요즘|최근|아직|今は|今の|いま|最新",
)
# what is old beside these words describes something else
_EXPRESSLY: Final = (
    r"\b(?:currently|right now|nowadays|these days|so far|at the moment)\b",
    "现在|目前|지금|현재|今は|現在は",
)
_THEN: Final = (
    r"\b(?:previous|previously|before|initial|initially|earlier|earliest|first|original|originally|former|formerly|"
    r"used to|back then|ago)\b",
    "以前|之前|从前|原来|最初|当时|예전|이전|처음|원래|以前|最初|もともと|昔|当時",
)


def asks_for_now(query: str) -> bool:
    """Is the newest of several answers the right one?"""
    words = without_surrogates(fold(query[:_LONGEST]))
    if _pattern(_EXPRESSLY).search(words):
        return True
    return _pattern(_NOW).search(words) is not None and _pattern(_THEN).search(words) is None


@lru_cache(maxsize=3)
def _pattern(words: tuple[str, ...]) -> "re2._Regexp":
    import re2

    return re2.compile("|".join(words))
