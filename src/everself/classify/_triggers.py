"""Whether a message holds something that memory should keep, and what: a wish to remember, a decision, a plan, a wish, a fact. Pure."""

from typing import Final, Literal

from everself.classify.model import score
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.statements import read_each

Trigger = Literal["remember", "decision", "plan", "wish", "fact"]
_BY_ACT: Final[tuple[Trigger, ...]] = ("decision", "plan", "wish", "fact")


def find_triggers(text: str) -> tuple[Trigger, ...]:
    """Each kind once, in the order of the message. Questions, tasks and small talk hold none."""
    found: dict[Trigger, None] = {}
    for sentence in read_each(text).of(*KEPT):
        if sentence.kind is SentenceKind.REMEMBER:
            found["remember"] = None
            continue
        scores = score(sentence.text)
        found[next((act for act in _BY_ACT if scores.says(act)), "fact")] = None
    return tuple(found)
