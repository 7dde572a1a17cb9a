"""Executes allowed actions: each is one change set by the keeper, with its evidence and a key, so that it happens only once.

Decides nothing; `_checks` has decided.
"""

from collections.abc import Sequence
from dataclasses import replace

from everself.clock import Clock
from everself.errors import NotFound, RefusedByRule
from everself.identity.growth import Growth
from everself.keepers import keeper as actions
from everself.keepers.compactor import put_away
from everself.keepers.keeper import ActionResult, Planned, key_of
from everself.keepers.soul.keeper import news
from everself.memory.closing import close_for
from everself.memory.corrections import mark_embedded
from everself.memory.memory import Memory
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.provenance import is_human, stated_by_owner
from everself.memory.writing import close_entry, count_mention
from everself.text.markdown.comment import with_fields
from everself.values import Author, Change, digest


class ActionExecutor:
    """An action with several changes gives each its own key; a change without a key gets the action's."""

    def __init__(self, memory: Memory, growth: Growth | None, keeper: str, author: Author = Author.KEEPER) -> None:
        """Without `growth`, no changes of the soul are proposed."""
        self._memory = memory
        self._growth = growth
        self._keeper = keeper
        self._author = author

    def do(self, planned: Planned, key: str = "") -> ActionResult:
        """Execute the action. If a rule still forbids it, the result contains the reason."""
        key = key or key_of(planned)
        try:
            return self._do(planned, key)
        except (RefusedByRule, NotFound) as error:
            return ActionResult(planned, why=str(error))

    def _do(self, planned: Planned, key: str) -> ActionResult:
        memory = self._as_keeper(planned, key)
        change, entry = "", ""
        match planned.operation:
            case actions.Remember(thought):
                made = memory.remember(replace(thought, key=key))
                change, entry = made.change, made.entry
            case actions.Mention(entry):
                change = memory.change(lambda: _mention(memory, entry))
            case actions.CloseEntry(entry, by):
                change = memory.change(lambda: _close(memory, entry, by))
            case actions.Merge(entry, drop):
                change = memory.change(lambda: _merge(memory, entry, drop))
            case actions.Note(document, text):
                change = memory.change(lambda: _note(memory, document, text, planned.reason))
            case actions.Quarantine(entry, why):
                change = memory.change(lambda: _set_apart(memory, entry, why))
            case actions.MoveTo(entry) as wanted:
                change = self._move(memory, wanted)
            case actions.Archive():
                change = put_away(memory, planned)
            case actions.ProposeLine() as wanted:
                change = self._grow(memory, wanted, planned)
            case actions.Correct(wrong, text):
                change, entry = self._correct(memory, planned, wrong, text)
            case actions.Confirm(entries):
                change = memory.change(lambda: _confirm(memory, entries))
            case actions.Ask():
                return ActionResult(planned, why="A question cannot be executed; it is answered in the review.")
        return ActionResult(planned, change, entry, already=not change)

    def _move(self, memory: Memory, wanted: actions.MoveTo) -> str:
        """Move to the core memory, for a keeper or for the owner who approved it."""
        named = self._author is Author.OWNER
        done = apply_moves(memory, [Pick(wanted.entry, wanted.path, named, wanted.heading)], self._author)
        if done.left:
            raise RefusedByRule(done.left[0].reason)
        return done.change

    def _grow(self, memory: Memory, wanted: actions.ProposeLine, planned: Planned) -> str:
        if self._growth is None:
            raise RefusedByRule("The soul does not grow here.")
        growth, line = self._growth, wanted.line
        known = [one for one in growth.proposals() if one.reason == planned.reason and line in one.content]
        now = digest(growth.versions.soul() or b"")
        if any(one.status != "open" or one.base != now for one in known):
            # already proposed; only an interrupted run leaves work, for the soul at that time
            return ""
        made = growth.add_line(line, planned.reason, planned.evidence, Author.KEEPER, wanted.remove)
        if not made.change:
            return "" if made.proposal in known else f"proposal:{made.proposal.id}"
        # an unrequested change is noted in the daily log
        memory.remember(news(line, made.change, planned.evidence))
        return made.change

    def _correct(self, memory: Memory, planned: Planned, wrong: str, text: str) -> tuple[str, str]:
        if self._author is not Author.OWNER:
            raise RefusedByRule("Permission denied: only the owner can correct memory.")
        done = memory.correct(wrong, text, stated_by_owner("terminal", *planned.evidence), trigger="review")
        return done.change, done.entry

    def _as_keeper(self, planned: Planned, key: str) -> Memory:
        """The memory whose changes have the keeper as author, or the owner who approved them."""

        def sign(change: Change) -> Change:
            evidence = tuple(dict.fromkeys((*change.evidence, *planned.evidence)))
            reason = f"{self._keeper}: {planned.reason or change.reason}"
            return replace(change, author=self._author, evidence=evidence, reason=reason, key=change.key or key)

        memory = self._memory.signed(sign)
        if isinstance(planned.operation, actions.Remember) and planned.operation.at is not None:
            at = planned.operation.at
            # on the day of the statement
            return memory.at(Clock(memory.clock.zone, lambda: at))
        return memory


def _mention(memory: Memory, entry: str) -> Change:
    draft = memory.draft()
    count_mention(draft, memory.catalog.get(entry), memory.clock.today())
    return Change(Author.KEEPER, "mention", draft.edits())


def _close(memory: Memory, entry: str, by: str) -> Change:
    draft = memory.draft()
    newer = memory.catalog.find(by)
    told = (by, newer.text if newer is not None else "")
    records = close_for(draft, memory.catalog.get(entry), told, memory.clock.now(), memory.is_settled)
    return Change(Author.KEEPER, "close", draft.edits(), provenance=records)


def _merge(memory: Memory, keep: str, drop: str) -> Change:
    draft = memory.draft()
    today = memory.clock.today()
    kept, dropped = memory.catalog.get(keep), memory.catalog.get(drop)
    # only people's mentions count, and one message counts once
    if is_human(dropped.source) and set(kept.lineage).isdisjoint(dropped.lineage):
        count_mention(draft, kept, dropped.seen or today)
    close_entry(draft, dropped, today, kept.id)
    return Change(Author.KEEPER, "merge", draft.edits())


def _note(memory: Memory, document: str, text: str, about: str) -> Change:
    draft = memory.draft()
    now = memory.clock.now()
    title = f"{' '.join(about.split())[:80]} on {now.date().isoformat()}"
    draft.log(document, now, title, text, empty=f"# {document.removesuffix('.md').replace('_', ' ').capitalize()}\n")
    return Change(Author.KEEPER, "note", draft.edits())


def _confirm(memory: Memory, entries: Sequence[str]) -> Change:
    draft = memory.draft()
    mark_embedded(draft, entries)
    return Change(Author.KEEPER, "embedded again", draft.edits())


def _set_apart(memory: Memory, identity: str, why: str) -> Change:
    entry = memory.catalog.get(identity)
    draft = memory.draft()
    now = memory.clock.now()
    day = now.date().isoformat()
    comment = with_fields(draft.take_out(entry))
    draft.log(f"quarantine/{day}.md", now, " ".join(why.split())[:80], entry.text, comment, f"# Quarantine: {day}\n")
    return Change(Author.KEEPER, "quarantine", draft.edits(), (f"entry:{entry.id}",))
