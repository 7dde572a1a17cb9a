"""The short text before the first comma or similar mark: an opener, a label, or nothing but grammar. Pure."""

from typing import Final

from everself.text.search import TermKind, read_query

MARKS: Final = ",，、:：;；!！.。"
_LABELS: Final = (":", "：")
_LONGEST: Final = 30
_EDGES: Final = " ,;:、，。-–—"
_BRIEF: Final = 2


def lead_of(text: str) -> str:
    """The text before the first comma or similar mark; empty if that is far away, or within a number."""
    for at, char in enumerate(text[:_LONGEST]):
        if char in MARKS and not text[at + 1 : at + 2].isdecimal():
            return text[:at]
    return ""


def without_empty_lead(words: str) -> str:
    """The words without a lead that holds nothing but grammar, as in "for me, would you: the code is 12"."""
    lead = lead_of(words)
    rest = words[len(lead) + 1 :].strip(_EDGES)
    # a longer clause before a comma may be a condition: "when we are out, the code is 12"
    brief = words[len(lead) : len(lead) + 1] in _LABELS or len(lead.split()) == _BRIEF
    empty = lead and brief and all(term.kind is TermKind.STOP for term in read_query(lead).terms)
    return rest if empty and rest else words
