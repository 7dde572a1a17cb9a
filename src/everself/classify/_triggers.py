"""Whether a message holds something that memory should keep: a wish to remember, a decision, preference, plan or lesson. Pure."""

from typing import Literal

from everself.classify.corrections import parts_of, window
from everself.classify.pattern_sets import load_set

Trigger = Literal["remember", "decision", "preference", "plan", "lesson"]
_KINDS: dict[str, Trigger] = {
    "remember": "remember",
    "decision": "decision",
    "preference": "preference",
    "plan": "plan",
    "lesson": "lesson",
}


def find_triggers(text: str) -> tuple[Trigger, ...]:
    """Each kind once, in the order of the message. Questions hold none."""
    found: dict[Trigger, None] = {}
    for part in parts_of(window(text)):
        if part.asks:
            continue
        matches = load_set("triggers").matches(part.folded, part.language)
        if any(match.name == "veto" for match in matches):
            continue
        found |= {_KINDS[match.name]: None for match in matches if match.name in _KINDS}
    return tuple(found)
