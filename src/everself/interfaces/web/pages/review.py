"""What waits for a decision: one queue, each thing with what it rests on, decided once and only as it was shown."""

from dataclasses import dataclass
from typing import Final

from everself.errors import ChangedMeanwhile, RefusedByRule, WrongUse
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.operations.review_queue import FORGET, HANDS, Waiting
from everself.operations.soul import Evidence, evidence_of
from everself.values import Entry

_SHOWN: Final = 10
_FORGETTING: Final = "review.forget"


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that waits, with the entries that it is about and those that it rests on, as they stand now."""

    waiting: Waiting
    sides: tuple[Entry, ...]
    evidence: tuple[Evidence, ...]


def show_review(visit: Visit) -> Answer:
    found = visit.attempt("review.list", limit=_SHOWN, after=visit.query["after"])
    if isinstance(found, RefusedByRule):
        # the link of this browser was not made at a terminal
        return Shown("review/elsewhere.html", {"why": found, "count": visit.run("review.count")})
    if isinstance(found, WrongUse):
        return Moved(visit.url("review"))
    if isinstance(found, Exception):
        raise found
    catalog = visit.runtime.memory.catalog
    asked = []
    for one in found.waiting:
        known = catalog.named(one.entries) if len(one.entries) > 1 else {}
        sides = tuple(known[name] for name in one.entries if name in known)
        # what stands side by side is not named once more below
        rest = tuple(name for name in one.evidence if name.removeprefix("entry:") not in known)
        asked.append(Asked(one, sides, evidence_of(visit.runtime, rest)))
    return Shown("review/list.html", {"queue": found, "asked": asked, "after": visit.query["after"]})


def decide(visit: Visit) -> Answer:
    """What changed since it was shown is shown again, and not decided."""
    form = visit.form
    name, seen, verdict = form["name"], form["seen"], form["verdict"]
    back = visit.url("review", after=form["after"])
    if verdict == "accept" and form["kind"] == FORGET and not visit.confirmed(_FORGETTING, name, seen):
        return _ask_about_forgetting(visit, name, seen)
    try:
        if verdict == "edit":
            done = visit.run("review.edit", name=name, seen=seen, text=form["text"])
        elif verdict == "refuse":
            done = visit.run("review.refuse", name=name, seen=seen, why=form["why"])
        else:
            done = visit.run("review.accept", name=name, seen=seen, answer=form.number("answer", 1, 1, 99))
    except ChangedMeanwhile:
        return Moved(back, "review-changed")
    # what was added outside and is the owner's is vouched for, which is no change of a file
    vouched = name if form["kind"] == HANDS and verdict == "accept" else ""
    return Moved(back, f"review-{done.verdict}", done.change, vouched, done.id if done.verdict == "refused" else "")


def withdraw(visit: Visit) -> Answer:
    """A refusal is taken back: what was refused waits again."""
    visit.run("review.refuse", name=visit.form["name"], withdraw=True)
    return Moved(visit.back("review"), "review-withdrawn")


def _ask_about_forgetting(visit: Visit, name: str, seen: str) -> Answer:
    queue = visit.run("review.list", limit=1000).waiting
    found = next((one for one in queue if one.id == name and one.mark == seen), None)
    if found is None:
        return Moved(visit.url("review"), "review-changed")
    plan = visit.run("memory.forget", entries=list(found.entries), dry_run=True)
    return Shown(
        "review/forget.html",
        {
            "one": found,
            "plan": plan,
            "action": visit.url("review/decide"),
            "fields": [("name", name), ("seen", seen), ("kind", FORGET), ("verdict", "accept")],
            "ticket": visit.ticket(_FORGETTING, name, seen),
            "back": visit.url("review"),
        },
    )


PAGES: Final = (
    Page("review", show_review, "review"),
    Page("review/decide", decide, "review", "POST", slow=True),
    Page("review/withdraw", withdraw, "review", "POST"),
)
