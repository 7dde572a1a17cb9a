"""Operation: promotion. Lists entries that deserve the core memory, moves them, and asks the owner weekly."""

from dataclasses import replace
from datetime import date
from typing import Annotated, Final

from everself.conversation.tools.protocol import Outcome, Written, told
from everself.errors import WrongUse
from everself.memory.promotion.candidates import Candidate, asked_of, candidates, explain
from everself.memory.promotion.destinations import PromotionRight, check_target
from everself.memory.promotion.moves import Moved, NotMoved, Pick, apply_moves
from everself.memory.provenance import AGENT, HAND, taint_of
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, Request, Result, Tell, ToolOffer, operation
from everself.operations.keepers import run_now
from everself.runtime import Runtime
from everself.values import Author, Tier
from everself.workspace.layout import place

WEEK: Final = 7
_OWNERS: Final = ("cli", "http")
_SHOWN: Final = 20
_WIDE: Final = 200
# number of recent changes of a document to search for a move
_LOOKED_AT: Final = 50
_AWAY: Final = {
    HAND: "it was added outside Everself, and you are not at a terminal to say that it is yours; answer in everself review",
    AGENT: "the agent worded it, and you are not at a terminal to say that it holds; answer in everself review",
}


class Proposed(Result):
    """A candidate for display: text, reasons, target, and who may decide."""

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
    may: PromotionRight
    why: str = ""
    sessions: int = 0
    along: tuple[str, ...] = ()


class Promoted(Result):
    """`candidates` were considered; `change` is the change that moved the `moved` ones. `applied`: moving was requested."""

    candidates: tuple[Proposed, ...]
    moved: tuple[Moved, ...] = ()
    left: tuple[NotMoved, ...] = ()
    change: str = ""
    applied: bool = False


class Asking(Result):
    """The new questions. `entries` are their subjects."""

    queued: tuple[str, ...]
    notes: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


class PromoteRequest(Request):
    entries: Annotated[tuple[str, ...], Argument("Ids of entries to promote.", "[ID]...")] = ()
    days: Annotated[int, Option("How many days to look back.", ge=1, le=36_500)] = WEEK
    min_confidence: Annotated[
        float | None, Option("Leave out what is less sure; 0.4 unless set.", ge=0, le=1, only=_OWNERS)
    ] = None
    frequency: Annotated[bool, Option("Only what was found again and again, in several sessions.")] = False
    apply: Annotated[bool, Option("Move them out of the days into the curated core.", only=_OWNERS)] = False
    target: Annotated[
        str, Option("A file of core memory to move to, instead of each kind's own.", "PATH", only=_OWNERS)
    ] = ""
    review: Annotated[
        bool, Option("Ask about each in `everself review` instead, as the weekly job does.", only=_OWNERS)
    ] = False


def _show(_: Runtime, __: PromoteRequest, done: Promoted | Asking) -> Outcome:
    if isinstance(done, Asking):
        asked = {
            "asked": list(done.entries),
            "not_asked": list(done.notes),
            "hint": "They answer with `everself review`.",
        }
        written = tuple(Written("proposed", f"promote {one}", one, one) for one in done.entries)
        return Outcome(told(asked), written=written, failed=not done.entries)
    shown = done.candidates[:_SHOWN]
    result = {"candidates": [_to_model(one) for one in shown], "more": len(done.candidates) - len(shown)}
    return Outcome(told(result), stamp=taint_of(one.trust for one in shown))


def _to_model(one: Proposed) -> dict[str, object]:
    return {
        "entry": one.entry,
        "text": one.text if len(one.text) <= _WIDE else f"{one.text[:_WIDE]}…",
        "citation": one.citation,
        "category": one.category,
        "confidence": one.confidence,
        "reasons": list(one.reasons),
        "target": one.target,
        "held": one.why if one.may == "held" else "",
    }


