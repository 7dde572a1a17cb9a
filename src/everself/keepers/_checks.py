"""Checks each proposed action before it is executed: evidence, trust, guarded documents, limits of a run. Reads only.

The workspace's guards check bytes afterwards; these checks consider the meaning of an action.
"""

from dataclasses import replace
from typing import Final, Literal

from everself.frozen import Frozen
from everself.keepers import keeper as actions
from everself.keepers.keeper import Planned
from everself.keepers.keeper_context import KeeperContext
from everself.memory.provenance import CORRECTION, OWNER, is_human, lowered, rank, weaker
from everself.memory.writing import clean
from everself.values import Entry, Tag
from everself.workspace.layout import is_day, place

Way = Literal["apply", "queue", "refuse"]

# below this confidence a human decides
SURE: Final = 0.5
MOST_AT_ONCE: Final = 1_000
# one run closes at most this share of the open entries: a keeper that wants more is probably wrong
MOST_CLOSED: Final = 0.2
ALWAYS_CLOSED: Final = 10


class Ruling(Frozen):
    """The decision about an action, which may have been reduced; `why` is set if it is not executed as proposed."""

    way: Way
    planned: Planned
    why: str = ""


class _Refusal(Exception):
    """Why an action is refused."""


class Checks:
    """The checks of one run, which count what was allowed so far."""

    def __init__(self, context: KeeperContext) -> None:
        self._context = context
        self._allowed = 0
        self._closed = 0
        self._may_close = -1

    def judge(self, planned: Planned) -> Ruling:
        operation = planned.operation
        if not planned.evidence and not isinstance(operation, actions.Note | actions.Ask):
            return Ruling("refuse", planned, "The action names no evidence.")
        ruling = self._judge(planned)
        if ruling.way == "apply" and not isinstance(operation, actions.Ask) and (planned.review or planned.sure < SURE):
            ruling = Ruling(
                "queue", ruling.planned, "The keeper is not sure." if not planned.review else planned.reason
            )
        return ruling

    def spend(self, planned: Planned) -> str:
        """Count an action before it is executed. Returns why not, if the run's limit is reached."""
        if self._allowed >= MOST_AT_ONCE:
            return f"One run performs at most {MOST_AT_ONCE} actions; the rest waits for the next run."
        if isinstance(planned.operation, actions.CloseEntry | actions.Merge | actions.Quarantine):
            if self._may_close < 0:
                self._may_close = max(ALWAYS_CLOSED, int(MOST_CLOSED * len(self._context.open_entries())))
            if self._closed >= self._may_close:
                return f"One run closes at most {self._may_close} entries; the rest waits for the next run."
            self._closed += 1
        self._allowed += 1
        return ""

    def _judge(self, planned: Planned) -> Ruling:
        try:
            return self._rule(planned)
        except _Refusal as refusal:
            return Ruling("refuse", planned, str(refusal))

    def _rule(self, planned: Planned) -> Ruling:
        match planned.operation:
            case actions.Remember():
                return self._remember(planned, planned.operation)
            case actions.Mention(entry):
                return self._mention(planned, entry)
            case actions.CloseEntry(entry, by):
                return self._close(planned, entry, by)
            case actions.Merge(keep, drop):
                return self._merge(planned, keep, drop)
            case actions.MoveTo():
                return self._move(planned, planned.operation)
            case actions.ProposeLine():
                if rank(self._context.bears(planned.evidence)) < rank(OWNER):
                    raise _Refusal("Only the owner's statements are evidence for the soul.")
            case actions.Archive("days", names):
                stray = next((path for path in names if not is_day(path)), "")
                if stray:
                    raise _Refusal(f"{stray} is not a daily log.")
            case actions.Archive("duplicates", (keep, drop)):
                return self._merge(planned, keep, drop)
            case actions.Archive("lines", names):
                own = next((one for one in names if _is_owners(self._context.find(one))), "")
                if own:
                    raise _Refusal(f"{own} is the owner's statement and is never archived for its age.")
            case actions.Quarantine(entry):
                return self._quarantine(planned, entry)
            case actions.Correct() | actions.Ask():
                return Ruling("queue", planned)
        return Ruling("apply", planned)

    def _remember(self, planned: Planned, operation: actions.Remember) -> Ruling:
        thought = operation.thought
        words = clean(thought.text).text
        rests_on = tuple(dict.fromkeys((*thought.lineage, *planned.evidence)))
        if not words:
            raise _Refusal("The text is empty.")
        if thought.spot is not None:
            _need_open_to_agents(thought.spot.path)
        if self._context.memory.catalog.is_buried(words):
            raise _Refusal("This was forgotten on request and is not remembered again.")
        origin = lowered(thought.origin, self._context.bears(rests_on, thought.text), rests_on)
        source = origin.source
        # only the owner's own words may enter every prompt
        explicit = thought.explicit and is_human(source)
        thought = replace(thought, origin=origin, explicit=explicit)
        if thought.tag is Tag.CORRECTION and source != CORRECTION:
            thought = replace(thought, tag=Tag.KNOWLEDGE)
        return Ruling("apply", replace(planned, operation=replace(operation, thought=thought)))

    def _mention(self, planned: Planned, entry: str) -> Ruling:
        found = self._get(entry)
        said_by = self._spoken(planned)
        if not is_human(said_by) or rank(said_by) < rank(found.source):
            raise _Refusal("Only people's mentions count: repetition by a page or a summary is not evidence.")
        return Ruling("apply", planned)

    def _close(self, planned: Planned, entry: str, by: str) -> Ruling:
        found = self._get(entry)
        try:
            instead = self._get(by) if by else None
        except _Refusal:
            raise _Refusal(f"{by} cannot replace it.") from None
        if instead is not None and instead.id == found.id:
            raise _Refusal(f"{by} cannot replace it.")
        bears = self._spoken(planned)
        bears = weaker(bears, self._context.backed(instead)) if instead is not None else bears
        if found.source == CORRECTION and (instead is None or instead.source != CORRECTION):
            return Ruling("queue", planned, "Only a later correction can close a correction.")
        if rank(bears) < rank(self._context.trust(found)):
            return Ruling("queue", planned, "The evidence is less trusted than the entry.")
        return Ruling("apply", planned)

    def _spoken(self, planned: Planned) -> str:
        """The supporting text: whole messages, or the words in them that the action rests on."""
        whole = self._context.bears(planned.evidence)
        if is_human(whole) or not planned.words:
            return whole
        return self._context.bears(planned.evidence, planned.words)

    def _merge(self, planned: Planned, keep: str, drop: str) -> Ruling:
        kept, dropped = self._get(keep), self._get(drop)
        if kept.id == dropped.id:
            raise _Refusal("An entry is not a duplicate of itself.")
        if place(kept.path).scope != place(dropped.path).scope:
            raise _Refusal("The entries belong to different people or projects.")
        if dropped.tag is Tag.CORRECTION:
            raise _Refusal("A correction is never merged into another entry.")
        if rank(self._context.trust(kept)) < rank(self._context.trust(dropped)):
            raise _Refusal("The entry that would stay is less trusted than the one that would go.")
        return Ruling("apply", planned)

    def _move(self, planned: Planned, operation: actions.MoveTo) -> Ruling:
        found = self._get(operation.entry)
        _need_open_to_agents(operation.path)
        if place(operation.path).scope != place(found.path).scope:
            raise _Refusal(f"{operation.path} belongs to another person or project.")
        if rank(self._context.trust(found)) < rank(OWNER):
            return Ruling("queue", planned, "Only the owner's statements are promoted without asking.")
        return Ruling("apply", planned)

    def _quarantine(self, planned: Planned, entry: str) -> Ruling:
        found = self._get(entry)
        if found.source in (OWNER, CORRECTION):
            raise _Refusal("The owner's statements are never quarantined.")
        return Ruling("apply", planned)

    def _get(self, identity: str) -> Entry:
        found = self._context.find(identity)
        if found is None:
            raise _Refusal(f"{identity} does not exist.")
        if found.closed:
            raise _Refusal(f"{identity} is already closed.")
        _need_open_to_agents(found.path)
        return found


def _is_owners(entry: Entry | None) -> bool:
    return entry is not None and (entry.source in (OWNER, CORRECTION) or entry.tag is Tag.CORRECTION)


def _need_open_to_agents(path: str) -> None:
    if place(path).humans_only:
        raise _Refusal(f"Permission denied: only a human can change {path}.")
