"""Operations of review: list pending decisions; accept, edit or refuse one. Nothing is decided twice.

Five kinds of item wait for the owner: soul proposals, keepers' questions, requests of other programs' models to forget, quarantined
entries, and entries added outside Everself. A model neither decides nor sees them.
"""

from typing import Annotated, Final, Literal

from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule, WrongUse
from everself.keepers.keeper import unpacked
from everself.keepers.owner_wording import entries_in
from everself.memory.provenance import stated_by_owner
from everself.operations.caller import Caller
from everself.operations.declaration import (
    Argument,
    NoRequest,
    Option,
    Request,
    Result,
    owner_reads,
    terminal_reads,
    terminal_writes,
)
from everself.operations.review_queue import (
    ASKED_TIERS,
    FORGET,
    HANDS,
    MOST_HANDS,
    QUARANTINE,
    SOUL,
    Waiting,
    WaitingCount,
    about_entry,
    all_waiting,
    count_waiting,
    is_hands,
    waiting_named,
)
from everself.runtime import Runtime
from everself.storage.state.reviews import Review
from everself.values import Entry, new_id

# maximum number of open questions about forgetting: a manipulated model could ask endlessly
_MOST_FORGETS: Final = 20
_COUNTED: Final = 1_000
_ITEM: Final = "The id of what waits, or the beginning of it."
_SEEN: Final = "Only if it is still what `review list --json` showed."
_NOT_UNDONE: Final = "Forgetting cannot be undone, so that it is only done at your own terminal."
_NOT_PRESENT: Final = "This was added outside Everself. Only at your own terminal can you say that it is yours."

Verdict = Literal["accepted", "edited", "refused", "withdrawn"]


class Queue(Result):
    """A page of pending items. `after` is the mark of the next page, empty if there is none."""

    waiting: tuple[Waiting, ...]
    notes: tuple[str, ...] = ()
    after: str = ""


class Decided(Result):
    """The decision. `change` can be undone; it is empty if nothing had to be written."""

    id: str
    kind: str
    verdict: Verdict
    change: str = ""


class ListRequest(Request):
    how: Annotated[str, Option("Show it without asking about each.", "list", slash=True, only=("slash",))] = ""
    limit: Annotated[int, Option("How many at most.", ge=1, le=1000)] = 200
    after: Annotated[str, Option("The page after one that was shown, by the mark it gave.", "MARK")] = ""


@terminal_reads("review.list", slash="/review")
def list_waiting(runtime: Runtime, _: Caller, request: ListRequest) -> Queue:
    """List pending decisions.

    $ everself review list --json  # for a script, each with its mark
    """
    runtime.memory.catalog.refresh()
    found: list[tuple[str, Waiting]] = []
    for placed in all_waiting(runtime, request.after):
        if len(found) == request.limit:
            return Queue(tuple(one for _, one in found), after=found[-1][0])
        found.append(placed)
    more = runtime.state.entries.count_unowned(HANDS, ASKED_TIERS, _COUNTED) - MOST_HANDS
    many = f"at least {more:,}" if more == _COUNTED - MOST_HANDS else f"{more}"
    notes = (f"{many} more that were added outside Everself: everself memory vouch",) if more > 0 else ()
    return Queue(tuple(one for _, one in found), notes)


@owner_reads("review.count")
def show_count(runtime: Runtime, _: Caller, __: NoRequest) -> WaitingCount:
    """Count pending decisions by kind.

    $ everself review count  # without looking at any of it
    """
    return count_waiting(runtime)


def ask_to_forget(runtime: Runtime, entries: tuple[str, ...]) -> str:
    """Ask the owner whether to forget these entries. Returns the id of the question, empty if they refused before or too many are open.

    Only ids are stored: a question must not contain the words to be forgotten.
    """
    reviews, about = runtime.state.reviews, " ".join(sorted(entries))
    known = reviews.about(FORGET, about)
    if known is not None or len(reviews.waiting(FORGET)) >= _MOST_FORGETS:
        return known.id if known is not None and known.status == "waiting" else ""
    evidence = tuple(f"entry:{one}" for one in sorted(entries))
    now = runtime.clock.now().isoformat()
    review = Review(new_id(), now, FORGET, "mcp", about, {"entries": sorted(entries)}, evidence)
    return review.id if reviews.add(review) else ""


