"""The verbs of promotion: what deserves the curated core and why, moving it there, and asking about it once a week."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from everself.keepers.asking import asked_of
from everself.keepers.keeper import Progress
from everself.memory.promotion.candidates import Candidate, candidates, explain
from everself.memory.promotion.destinations import check_target
from everself.memory.promotion.moves import Left, Moved, Pick, apply_moves
from everself.memory.promotion.permission import May
from everself.memory.provenance import AGENT, HAND
from everself.values import Author, Tier
from everself.workspace.layout import place

if TYPE_CHECKING:
    from everself.runtime import Runtime

Tell = Callable[[int, int], None]
WEEK: Final = 7
# changes of a page among which the one that moved an entry is looked for
_LOOKED_AT: Final = 50
_AWAY: Final = {
    HAND: "a hand wrote it, and you are not at a terminal to say that it is yours; answer in everself review",
    AGENT: "the agent worded it, and you are not at a terminal to say that it holds; answer in everself review",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which candidates are looked for. None is what CONFIG.md says; `entries` are those that a person names, whatever they are worth."""

    days: int = WEEK
    min_confidence: float | None = None
    frequent: bool = False
    target: str = ""
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposed:
    """A candidate as it is shown: what it says, why it is one, where it would go, and who may decide it."""

    entry: str
    text: str
    citation: str
    day: date | None
    source: str
    trust: str
    category: str
    confidence: float
    reasons: tuple[str, ...]
    target: str
    may: May
    why: str = ""
    sessions: int = 0
    along: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoted:
    """`candidates` are those that were looked at; with `change`, the one change that moved what was `moved`."""

    candidates: tuple[Proposed, ...]
    moved: tuple[Moved, ...] = ()
    left: tuple[Left, ...] = ()
    change: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """The questions that wait now and did not before."""

    queued: tuple[str, ...]
    notes: tuple[str, ...] = ()


def find_candidates(app: "Runtime", wanted: Wanted, tell: Tell | None = None) -> tuple[Proposed, ...]:
    """What deserves the curated core, the surest first. Changes nothing."""
    if wanted.target:
        check_target(wanted.target)
    return tuple(_shown(one, wanted.target) for one in _look(app, wanted, tell))


def promote(app: "Runtime", wanted: Wanted, tell: Tell | None = None, *, present: bool = True) -> Promoted:
    """Move them, as the owner's own act. What came from outside moves only where it is named.

    `present`: the owner is there, at their own terminal; only then does what a hand wrote become theirs. Without them, whoever calls
    this may be a program that the agent started: nothing moves but what the owner said themselves, whatever is named.
    """
    _settle(app)
    found = find_candidates(app, wanted, tell)
    named = bool(wanted.entries)
    away = tuple(Left(one.entry, _AWAY[one.trust]) for one in found if not present and one.trust in _AWAY)
    held = tuple(
        Left(one.entry, f"{one.why}; name it {'' if present else 'at your own terminal '}to move it")
        for one in found
        if one.may == "held" and not (named and present)
    )
    stay = {one.entry for one in (*away, *held)}
    picks = [Pick(one.entry, one.target, named) for one in found if one.entry not in stay]
    done = apply_moves(app.memory, picks, Author.OWNER)
    _settle(app)
    return Promoted(found, done.moved, (*done.left, *away, *held), done.change)


def review_week(app: "Runtime", tell: Tell | None = None) -> Asking:
    """Ask the owner about each candidate of the last days, once; they answer with `everself review`. Needs no model."""
    from everself.keepers.weekly_review import WeeklyReview

    def told(found: Progress) -> None:
        if tell is not None:
            tell(found.done, found.total)

    _settle(app)
    report = asyncio.run(app.keepers.run(WeeklyReview(), tell=told))
    return Asking(tuple(one.review for one in report.queued), report.notes)


def _look(app: "Runtime", wanted: Wanted, tell: Tell | None) -> tuple[Candidate, ...]:
    asked = asked_of(app.tunables, wanted.days, frequent=wanted.frequent, least=wanted.min_confidence)
    if not wanted.entries:
        return candidates(app.memory, app.state, asked, tell)
    found = [explain(app.memory, app.state.searches, one, asked) for one in wanted.entries]
    return tuple({one.entry.id: one for one in found}.values())


def _shown(one: Candidate, target: str) -> Proposed:
    entry, standing = one.entry, one.standing
    return Proposed(
        entry=entry.id,
        text=entry.text,
        citation=entry.reference,
        day=entry.day,
        source=entry.source,
        trust=standing.weakest,
        category=one.category,
        confidence=one.confidence,
        reasons=one.reasons,
        target=target or one.target,
        may=standing.may,
        why=standing.why,
        sessions=one.sessions,
        along=one.along,
    )


def _settle(app: "Runtime") -> None:
    """A question that waited for a move is answered by it, also where the process that moved died before it could say so."""
    for asked in app.state.reviews.waiting("promotion"):
        name = asked.about.removeprefix("entry:")
        entry = app.memory.book.find(name)
        if entry is None or place(entry.path).tier is not Tier.CORE:
            continue
        changes = app.workspace.changes(_LOOKED_AT, entry.path)
        change = next((one.id for one in changes if f"entry:{entry.id}" in one.evidence), "")
        app.state.reviews.decide(asked.id, "accepted", app.clock.now().isoformat(), change)
