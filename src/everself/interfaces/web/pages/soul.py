"""Who the agent is: its soul with every version and what each rests on, what is proposed, what was changed outside, and who spoke when."""

from dataclasses import dataclass
from typing import Final

from everself.errors import EverselfError
from everself.interfaces.web.visit import Answer, Moved, Page, Shown, Visit
from everself.operations.soul import Evidence, SoulReport, SoulTests, evidence_of
from everself.storage.state.proposals import Proposal

_DAYS: Final = 3_650
_STEPS: Final = 30
_TURNS: Final = 12


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal with what it would change, and what the soul tests say to it; `trouble` where they cannot be held against it."""

    proposal: Proposal
    diff: str
    tests: SoulTests | None
    evidence: tuple[Evidence, ...]
    trouble: str = ""


def show_soul(visit: Visit) -> Answer:
    soul = visit.attempt("soul.show")
    growth = visit.run("soul.digest", days=_DAYS)
    return Shown(
        "soul/soul.html",
        {
            "soul": soul if isinstance(soul, SoulReport) else None,
            "trouble": soul if isinstance(soul, EverselfError) else None,
            "identity": visit.run("identity"),
            "outside": visit.run("soul.verify").report,
            "tests": visit.attempt("soul.test") if isinstance(soul, SoulReport) else None,
            "proposed": [_proposed(visit, one) for one in (soul.waiting if isinstance(soul, SoulReport) else ())],
            "steps": growth.grown[:_STEPS],
            "more_steps": max(0, len(growth.grown) - _STEPS),
            "versions": visit.run("soul.history"),
            "turns": visit.run("identity", personas=True, limit=_TURNS).spoken,
        },
    )


def _proposed(visit: Visit, one: Proposal) -> Proposed:
    diff = visit.run("soul.show", name=one.id).diff
    tests = visit.attempt("soul.test", name=one.id)
    failed = isinstance(tests, EverselfError)
    rests_on = evidence_of(visit.runtime, one.evidence)
    return Proposed(one, diff, None if failed else tests, rests_on, str(tests) if failed else "")


def show_version(visit: Visit) -> Answer:
    name = visit.params["version"]
    found = visit.run("soul.show", name=name)
    return Shown("soul/version.html", {"soul": found, "name": name})


def decide(visit: Visit) -> Answer:
    name = visit.form["name"]
    if visit.form["verdict"] == "refuse":
        refused = visit.run("soul.refuse", name=name, why=visit.form["why"])
        return Moved(visit.url("soul"), "soul-refused", refused=refused.id)
    # the diff stands above the button, and the change can be undone
    done = visit.run_agreed("soul.approve", name=name, force=bool(visit.form["force"]))
    return Moved(visit.url("soul"), "soul-approved", done.change)


def roll_back(visit: Visit) -> Answer:
    if visit.form["line"]:
        done = visit.run_agreed("soul.rollback", line=visit.form["line"])
        return Moved(visit.url("soul"), "soul-line-back", done.change)
    done = visit.run_agreed("soul.rollback", version=visit.form["version"])
    return Moved(visit.url("soul"), "soul-rolled-back", done.change)


def settle_outside(visit: Visit) -> Answer:
    """Take over what was changed outside, or put back what was accepted before."""
    paths = [one for one in visit.form.all("path") if one]
    if visit.form["verdict"] == "accept":
        visit.run("soul.verify", paths=paths, accept=True)
        return Moved(visit.url("soul"), "outside-accepted")
    restored = visit.run("soul.verify", paths=paths, undo=True).restored
    return Moved(visit.url("soul"), "outside-undone", restored.change if restored is not None else "")


PAGES: Final = (
    Page("soul", show_soul, "soul"),
    Page("soul/version/{version}", show_version, "soul"),
    Page("soul/decide", decide, "soul", "POST", slow=True),
    Page("soul/rollback", roll_back, "soul", "POST"),
    Page("soul/outside", settle_outside, "soul", "POST"),
)