class AcceptRequest(Request):
    name: Annotated[str, Argument(_ITEM, "ID")]
    answer: Annotated[int, Option("Which of its answers, from 1.", ge=1, le=99)] = 1
    seen: Annotated[str, Option(_SEEN, "MARK")] = ""


@terminal_writes("review.accept")
def accept_waiting(runtime: Runtime, caller: Caller, request: AcceptRequest) -> Decided:
    """Accept one pending item.

    An entry that was added outside Everself becomes yours only at your own terminal.

    $ everself review accept 7K3QX9M2ABCD  # yes, or the first of its answers
    $ everself review accept 7K3QX9M2ABCD --answer 2  # the second of its answers
    """
    one = _find(runtime, request.name, request.seen)
    if request.answer > len(one.answers):
        raise WrongUse(f"This item has {len(one.answers)} answers.", mend="everself review list")
    return _decide(runtime, caller, one, answer=request.answer - 1)


class EditRequest(Request):
    name: Annotated[str, Argument(_ITEM, "ID")]
    text: Annotated[
        str, Option("Your words instead of the current ones; - reads them from standard input.", "TEXT", stdin=True)
    ]
    seen: Annotated[str, Option(_SEEN, "MARK")] = ""


@terminal_writes("review.edit")
def edit_waiting(runtime: Runtime, caller: Caller, request: EditRequest) -> Decided:
    """Accept one pending item, in your own words instead of the proposed ones.

    $ everself review edit 7K3QX9M2ABCD --text "The demo is in June."  # yes, but in your words
    """
    if not request.text.strip():
        raise WrongUse("Say it in your words.", mend=f"everself review edit {request.name[:12]} --text …")
    return _decide(runtime, caller, _find(runtime, request.name, request.seen), text=request.text)


class RefuseRequest(Request):
    name: Annotated[str, Argument(_ITEM, "ID")]
    why: Annotated[str, Option("For a line of the soul: the reason, kept in CHANGELOG.md.", "TEXT")] = ""
    seen: Annotated[str, Option(_SEEN, "MARK")] = ""
    withdraw: Annotated[bool, Option("Take a refusal back: it waits again.")] = False


@terminal_writes("review.refuse")
def refuse_waiting(runtime: Runtime, _: Caller, request: RefuseRequest) -> Decided:
    """Refuse one pending item. The same is not asked again.

    $ everself review refuse 7K3QX9M2ABCD  # no, and it is not asked again
    $ everself review refuse 7K3QX9M2ABCD --withdraw  # the refusal was a mistake: it waits again
    """
    if request.withdraw:
        return _withdraw_refusal(runtime, request.name.strip().upper())
    one = _find(runtime, request.name, request.seen)
    if one.kind == SOUL:
        runtime.growth.refuse(one.id, request.why)
    elif one.kind in (QUARANTINE, HANDS):
        _decide_entry(runtime, runtime.memory.catalog.get(one.id), one.kind)
    elif not runtime.keepers.refuse(runtime.state.reviews.find(one.id)):
        raise ChangedMeanwhile(f"{one.id} was decided a moment ago.")
    return Decided(one.id, one.kind, "refused")


def _withdraw_refusal(app: Runtime, name: str) -> Decided:
    """By its whole id: what was refused is listed nowhere that its beginning could be read from."""
    entry = app.memory.catalog.find(name)
    dropped = entry is not None and [
        kind for kind in (QUARANTINE, HANDS) if app.state.reviews.drop_refusal(kind, about_entry(app, entry))
    ]
    if dropped:
        return Decided(name, dropped[0], "withdrawn")
    if app.state.proposals.reopen(name):
        return Decided(name, SOUL, "withdrawn")
    if app.state.reviews.reopen(name):
        return Decided(name, app.state.reviews.find(name).kind, "withdrawn")
    raise NotFound(f'refusal "{name[:40]}".', mend="everself review list")


def _decide(app: Runtime, caller: Caller, one: Waiting, *, answer: int = 0, text: str = "") -> Decided:
    """Accept it, with one of its answers or in the person's own `text`."""
    match one.kind:
        case "soul":
            change = _grow(app, one, text)
        case "quarantine":
            change = _let_out(app, one, text)
        case "forget":
            change = _forget(app, caller, one, text)
        case "hand":
            change = _own_up(app, caller, one, text)
        case _:
            change = _answer(app, caller, one, answer, text)
    return Decided(one.id, one.kind, "edited" if text else "accepted", change)


