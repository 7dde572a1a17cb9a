"""One entry: what it says, where it comes from, what rests on it and what happened to it; and everything that can be done to it."""

from typing import Any, Final
from urllib.parse import quote

from everself.errors import WrongUse
from everself.interfaces.rendering.entry_account import reckoned, standing
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.memory.writing import is_quarantined
from everself.operations.entries import Candidates, CorrectionAsked
from everself.values import Tier

# characters of one text; the rest is shown where it is asked for
CUT: Final = 4_000
# and no more of it than this at once: a browser takes minutes to lay out two million
PART: Final = 40_000
_FORGET: Final = "memory.forget"


def show_entry(visit: Visit) -> Answer:
    account = visit.run("memory.show", entry=visit.params["entry"])
    entry = account.entry
    parts = -(-len(entry.text) // PART)
    part = min(visit.query.number("part", 0), parts)
    start, most = ((part - 1) * PART, PART) if part else (0, CUT)
    return Shown(
        "memory/entry.html",
        {
            "account": account,
            "entry": entry,
            "reckoned": reckoned(account.confidence),
            "standing": standing(account),
            "apart": is_quarantined(entry.path),
            "promotes": entry.tier is Tier.WORKING and not entry.closed and not is_quarantined(entry.path),
            "text": entry.text[start : start + most],
            "cut": not part and len(entry.text) > CUT,
            "part": part,
            "of_parts": parts,
            # one that is too long for a page is not filled into a field of it
            "fills": parts <= 1 and (part or len(entry.text) <= CUT),
        },
    )


def show_origins(visit: Visit) -> Answer:
    """Which message first taught it, and what came of that."""
    return Shown("memory/origins.html", {"found": visit.run("why", bisect=visit.params["entry"])})


def edit(visit: Visit) -> Answer:
    identity = visit.params["entry"]
    done = visit.run("memory.edit", entry=identity, text=visit.form["text"])
    return Moved(visit.url(f"memory/entry/{done.entry}"), "edited", done.change)


def correct(visit: Visit) -> Answer:
    done = visit.run("memory.correct", old=visit.params["entry"], new=visit.form["text"])
    if isinstance(done, CorrectionAsked):
        return Moved(visit.url("review"), "asked")
    if isinstance(done, Candidates):
        raise WrongUse(done.hint)
    return Moved(visit.url(f"memory/entry/{done.entry}"), "corrected", done.change)


def replace(visit: Visit) -> Answer:
    """Another entry took its place."""
    done = visit.run("memory.supersede", old=visit.params["entry"], new=visit.form["new"].strip())
    return Moved(visit.url(f"memory/entry/{done.closed}"), "replaced", done.change)


def promote(visit: Visit) -> Answer:
    given = visit.form.given("target")
    done = visit.run("memory.promote", entries=[visit.params["entry"]], apply=True, **given)
    if not done.moved:
        raise WrongUse("; ".join(one.reason for one in done.left) or "It was not moved.")
    return Moved(visit.url(f"memory/entry/{visit.params['entry']}"), "promoted", done.change)


def release(visit: Visit) -> Answer:
    done = visit.run("memory.release", entry=visit.params["entry"])
    return Moved(visit.url(f"memory/entry/{done.entry}"), "released", done.change)


def vouch(visit: Visit) -> Answer:
    visit.run_agreed("memory.vouch", entries=[visit.params["entry"]])
    return Moved(visit.url(f"memory/entry/{visit.params['entry']}"), "vouched", vouched=visit.params["entry"])


def withdraw(visit: Visit) -> Answer:
    """Vouch for it no longer, and go back to the page it was asked on."""
    visit.run_agreed("memory.vouch", entries=[visit.params["entry"]], withdraw=True)
    return Moved(visit.back(f"memory/entry/{visit.params['entry']}"), "withdrawn")


def plan_forgetting(visit: Visit) -> Answer:
    """What would go, before anything does."""
    given = _target(visit, visit.query)
    plan = visit.run(_FORGET, **given, dry_run=True)
    fields = [(name, one) for name, value in given.items() for one in (value if isinstance(value, list) else [value])]
    return Shown(
        "memory/forget.html",
        {
            "plan": plan,
            "fields": fields,
            "action": visit.url("memory/forget"),
            "ticket": visit.ticket(_FORGET, *_subject(plan)),
            "back": _asked_from(visit, given),
        },
    )


def _asked_from(visit: Visit, given: dict[str, object]) -> str:
    """Where whoever does not want to forget goes on: most ask on the page of an entry or of a person."""
    match given:
        case {"entries": [str(entry)]}:
            return visit.url(f"memory/entry/{quote(entry, safe='')}")
        case {"person": str(person)}:
            return visit.url("people/person", name=person)
    return visit.url("memory")


def forget(visit: Visit) -> Answer:
    """Only what the page showed: where the plan is another one by now, it is shown anew."""
    given = _target(visit, visit.form)
    plan = visit.run(_FORGET, **given, dry_run=True)
    if not visit.confirmed(_FORGET, *_subject(plan)):
        visit.query = visit.form
        return plan_forgetting(visit)
    proof = visit.run_agreed(_FORGET, **given)
    return Shown("memory/forgotten.html", {"proof": proof})


def _target(visit: Visit, said: Any) -> dict[str, object]:
    del visit
    given: dict[str, object] = said.given("words", "session", "person", "on", "since", "until")
    entries = [one.strip() for one in said.all("entries") if one.strip()]
    return given | ({"entries": entries} if entries else {})


def _subject(plan: Any) -> tuple[str, ...]:
    """All that the page showed: an entry keeps its id when it is edited, and a conversation may say more of it meanwhile."""
    cuts = (*plan.documents, *plan.quoted, *plan.alone)
    return (
        *(f"{one.id} {one.text}" for one in plan.entries),
        *(f"{one.path} {one.count}" for one in cuts),
        *plan.sentences,
        str(len(plan.messages)),
    )


PAGES: Final = (
    Page("memory/entry/{entry}", show_entry, "memory"),
    Page("memory/entry/{entry}/origins", show_origins, "memory", slow=True),
    Page("memory/entry/{entry}/edit", edit, "memory", "POST"),
    Page("memory/entry/{entry}/correct", correct, "memory", "POST"),
    Page("memory/entry/{entry}/replace", replace, "memory", "POST"),
    Page("memory/entry/{entry}/promote", promote, "memory", "POST", slow=True),
    Page("memory/entry/{entry}/release", release, "memory", "POST"),
    Page("memory/entry/{entry}/vouch", vouch, "memory", "POST"),
    Page("memory/entry/{entry}/withdraw", withdraw, "memory", "POST"),
    Page("memory/forget", plan_forgetting, "memory", slow=True),
    Page("memory/forget", forget, "memory", "POST", slow=True),
)
