"""Executes allowed actions: each is one change set by the keeper, with its evidence and a key that makes it happen only once.

Decides nothing: `_checks` did.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from everself.clock import Clock
from everself.errors import NotFound, RefusedByRule
from everself.identity.growth import Growth
from everself.keepers.compactor import put_away
from everself.keepers.keeper import (
    ActionResult,
    Archive,
    Ask,
    CloseEntry,
    Confirm,
    Correct,
    Mention,
    Merge,
    MoveTo,
    Note,
    Planned,
    ProposeLine,
    Quarantine,
    Remember,
    key_of,
)
from everself.keepers.soul.keeper import news
from everself.memory.closing import close_for
from everself.memory.corrections import mark_embedded
from everself.memory.drafts import comment_of
from everself.memory.memory import Memory
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.provenance import is_human, stated_by_owner
from everself.memory.writing import close_entry, count_mention
from everself.text.markdown.blocks import Scan
from everself.text.markdown.comment import EntryComment, with_fields
from everself.text.markdown.edit import Splice, append_log, remove_entry
from everself.text.markdown.entries import EntrySpan
from everself.values import (
    Applied,
    Author,
    Change,
    digest,
)


class ActionExecutor:
    """An action that makes several changes gives each a key of its own; a change without a key gets the action's."""

    def __init__(self, memory: Memory, growth: Growth | None, keeper: str, author: Author = Author.KEEPER) -> None:
        """Without `growth` nothing is proposed for the soul."""
        self._memory = memory
        self._growth = growth
        self._keeper = keeper
        self._author = author

    def do(self, planned: Planned, key: str = "") -> ActionResult:
        """Do it. A rule that forbids it after all is told as the reason."""
        key = key or key_of(planned)
        try:
            return self._do(planned, key)
        except (RefusedByRule, NotFound) as error:
            return ActionResult(planned, why=str(error))

    def _do(self, planned: Planned, key: str) -> ActionResult:
        memory = self._as_keeper(planned, key)
        change, entry = "", ""
        match planned.operation:
            case Remember(thought):
                made = memory.remember(replace(thought, key=key))
                change, entry = made.change, made.entry
            case Mention(entry):
                change = _apply(memory, lambda: _mention(memory, entry))
            case CloseEntry(entry, by):
                change = _apply(memory, lambda: _close(memory, entry, by))
            case Merge(entry, drop):
                change = _apply(memory, lambda: _merge(memory, entry, drop))
            case Note(document, text):
                change = _apply(memory, lambda: _note(memory, document, text, planned.reason))
            case Quarantine(entry, why):
                change = _apply(memory, lambda: _set_apart(memory, entry, why))
            case MoveTo(entry) as wanted:
                change = self._move(memory, wanted)
            case Archive():
                change = put_away(memory, planned)
            case ProposeLine() as wanted:
                change = self._grow(memory, wanted, planned)
            case Correct(wrong, text):
                change, entry = self._correct(memory, planned, wrong, text)
            case Confirm(entries):
                change = _apply(memory, lambda: _confirm(memory, entries))
            case Ask():
                return ActionResult(planned, why="A question cannot be executed; it is answered in the review.")
        return ActionResult(planned, change, entry, already=not change)

    def _move(self, memory: Memory, wanted: MoveTo) -> str:
        """Into the curated core, for a keeper or for the owner who said yes to one."""
        named = self._author is Author.OWNER
        done = apply_moves(memory, [Pick(wanted.entry, wanted.path, named, wanted.heading)], self._author)
        if done.left:
            raise RefusedByRule(done.left[0].reason)
        return done.change

    def _grow(self, memory: Memory, wanted: ProposeLine, planned: Planned) -> str:
        if self._growth is None:
            raise RefusedByRule("The soul does not grow here.")
        growth, line = self._growth, wanted.line
        known = [one for one in growth.proposals() if one.reason == planned.reason and line in one.content]
        now = digest(growth.versions.soul() or b"")
        if any(one.status != "open" or one.base != now for one in known):
            # already proposed; only an interrupted run leaves something to do, for the soul as it was then
            return ""
        made = growth.add_line(line, planned.reason, planned.evidence, Author.KEEPER, wanted.remove)
        if not made.change:
            return "" if made.proposal in known else f"proposal:{made.proposal.id}"
        # a change that nobody asked for is noted in the daily log
        memory.remember(news(line, made.change, planned.evidence))
        return made.change

    def _correct(self, memory: Memory, planned: Planned, wrong: str, text: str) -> tuple[str, str]:
        if self._author is not Author.OWNER:
            raise RefusedByRule("Permission denied: only the owner can correct memory.")
        done = memory.correct(wrong, text, stated_by_owner("terminal", *planned.evidence), trigger="review")
        return done.change, done.entry

    def _as_keeper(self, planned: Planned, key: str) -> Memory:
        """The memory whose changes are made in the name of the keeper, or of the owner who approved it."""

        def sign(change: Change) -> Change:
            evidence = tuple(dict.fromkeys((*change.evidence, *planned.evidence)))
            reason = f"{self._keeper}: {planned.reason or change.reason}"
            return replace(change, author=self._author, evidence=evidence, reason=reason, key=change.key or key)

        memory = self._memory.signed(sign)
        if isinstance(planned.operation, Remember) and planned.operation.at is not None:
            at = planned.operation.at
            # on the day it was said
            return memory.at(Clock(memory.clock.zone, lambda: at))
        return memory


def _apply(memory: Memory, plan: Callable[[], Change]) -> str:
    outcome = memory.apply(plan)
    return outcome.id if isinstance(outcome, Applied) else ""


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
    # only people's mentions count, and a message that made both counts once
    if is_human(dropped.source) and set(kept.lineage).isdisjoint(dropped.lineage):
        count_mention(draft, kept, dropped.seen or today)
    close_entry(draft, dropped, today, kept.id)
    return Change(Author.KEEPER, "merge", draft.edits())


def _note(memory: Memory, document: str, text: str, about: str) -> Change:
    draft = memory.draft()
    now = memory.clock.now()
    title = f"{' '.join(about.split())[:80]} on {now.date().isoformat()}"

    def add(found: Scan) -> Splice:
        return append_log(found, now.strftime("%H:%M:%S"), title, text.encode("utf-8", "replace"), None)

    draft.splice(document, add, f"# {document.removesuffix('.md').replace('_', ' ').capitalize()}\n".encode())
    return Change(Author.KEEPER, "note", draft.edits())


def _confirm(memory: Memory, entries: Sequence[str]) -> Change:
    draft = memory.draft()
    mark_embedded(draft, entries)
    return Change(Author.KEEPER, "embedded again", draft.edits())


def _set_apart(memory: Memory, identity: str, why: str) -> Change:
    entry = memory.catalog.get(identity)
    draft = memory.draft()
    now = memory.clock.now()
    known = EntryComment(())

    def take(document: Scan, span: EntrySpan) -> Splice:
        nonlocal known
        known = comment_of(span, entry)
        return remove_entry(document, span)

    def add(document: Scan) -> Splice:
        reason = " ".join(why.split())[:80]
        return append_log(
            document, now.strftime("%H:%M:%S"), reason, entry.text.encode("utf-8", "replace"), with_fields(known)
        )

    draft.edit_entry(entry, take)
    day = now.date().isoformat()
    draft.splice(f"quarantine/{day}.md", add, f"# Quarantine: {day}\n".encode())
    return Change(Author.KEEPER, "quarantine", draft.edits(), (f"entry:{entry.id}",))
