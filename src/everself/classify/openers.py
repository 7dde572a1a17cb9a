"""Removes the openers of a correction from a sentence: "No, ", "That's wrong, ". Pure."""

from typing import Final

from everself.classify.topics import says

# openers in a row: people say "no, no, sorry, I mean"
_MOST: Final = 4
# a short text before one of these marks may be an opener
_ENDS: Final = ",，、:：;；!！.。"
_LONGEST: Final = 30
_EDGES: Final = f"{_ENDS} \u3000-–—"


def bare(sentence: str) -> str:
    """The sentence without its openers, beginning with a capital."""
    rest = sentence.strip()
    for _ in range(_MOST):
        lead = lead_of(rest)
        left = rest[len(lead) + 1 :].lstrip(_EDGES)
        if not lead or not left or not says(lead.strip(_EDGES), "opener"):
            break
        rest = left
    return rest[:1].upper() + rest[1:]


def lead_of(text: str) -> str:
    """The text before the first comma or similar mark; empty if that is far away, or within a number."""
    for at, char in enumerate(text[:_LONGEST]):
        if char in _ENDS and not text[at + 1 : at + 2].isdecimal():
            return text[:at]
    return ""
