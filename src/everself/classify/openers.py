"""A sentence without what only says that it corrects: "No, ", "That's wrong, ". Pure."""

from typing import Final

from everself.classify.topics import says

# people say "no, no, sorry, I mean"
_MOST: Final = 4
# what stands before it may open a correction, if it is this short
_ENDS: Final = ",，、:：;；!！.。"
_LONGEST: Final = 30
_EDGES: Final = f"{_ENDS} \u3000-–—"


def bare(sentence: str) -> str:
    """What the sentence says beyond that, beginning as a sentence does."""
    rest = sentence.strip()
    for _ in range(_MOST):
        lead = lead_of(rest)
        left = rest[len(lead) + 1 :].lstrip(_EDGES)
        if not lead or not left or not says(lead.strip(_EDGES), "opener"):
            break
        rest = left
    return rest[:1].upper() + rest[1:]


def lead_of(text: str) -> str:
    """What stands before the first comma or the like; empty where that is far away, or within a number."""
    for at, char in enumerate(text[:_LONGEST]):
        if char in _ENDS and not text[at + 1 : at + 2].isdecimal():
            return text[:at]
    return ""
