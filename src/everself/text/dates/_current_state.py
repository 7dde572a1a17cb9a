"""Whether a question asks about the current state rather than the past, in four languages."""

from typing import Final

from everself.text.normalise import fold, without_surrogates
from everself.text.patterns import LazyPattern

_LONGEST: Final = 4000

_NOW: Final = LazyPattern(
    r"\b(?:do|does|am|is|are|have|has|can) (?:i|we|my|our)\b|\b(?:current|currently|now|nowadays|recent|recently|latest|newest|so far|"
    r"still|these days)\b|\b(?:did|have|has) (?:i|we) (?:switch|change)"
    "|现在|現在|目前|如今|最近|至今|还在|지금|현재|요즘|최근|아직|今は|今の|いま|最新"
)
# what is old beside these words describes something else
_EXPRESSLY: Final = LazyPattern(
    r"\b(?:currently|right now|nowadays|these days|so far|at the moment)\b"
    "|现在|目前|지금|현재|今は|現在は"
)
_THEN: Final = LazyPattern(
    r"\b(?:previous|previously|before|initial|initially|earlier|earliest|first|original|originally|former|formerly|"
    r"used to|back then|ago)\b"
    "|以前|之前|从前|原来|最初|当时|예전|이전|처음|원래|以前|最初|もともと|昔|当時"
)


def asks_for_now(query: str) -> bool:
    """Is the newest of several answers the right one?"""
    words = without_surrogates(fold(query[:_LONGEST]))
    if _EXPRESSLY.search(words):
        return True
    return _NOW.search(words) is not None and _THEN.search(words) is None
