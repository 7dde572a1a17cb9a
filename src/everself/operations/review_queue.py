"""Reads pending decisions from rows: each item for display, in pages, and their number. Decides nothing."""

from collections.abc import Callable, Iterator
from typing import Final

from everself.errors import WrongUse
from everself.keepers.action_text import said_of
from everself.keepers.keeper import Ask, KeeperAction, Planned, unpacked
from everself.keepers.owner_wording import entries_in, entry_kept, words_in
from everself.memory.entries import text_hash
from everself.memory.provenance import HAND
from everself.memory.writing import is_quarantined
from everself.operations.declaration import Result
from everself.runtime import Runtime
from everself.storage.state.proposals import Proposal
from everself.storage.state.reviews import Review
from everself.text.normalise import one_line
from everself.values import Entry, Tier, digest
from everself.workspace.layout import place

SOUL: Final = "soul"
QUARANTINE: Final = "quarantine"
HANDS: Final = "hand"
FORGET: Final = "forget"
# only the newest are asked about; `memory vouch` is for all of them
MOST_HANDS: Final = 20
ASKED_TIERS: Final = (Tier.CORE.value, Tier.WORKING.value)
_QUESTIONS: Final = "question"
_PAGE: Final = 50
_WIDE: Final = 400


class Waiting(Result):
    """One pending item. `answers` are the possible ways to accept, the first is the default; `words` is the current text, which an edit
    replaces; `mark` changes when any of it changes; `changed` says what became invalid since the question. `entries` are its subjects in
    the order of their mention."""

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
    entries: tuple[str, ...] = ()


class WaitingCount(Result):
    """The number of pending items by kind: soul, keepers' questions, quarantine, added outside. Counted from rows, which may include an
    item that was decided a moment ago."""

    soul: int
    questions: int
    quarantine: int
    hand: int

    @property
    def total(self) -> int:
        return self.soul + self.questions + self.quarantine + self.hand


def count_waiting(runtime: Runtime) -> WaitingCount:
    """Counts rows without reading the items."""
    rows = runtime.state.entries
    return WaitingCount(
        len(runtime.growth.open()),
        runtime.state.reviews.count_waiting(),
        rows.count_apart(QUARANTINE),
        rows.count_unowned(HANDS, ASKED_TIERS, MOST_HANDS),
    )


def all_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    """The items after a mark, each with its own mark: soul first, then memory. Generated lazily, so that a page costs the same however many
    wait."""
    stage, _, key = after.partition(":")
    stages = ("", SOUL, _QUESTIONS, QUARANTINE, HANDS)
    if stage not in stages:
        raise WrongUse("The mark of the page is invalid.", mend="everself review list")
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
            yield str(last), _of_review(app, one)


def _quarantine_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    ordinal, _, path = after.partition(" ")
    where = (path, _number(ordinal)) if after else ("", 0)
    while page := app.memory.catalog.apart(where, _PAGE):
        for (_, path, number), one in page:
            where = (path, number)
            if _is_apart(app, one):
                yield f"{number} {path}", _of_entry(one, QUARANTINE)


def _hands_waiting(app: Runtime, after: str) -> Iterator[tuple[str, Waiting]]:
    ids = app.state.entries.unowned(HANDS, ASKED_TIERS, MOST_HANDS)
    left = ids[ids.index(after) + 1 if after in ids else 0 :]
    known = app.memory.catalog.named(left)
    for identity in left:
        one = known.get(identity)
        if one is not None and _is_unowned(app, one):
            yield identity, _of_entry(one, HANDS)


_SOURCES: Final[dict[str, Callable[[Runtime, str], Iterator[tuple[str, Waiting]]]]] = {
    SOUL: _soul_waiting,
    _QUESTIONS: _questions_waiting,
    QUARANTINE: _quarantine_waiting,
    HANDS: _hands_waiting,
}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def waiting_named(app: Runtime, wanted: str) -> Iterator[Waiting]:
    """The pending items whose id begins so."""
    yield from (_of_soul(app, one) for one in app.growth.open() if one.id.startswith(wanted))
    yield from (_of_review(app, one) for one in app.state.reviews.waiting_named(wanted))
    app.memory.catalog.refresh()
    for entry in app.memory.catalog.beginning(wanted):
        if _is_apart(app, entry):
            yield _of_entry(entry, QUARANTINE)
        elif _is_unowned(app, entry):
            yield _of_entry(entry, HANDS)


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
        question="Add this to the soul?",
        answers=("It becomes part of the soul",),
        words=said[0] if len(said) == 1 and not removed else proposal.content,
        reason=proposal.reason,
        evidence=proposal.evidence,
        diff=diff,
        mark=_mark(proposal.id, digest(now)),
        changed="" if wanted is not None else "The soul changed in the same lines since.",
    )


def _of_review(app: Runtime, review: Review) -> Waiting:
    return _of_forgetting(app, review) if review.kind == FORGET else _of_question(app, review)


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
        entries=named,
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
        entries=tuple(entries),
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
        entries=(entry.id,),
    )


def _is_unowned(app: Runtime, entry: Entry) -> bool:
    """Whether the entry was added outside Everself and the owner was not asked yet."""
    asked = is_hands(entry) and entry.tier in (Tier.CORE, Tier.WORKING) and not entry.closed
    mine = not is_quarantined(entry.path) and place(entry.path).person is None
    return asked and mine and not _is_decided(app, entry, HANDS)


def is_hands(entry: Entry | None) -> bool:
    return entry is not None and entry.source == HAND and not entry.vouched


def _is_apart(app: Runtime, entry: Entry) -> bool:
    return is_quarantined(entry.path) and not entry.closed and not _is_decided(app, entry, QUARANTINE)


def _is_decided(app: Runtime, entry: Entry, kind: str) -> bool:
    return app.state.reviews.about(kind, about_entry(app, entry)) is not None


def about_entry(app: Runtime, entry: Entry) -> str:
    # by a keyed hash: changed words are a new question, and forgotten words cannot be guessed from it
    return f"{entry.id} {app.state.entries.mac(text_hash(entry.text))[:24]}"


def _mark(*parts: str) -> str:
    return digest("\n".join(parts).encode("utf-8", "replace"))[:16]
