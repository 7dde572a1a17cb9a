"""Operations of review: what waits for a human, and their yes, their own words, or their no. Nothing is decided twice.

Five things wait here: proposals for the soul, questions of keepers, what another program's model would have forgotten, what is kept apart,
and what a hand wrote that nobody owned up to.
What waits for a human is not decided by a model, and what was kept from a model is not shown to one.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Final, Literal

from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule, WrongUse
from everself.keepers.action_text import said_of
from everself.keepers.keeper import Ask, KeeperAction, Planned, unpacked
from everself.keepers.owner_wording import entries_in, entry_kept, words_in
from everself.memory.entries import text_hash
from everself.memory.provenance import HAND, stated_by_owner
from everself.memory.writing import is_quarantined
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import (
    Argument,
    NoRequest,
    Option,
    Request,
    Result,
    operation,
    owner_reads,
    terminal_writes,
)
from everself.runtime import Runtime
from everself.storage.state.proposals import Proposal
from everself.storage.state.reviews import Review
from everself.text.normalise import one_line
from everself.values import Entry, Tier, digest, new_id
from everself.workspace.layout import place

SOUL: Final = "soul"
QUARANTINE: Final = "quarantine"
HANDS: Final = "hand"
FORGET: Final = "forget"
# questions about forgetting that wait at once: a manipulated model could ask without end
_MOST_FORGETS: Final = 20
# of a workspace full of notes only the newest are asked about; `memory vouch` is for all of them
_HANDS: Final = 20
_ASKED_TIERS: Final = (Tier.CORE.value, Tier.WORKING.value)
_PAGE: Final = 50
_WIDE: Final = 400
_ITEM: Final = "The id of what waits, or the beginning of it."
_SEEN: Final = "Only if it is still what `review list --json` showed."
_NOT_UNDONE: Final = "Forgetting cannot be undone, so that it is only done at your own terminal."
_NOT_PRESENT: Final = "This was added outside Everself. Only at your own terminal can you say that it is yours."

Verdict = Literal["accepted", "edited", "refused"]


class Waiting(Result):
    """One thing that waits. `answers` are what a yes can mean, the first where none is named; `words` are what stands there now and an edit
    replaces; `mark` changes as soon as any of it does; `changed` says what is no longer so since it was asked."""

    id: str
    kind: str
    at: str
    author: str
    question: str
    answers: tuple[str, ...]
    words: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    diff: str = ""
    mark: str = ""
    changed: str = ""


class Queue(Result):
    """A page of what waits. `after` is the mark of the next page, and empty where there is none."""

    waiting: tuple[Waiting, ...]
    notes: tuple[str, ...] = ()
    after: str = ""


class WaitingCount(Result):
    """How many things wait, by kind: for the soul, questions of keepers, kept apart, added outside. Counted from rows: one that was
    decided by a change a moment ago may still be among them."""

    soul: int
    questions: int
    quarantine: int
    hand: int

    @property
    def total(self) -> int:
        return self.soul + self.questions + self.quarantine + self.hand


class Decided(Result):
    """What became of it; `change` can be undone. There is none where nothing had to be written."""

    id: str
    kind: str
    verdict: Verdict
    change: str = ""


class ListRequest(Request):
    how: Annotated[str, Option("Show it without asking about each.", "list", slash=True, only=("slash",))] = ""
    limit: Annotated[int, Option("How many at most.", ge=1, le=1000)] = 200
    after: Annotated[str, Option("The page after one that was shown, by the mark it gave.", "MARK")] = ""


@operation(
    "review.list",
    audience=Audience.OWNER_AT_TERMINAL,
    effect="read",
    slash="/review",
    examples=(("everself review list --json", "for a script, each with its mark"),),
)
def list_waiting(runtime: Runtime, _: Caller, request: ListRequest) -> Queue:
    """List what waits for you."""
<<<<<<< HEAD
    runtime.memory.catalog.refresh()
    found: list[tuple[str, Waiting]] = []
    for placed in _all_waiting(runtime, request.after):
        if len(found) == request.limit:
            return Queue(tuple(one for _, one in found), after=found[-1][0])
        found.append(placed)
    more = runtime.state.entries.count_unowned(HANDS, _ASKED_TIERS) - _HANDS
=======
    del request
    # first who the agent is, then what it remembers
    entries = runtime.memory.catalog.all()
    hands = _hands(runtime, entries)
    found = (
        *(_of_soul(runtime, one) for one in reversed(runtime.growth.open())),
        *(
            _of_forgetting(runtime, one) if one.kind == FORGET else _of_question(runtime, one)
            for one in runtime.state.reviews.waiting()
        ),
        *(_of_entry(one, QUARANTINE) for one in entries if _is_apart(runtime, one)),
        *(_of_entry(one, HANDS) for one in hands[:_HANDS]),
    )
    more = len(hands) - _HANDS
>>>>>>> main
    notes = (f"{more} more that were added outside Everself: everself memory vouch",) if more > 0 else ()
    return Queue(tuple(one for _, one in found), notes)


@owner_reads("review.count", examples=(("everself review count", "without looking at any of it"),))
def count_waiting(runtime: Runtime, _: Caller, __: NoRequest) -> WaitingCount:
    """Count what waits for you, by kind."""
    rows = runtime.state.entries
    return WaitingCount(
        len(runtime.growth.open()),
        runtime.state.reviews.count_waiting(),
        rows.count_apart(QUARANTINE),
        min(_HANDS, rows.count_unowned(HANDS, _ASKED_TIERS)),
    )


def _all_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    """What waits behind a mark, each with its own: first who the agent is, then what it remembers. Made as it is asked for, so that a page
    costs no more where more waits."""
    stage, _, key = after.partition(":")
    stages = ("", SOUL, _QUESTIONS, QUARANTINE, HANDS)
    if stage not in stages:
        raise WrongUse("The mark of the page is none that a list gave.", mend="everself review list")
    begun = max(1, stages.index(stage))
    for number, name in enumerate(stages[begun:], begun):
        behind = key if number == begun and stage else ""
        for own, one in _SOURCES[name](app, behind):
            yield f"{name}:{own}", one


def _soul_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    for one in reversed(app.growth.open()):
        if (one.at, one.id) > tuple(after.split(" ", 1)) if after else True:
            yield f"{one.at} {one.id}", _of_soul(app, one)


def _questions_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    last = _number(after)
    while page := app.state.reviews.waiting_after(last, _PAGE):
        for last, one in page:
            yield str(last), _of_question(app, one)


def _quarantine_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    ordinal, _, path = after.partition(" ")
    where = (path, _number(ordinal)) if after else ("", 0)
    while page := app.memory.catalog.apart(where, _PAGE):
        for (_, path, number), one in page:
            where = (path, number)
            if _is_apart(app, one):
                yield f"{number} {path}", _of_entry(one, QUARANTINE)


def _hands_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    ids = app.state.entries.unowned(HANDS, _ASKED_TIERS, _HANDS)
    for identity in ids[ids.index(after) + 1 if after in ids else 0 :]:
        one = app.memory.catalog.find(identity)
        if one is not None and _is_unowned(app, one):
            yield identity, _of_entry(one, HANDS)


_QUESTIONS: Final = "question"
_SOURCES: Final[dict[str, Callable[[Runtime, str], Iterator[tuple[str, Waiting]]]]] = {
    SOUL: _soul_waiting,
    _QUESTIONS: _questions_waiting,
    QUARANTINE: _quarantine_waiting,
    HANDS: _hands_waiting,
}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def count_waiting(runtime: Runtime) -> int:
    """How many things wait. What they are is not for whoever is only told the number."""
    entries = runtime.memory.catalog.all()
    asked = len(runtime.growth.open()) + len(runtime.state.reviews.waiting())
    apart = sum(_is_apart(runtime, one) for one in entries)
    return asked + apart + min(_HANDS, len(_hands(runtime, entries)))


def ask_to_forget(runtime: Runtime, entries: tuple[str, ...]) -> str:
    """Ask the owner whether these entries may go; the question's id. Empty where they said no before, or where too much is asked.

    Only ids are kept: a question must not hold the words that are to be forgotten.
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