@operation(
    "memory.promote",
    audience=Audience.AGENT,
    effect="write",
    progress="Reading",
    tool=ToolOffer(
        "memory_promote",
        "List notes of the last days that deserve to be kept for good, with the reasons. Name `entries` to have the person asked about "
        "them; nothing moves before they agree.",
        show=_show,
    ),
)
def promote(runtime: Runtime, caller: Caller, request: PromoteRequest, tell: Tell | None = None) -> Promoted | Asking:
    """Show which entries deserve MEMORY.md, with reasons; move them with --apply.

    Without an ID, the candidates are recent entries chosen by content, and entries that are often found.

    $ everself memory promote  # what of the last week deserves to stay, and why
    $ everself memory promote --days 30 --min-confidence 0.6  # of the last month, only what is clear
    $ everself memory promote --apply  # move all of it, as one change that undo takes back
    $ everself memory promote 7K3QX9M2ABCD --apply --target memory/legal.md  # one entry, to a file you name
    """
    if request.review and (request.apply or request.entries or request.target):
        raise WrongUse("--review asks about the week and moves nothing.", mend="everself memory promote --review")
    if request.review or (caller.is_model and request.entries):
        return ask_owner(runtime, request.entries, tell)
    target = request.target.removeprefix(f"{runtime.agent.workspace}/").removeprefix("./")
    asked = replace(request, target=target)
    if request.apply:
        return _move(runtime, asked, tell, present=caller.present)
    return Promoted(find_candidates(runtime, asked, tell))


def find_candidates(runtime: Runtime, request: PromoteRequest, tell: Tell | None = None) -> tuple[Proposed, ...]:
    """The entries that deserve the core memory, best first. Changes nothing."""
    if request.target:
        check_target(request.target)
    return tuple(_shown(one, request.target) for one in _look(runtime, request, tell))


def _move(runtime: Runtime, request: PromoteRequest, tell: Tell | None, *, present: bool) -> Promoted:
    """Move the entries as the owner. Text from outside moves only if it is named.

    `present`: the owner is at their own terminal, and entries edited outside become theirs. Otherwise the caller may be a program that the
    agent started, so only the owner's own statements move, even if others are named.
    """
    _settle(runtime)
    found = find_candidates(runtime, request, tell)
    named = bool(request.entries)
    away = tuple(NotMoved(one.entry, _AWAY[one.trust]) for one in found if not present and one.trust in _AWAY)
    held = tuple(
        NotMoved(one.entry, f"{one.why}; name it {'' if present else 'at your own terminal '}to move it")
        for one in found
        if one.may == "held" and not (named and present)
    )
    stay = {one.entry for one in (*away, *held)}
    picks = [Pick(one.entry, one.target, named) for one in found if one.entry not in stay]
    done = apply_moves(runtime.memory, picks, Author.OWNER)
    _settle(runtime)
    return Promoted(found, done.moved, (*done.left, *away, *held), done.change, applied=True)


def ask_owner(runtime: Runtime, entries: tuple[str, ...] = (), tell: Tell | None = None) -> Asking:
    """Ask the owner once about each of these entries, or about each recent candidate. They answer in `everself review`. Needs no model."""
    from everself.keepers.weekly_review import WeeklyReview

    _settle(runtime)
    report = run_now(runtime, WeeklyReview(entries=entries), tell)
    about = tuple(one.planned.evidence[0].removeprefix("entry:") for one in report.queued)
    return Asking(tuple(one.review for one in report.queued), report.notes, about)


def _look(app: Runtime, wanted: PromoteRequest, tell: Tell | None) -> tuple[Candidate, ...]:
    asked = asked_of(app.tunables, wanted.days, frequent=wanted.frequency, least=wanted.min_confidence)
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


def _settle(app: Runtime) -> None:
    """Answer open questions whose entry has moved, even if the process that moved it crashed."""
    for asked in app.state.reviews.waiting("promotion"):
        name = asked.about.removeprefix("entry:")
        entry = app.memory.catalog.find(name)
        if entry is None or place(entry.path).tier is not Tier.CORE:
            continue
        changes = app.workspace.changes(_LOOKED_AT, entry.path)
        change = next((one.id for one in changes if f"entry:{entry.id}" in one.evidence), "")
        app.state.reviews.decide(asked.id, "accepted", app.clock.now().isoformat(), change)