def _grow(app: Runtime, one: Waiting, text: str) -> str:
    if not text:
        return app.growth.approve(one.id).change
    # the owner's text is applied before the draft is closed: after a crash in between, the draft is asked about again
    whole = "\n" in one.words
    make = app.growth.propose if whole else app.growth.add_line
    made = make(text, one.reason, one.evidence)
    change = app.growth.approve(made.proposal.id).change
    app.growth.refuse(one.id)
    return change


def _let_out(app: Runtime, one: Waiting, text: str) -> str:
    from everself.memory.quarantine import release

    if text:
        app.memory.edit(one.id, text, stated_by_owner("terminal"), seen=one.words)
    return release(app.memory, one.id).change


def _forget(app: Runtime, caller: Caller, one: Waiting, text: str) -> str:
    """Forgetting cannot be undone, so a person has to be present. Returns no change."""
    from everself.memory.forgetting.proof import Target

    if text:
        raise WrongUse("This question has no text to edit: accept or refuse it.", mend="everself review")
    review = _need_current(app, one)
    if not caller.present:
        raise RefusedByRule(_NOT_UNDONE, mend=f"everself memory forget {' '.join(review.payload['entries'])}")
    app.forgetting.carry_out(app.forgetting.plan(Target(ids=tuple(review.payload["entries"]))))
    app.state.reviews.decide(one.id, "accepted", app.clock.now().isoformat())
    return ""


def _own_up(app: Runtime, caller: Caller, one: Waiting, text: str) -> str:
    from everself.memory.adoption import vouch_for

    if not caller.present:
        raise RefusedByRule(_NOT_PRESENT, mend="everself review")
    if text:
        return app.memory.edit(one.id, text, stated_by_owner("terminal"), seen=one.words).change
    vouch_for(app.state, app.memory, [app.memory.catalog.get(one.id)])
    return ""


def _answer(app: Runtime, caller: Caller, one: Waiting, answer: int, text: str) -> str:
    review = _need_current(app, one)
    named = entries_in(unpacked(review.payload).operation)
    if not caller.present and any(is_hands(app.memory.catalog.find(entry)) for entry in named):
        raise RefusedByRule(_NOT_PRESENT, mend="everself review")
    done = app.keepers.accept(review, answer, text)
    why = next((each.why for each in done if each.why), "")
    if why:
        raise RefusedByRule(why, mend="everself review")
    if app.state.reviews.find(one.id).status not in ("accepted", "edited"):
        raise ChangedMeanwhile(f"{one.id} was decided a moment ago.")
    return next((each.change for each in done if each.change), "")


def _need_current(app: Runtime, one: Waiting) -> Review:
    if one.changed:
        app.state.reviews.decide(one.id, "expired", app.clock.now().isoformat())
        raise ChangedMeanwhile(f"{one.changed} The question is void; nothing was changed.")
    return app.state.reviews.find(one.id)


def _find(app: Runtime, name: str, seen: str) -> Waiting:
    """The pending item with this id or id prefix. Raises if it was decided or has changed."""
    wanted = name.strip().upper()
    found = list(waiting_named(app, wanted)) if wanted else []
    exact = [one for one in found if one.id == wanted] or found
    if len(exact) > 1:
        raise WrongUse(f'"{name[:40]}" is ambiguous: {", ".join(one.id for one in exact)}.')
    if not exact:
        status = _became(app, wanted)
        if status:
            raise RefusedByRule(f"{wanted} is {status} already.", mend="everself review")
        raise NotFound(f'review "{name[:40]}".', mend="everself review list")
    if seen and exact[0].mark != seen:
        raise ChangedMeanwhile(f"{exact[0].id} has changed since you looked at it; nothing was changed.")
    return exact[0]


def _became(app: Runtime, name: str) -> str:
    for find in (app.state.reviews.find, app.state.proposals.find):
        try:
            return find(name).status
        except (NotFound, WrongUse):
            continue
    return ""


def _decide_entry(app: Runtime, entry: Entry, kind: str) -> None:
    now = app.clock.now().isoformat()
    row = Review(new_id(), now, kind, "owner", about_entry(app, entry), {}, (f"entry:{entry.id}",))
    if not (app.state.reviews.add(row) and app.state.reviews.decide(row.id, "refused", now)):
        raise ChangedMeanwhile(f"{entry.id} was decided a moment ago.")