@terminal_writes(
    "review.accept",
    examples=(
        ("everself review accept 7K3QX9M2ABCD", "yes, or the first of its answers"),
        ("everself review accept 7K3QX9M2ABCD --answer 2", "the second of its answers"),
    ),
)
def accept_waiting(runtime: Runtime, caller: Caller, request: AcceptRequest) -> Decided:
    """Say yes to one thing that waits.

    What was added outside Everself becomes yours at your own terminal only.
    """
    one = _find(runtime, request.name, request.seen)
    if request.answer > len(one.answers):
        raise WrongUse(f"There are {len(one.answers)} answers to that.", mend="everself review list")
    return _decide(runtime, caller, one, answer=request.answer - 1)


class EditRequest(Request):
    name: Annotated[str, Argument(_ITEM, "ID")]
    text: Annotated[
        str, Option("Your words instead of what stands there; - reads them from standard input.", "TEXT", stdin=True)
    ]
    seen: Annotated[str, Option(_SEEN, "MARK")] = ""


@terminal_writes(
    "review.edit",
    examples=(('everself review edit 7K3QX9M2ABCD --text "The demo is in June."', "yes, but in your words"),),
)
def edit_waiting(runtime: Runtime, caller: Caller, request: EditRequest) -> Decided:
    """Say yes in your own words: what stands there is replaced by them, then it is accepted."""
    if not request.text.strip():
        raise WrongUse("Say it in your words.", mend=f"everself review edit {request.name[:12]} --text …")
    return _decide(runtime, caller, _find(runtime, request.name, request.seen), text=request.text)


