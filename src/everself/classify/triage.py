"""Decides what a message asks of memory: a correction, something to keep, a route of the person's own. Uses no chat model.

Acts on nothing: `conversation/corrections.py` corrects, and the conversation runs handlers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from everself.classify.corrections import Correction, find_change, parts_of, window
from everself.classify.model import score
from everself.classify.pattern_sets import compile_set
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.shown import said
from everself.classify.statements import read_each
from everself.classify.topics import says
from everself.config.sections import CustomPattern
from everself.text.folding import fold_in_place
from everself.text.patterns import LARGEST_TOGETHER, size_of

MINER: Final = "miner"
VALIDATOR: Final = "validator"
# the kinds of content in a message that memory should keep
Trigger = Literal["remember", "decision", "plan", "wish", "fact"]
_BY_ACT: Final[tuple[Trigger, ...]] = ("decision", "plan", "wish", "fact")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`keep`: worth the Memory Miner's attention; `triggers` say why. `routes` are the programs that the settings send such messages to;
    `refused` says which of the person's own patterns are not used, and why. `about`: what the agent forgot, something of the past or
    something it can do."""

    correction: Correction | None = None
    keep: bool = False
    routes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    about: Literal["memory", "tool"] = "memory"


class Triage:
    """`handler` is the program for recall failures that are not about the past but about a forgotten tool or script."""

    def __init__(self, custom: Sequence[CustomPattern] = (), handler: str = "") -> None:
        self._handler = handler
        self._routes: list[str] = []
        self._patterns: list[str] = []
        self.refused = self._admit(custom)
        self._set = compile_set(self._patterns) if self._patterns else None

    def read(self, text: str) -> Verdict:
        # text that is only shown neither corrects nor asks to be kept; a program may still want to see it
        told = said(text)
        correction = find_change(told)
        triggers = find_triggers(told)
        read = fold_in_place(window(told))
        found = self._own(read)
        routes = [route for route in self._own(fold_in_place(window(text))) if route not in (MINER, VALIDATOR)]
        about: Literal["memory", "tool"] = "tool" if _is_of_tool(told) else "memory"
        if self._handler and about == "tool":
            routes.insert(0, self._handler)
        if correction is None and VALIDATOR in found:
            correction = Correction("medium", " ".join(told[:200].split()))
        keep = bool(triggers) or MINER in found
        return Verdict(correction, keep, tuple(dict.fromkeys(routes)), self.refused, triggers, about)

    def _admit(self, custom: Sequence[CustomPattern]) -> tuple[str, ...]:
        refused: list[str] = []
        together = 0
        for number, one in enumerate(custom, 1):
            pattern = fold_in_place(one.pattern)
            size = size_of(pattern)
            if isinstance(size, int) and together + size > LARGEST_TOGETHER:
                size = "the patterns before it are already as large as is allowed together"
            if isinstance(size, str):
                refused.append(f"Pattern {number} of heartbeat_custom_patterns is not used: {size}.")
                continue
            together += size
            self._patterns.append(pattern)
            self._routes.append(one.route)
        return tuple(refused)

    def _own(self, read: str) -> tuple[str, ...]:
        """The routes of the person's own patterns that match."""
        if self._set is None:
            return ()
        return tuple(dict.fromkeys(self._routes[number] for number in sorted(self._set.Match(read) or ())))


def _is_of_tool(told: str) -> bool:
    """Whether a sentence or a clause of it reminds the agent of something it can do."""
    parts = (part.folded for part in parts_of(window(told)))
    return any(says(words, "tool") for part in parts for words in dict.fromkeys((part, *_clauses(part))))


def _clauses(sentence: str) -> list[str]:
    for mark in _MARKS:
        sentence = sentence.replace(mark, "\n")
    return [words.strip() for words in sentence.split("\n")[:_MOST_CLAUSES] if words.strip()]


_MARKS: Final = (", ", ": ", "; ", " – ", "，", "、", "：", "；")
_MOST_CLAUSES: Final = 8


def find_triggers(text: str) -> tuple[Trigger, ...]:
    """Each trigger once, in message order. Questions, tasks and small talk contain none."""
    found: dict[Trigger, None] = {}
    for sentence in read_each(text).of(*KEPT):
        if sentence.kind is SentenceKind.REMEMBER:
            found["remember"] = None
            continue
        scores = score(sentence.text)
        found[next((act for act in _BY_ACT if scores.says(act)), "fact")] = None
    return tuple(found)
