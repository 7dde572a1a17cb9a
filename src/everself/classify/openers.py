"""Removes the openers of a correction from a sentence: "No, ", "That's wrong, ". Pure."""

from typing import Final

from everself.classify.topics import says
from everself.text.leads import MARKS, lead_of

# openers in a row: people say "no, no, sorry, I mean"
_MOST: Final = 4
_EDGES: Final = f"{MARKS} \u3000-–—"


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