class RefuseRequest(Request):
    name: Annotated[str, Argument(_ITEM, "ID")]
    why: Annotated[str, Option("For a line of the soul: the reason, kept in CHANGELOG.md.", "TEXT")] = ""
    seen: Annotated[str, Option(_SEEN, "MARK")] = ""


@terminal_writes("review.refuse", examples=(("everself review refuse 7K3QX9M2ABCD", "no, and it is not asked again"),))
def refuse_waiting(runtime: Runtime, _: Caller, request: RefuseRequest) -> Decided:
    """Say no to one thing that waits. The same is not asked again."""
    one = _find(runtime, request.name, request.seen)
    if one.kind == SOUL:
        runtime.growth.refuse(one.id, request.why)
    elif one.kind in (QUARANTINE, HANDS):
        _decide_entry(runtime, runtime.memory.catalog.get(one.id), one.kind)
    elif not runtime.keepers.refuse(runtime.state.reviews.find(one.id)):
        raise ChangedMeanwhile(f"{one.id} was decided a moment ago.")
    return Decided(one.id, one.kind, "refused")


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
    # the owner's text is applied before the draft is closed: after a kill between the two, the draft is asked about again
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
    """It cannot be undone, so that somebody has to be there; there is no change that could be taken back."""
    from everself.memory.forgetting.proof import Target

    review = app.state.reviews.find(one.id)
    if text:
        raise WrongUse("This question has no text to edit: accept or refuse it.", mend="everself review")
    if one.changed:
        app.state.reviews.decide(one.id, "expired", app.clock.now().isoformat())
        raise ChangedMeanwhile(f"{one.changed} The question is void; nothing was changed.")
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
    review = app.state.reviews.find(one.id)
    if one.changed:
        app.state.reviews.decide(one.id, "expired", app.clock.now().isoformat())
        raise ChangedMeanwhile(f"{one.changed} The question is void; nothing was changed.")
    named = entries_in(unpacked(review.payload).operation)
    if not caller.present and any(_is_hands(app.memory.catalog.find(entry)) for entry in named):
        raise RefusedByRule(_NOT_PRESENT, mend="everself review")
    done = app.keepers.accept(review, answer, text)
    why = next((each.why for each in done if each.why), "")
    if why:
        raise RefusedByRule(why, mend="everself review")
    if app.state.reviews.find(one.id).status not in ("accepted", "edited"):
        raise ChangedMeanwhile(f"{one.id} was decided a moment ago.")
    return next((each.change for each in done if each.change), "")


def _find(app: Runtime, name: str, seen: str) -> Waiting:
    """What waits by that id, or the beginning of it; told where it no longer waits, or is no longer what was looked at."""
    wanted = name.strip().upper()
    found = list(_waiting_named(app, wanted)) if wanted else []
    exact = [one for one in found if one.id == wanted] or found
    if len(exact) > 1:
        raise WrongUse(f'"{name[:40]}" is ambiguous: {", ".join(one.id for one in exact)}.')
    if not exact:
        status = _became(app, wanted)
        if status:
            raise RefusedByRule(f"{wanted} is {status} already.", mend="everself review")
        raise NotFound(f'review "{name[:40]}".', mend="everself review list")
    if seen and exact[0].mark != seen:
        raise ChangedMeanwhile(f"{exact[0].id} is not what you looked at any more; nothing was changed.")
    return exact[0]


def _waiting_named(app: Runtime, wanted: str) -> Iterator[Waiting]:
    """What waits whose id begins so."""
    yield from (_of_soul(app, one) for one in app.growth.open() if one.id.startswith(wanted))
    yield from (_of_question(app, one) for one in app.state.reviews.waiting_named(wanted))
    app.memory.catalog.refresh()
    for entry in app.memory.catalog.beginning(wanted):
        if _is_apart(app, entry):
            yield _of_entry(entry, QUARANTINE)
        elif _is_unowned(app, entry):
            yield _of_entry(entry, HANDS)


def _became(app: Runtime, name: str) -> str:
    for find in (app.state.reviews.find, app.state.proposals.find):
        try:
            return find(name).status
        except (NotFound, WrongUse):
            continue
    return ""


def _of_soul(app: Runtime, proposal: Proposal) -> Waiting:
    from everself.identity.growth import diff_souls

    now = app.growth.versions.soul() or b""
    wanted = app.growth.preview(proposal)
    diff = diff_souls(now, wanted) if wanted is not None else ""
    added = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    removed = [line for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    said = [line.lstrip("-*+ ").strip() for line in added if line.strip() and not line.startswith("#")]
    return Waiting(
        id=proposal.id,
        kind=SOUL,
        at=proposal.at,
        author=proposal.author,
        question="May this be part of the soul?",
        answers=("It becomes part of the soul",),
        words=said[0] if len(said) == 1 and not removed else proposal.content,
        reason=proposal.reason,
        evidence=proposal.evidence,
        diff=diff,
        mark=_mark(proposal.id, digest(now)),
        changed="" if wanted is not None else "The soul changed in the same lines since.",
    )


def _of_question(app: Runtime, review: Review) -> Waiting:
    planned = unpacked(review.payload)
    operation = planned.operation
    choices = app.keepers.choices(review)
    first = choices[0].does if choices else (operation,)
    named = tuple(dict.fromkeys(entries_in(operation)))
    entries = {one: app.memory.catalog.find(one) for one in named}
    lost = next((one for one, entry in entries.items() if entry is None or entry.closed), "")
    return Waiting(
        id=review.id,
        kind=review.kind,
        at=review.at,
        author=review.author,
        question=_asked(app, operation, planned, named),
        answers=tuple(one.label for one in choices) or ("Do it",),
        words=_words(first, entries),
        reason=str(review.payload.get("why") or planned.reason),
        evidence=review.evidence,
        mark=_mark(review.id, *(f"{key}:{text_hash(one.text) if one else ''}" for key, one in entries.items())),
        changed=f"{lost} no longer holds." if lost else "",
    )


def _of_forgetting(app: Runtime, review: Review) -> Waiting:
    entries = {one: app.memory.catalog.find(one) for one in review.payload["entries"]}
    lost = next((one for one, entry in entries.items() if entry is None), "")
    quoted = "; ".join(
        f"“{one_line(one.text, _WIDE)}” ({one.reference})" for one in entries.values() if one is not None
    )
    return Waiting(
        id=review.id,
        kind=FORGET,
        at=review.at,
        author=review.author,
        question=f"May this be forgotten for good? It cannot be undone. {quoted}",
        answers=("It goes, for good",),
        reason="A model of another program asked for it.",
        evidence=review.evidence,
        mark=_mark(review.id, *(f"{key}:{text_hash(one.text) if one else ''}" for key, one in entries.items())),
        changed=f"{lost} is not there any more." if lost else "",
    )


def _asked(app: Runtime, operation: KeeperAction, planned: Planned, named: tuple[str, ...]) -> str:
    if not isinstance(operation, Ask):
        return f"May I {said_of(operation, app.memory.catalog.find)}?"
    found = [entry for one in named if (entry := app.memory.catalog.find(one)) is not None]
    missing = [one for one in found if one_line(one.text, _WIDE)[:40] not in operation.words]
    quoted = "".join(f" “{one_line(one.text, _WIDE)}” ({one.reference})" for one in missing)
    return (operation.words or planned.reason) + quoted


def _words(does: tuple[KeeperAction, ...], entries: dict[str, Entry | None]) -> str:
    kept = entries.get(entry_kept(does))
    return kept.text if kept is not None else next((text for one in does if (text := words_in(one))), "")


def _of_entry(entry: Entry, kind: str) -> Waiting:
    apart = kind == QUARANTINE
    return Waiting(
        id=entry.id,
        kind=kind,
        at=entry.day.isoformat() if entry.day is not None else "",
        author=entry.source,
        question="This was kept apart. May it be recalled?"
        if apart
        else "This was added outside Everself. Is it yours?",
        answers=("It may be recalled, as trusted as it was" if apart else "It is mine",),
        words=entry.text,
        reason=entry.category if apart else entry.reference,
        evidence=(f"entry:{entry.id}",),
        mark=_mark(entry.id, text_hash(entry.text), entry.path),
    )


def _is_unowned(app: Runtime, entry: Entry) -> bool:
    """Whether a hand wrote it into memory, and the owner was not asked about it."""
    asked = _is_hands(entry) and entry.tier in (Tier.CORE, Tier.WORKING) and not entry.closed
    mine = not is_quarantined(entry.path) and place(entry.path).person is None
    return asked and mine and not _is_decided(app, entry, HANDS)


def _is_hands(entry: Entry | None) -> bool:
    return entry is not None and entry.source == HAND and not entry.vouched


def _is_apart(app: Runtime, entry: Entry) -> bool:
    return is_quarantined(entry.path) and not entry.closed and not _is_decided(app, entry, QUARANTINE)


def _about(app: Runtime, entry: Entry) -> str:
    # by a keyed hash: other words are another question, and what is forgotten cannot be guessed from it
    return f"{entry.id} {app.state.entries.mac(text_hash(entry.text))[:24]}"


def _is_decided(app: Runtime, entry: Entry, kind: str) -> bool:
    return app.state.reviews.about(kind, _about(app, entry)) is not None


def _decide_entry(app: Runtime, entry: Entry, kind: str) -> None:
    now = app.clock.now().isoformat()
    row = Review(new_id(), now, kind, "owner", _about(app, entry), {}, (f"entry:{entry.id}",))
    if not (app.state.reviews.add(row) and app.state.reviews.decide(row.id, "refused", now)):
        raise ChangedMeanwhile(f"{entry.id} was decided a moment ago.")


def _mark(*parts: str) -> str:
    return digest("\n".join(parts).encode("utf-8", "replace"))[:16]
