"""Output of `everself soul`."""

from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo
from typing import Final

from everself.identity.growth import Proposed, SoulChange
from everself.identity.soul_tests import SoulTestResult
from everself.identity.versions import Version
from everself.interfaces.rendering.lines import Line, count_of, paint, paint_diff
from everself.interfaces.rendering.view import Look, View, degraded_if, says
from everself.operations.soul import Digest, SoulDiff, SoulReport, SoulTests, Step, Verified
from everself.storage.state.proposals import Proposal
from everself.text.normalise import one_line


def _verified(found: Verified, _: Look) -> Iterator[Line]:
    if found.accepted is not None:
        yield f"Accepted: {', '.join(found.accepted.paths) or 'all as it is'}."
    if (back := found.restored) is not None:
        put = f"Put back: {', '.join(back.paths)}, as change {back.change}."
        yield put if back.change else "There was nothing to put back."
        yield from (f"{path}: {why}" for path, why in back.left)
    report = found.report
    for one in report.changed:
        yield paint(one.kind, "red") + f"  {one.path}" + (f"  {one.why}" if one.why else "")
        yield from paint_diff(one.diff)
    if report.ledger:
        yield paint("The record of changes is broken: ", "red") + report.ledger
    if report.ok:
        yield f"Nothing was changed outside; the record of {count_of(report.changes, 'change')} is whole."
    elif report.changed:
        yield "If that was you: everself soul verify --accept. To put it back: everself soul verify --undo"


def _digest(found: Digest, look: Look) -> Iterable[Line]:
    steps = [line for one in (*found.grown, *found.waiting) for line in _digest_step(one, look)]
    return steps or [f"The soul is what it was {count_of(found.days, 'day')} ago, and nothing waits."]


def _digest_step(step: Step, look: Look) -> Iterator[Line]:
    waits = f"  waits for you: everself soul approve {step.proposal}" if step.proposal else ""
    yield paint(f"{step.at.astimezone(look.zone):%Y-%m-%d %H:%M}  {step.who}: {step.reason}", bold=True) + waits
    yield from (f"  - {line.lstrip('-*+ ')}" for line in step.removed)
    yield from (f"  + {line.lstrip('-*+ ')}" for line in step.added)
    for one in step.evidence:
        yield f"  because of {one.reference}" + (f": {one.words}" if one.words else "")


_POLICIES: Final = {
    "locked": "Only you change it (soul.policy: locked).",
    "propose": "Changes wait for your yes (soul.policy: propose).",
    "evolve": "Small steps need no yes of yours; you are told of each (soul.policy: evolve).",
}
_COLOURS: Final = {"passed": "green", "failed": "red", "waiting": "yellow", "unclear": "yellow"}


def _shown(report: SoulReport, _: Look) -> Iterator[Line]:
    if report.proposal is not None:
        one = report.proposal
        yield paint(f"proposal {one.id}", "yellow") + f"  {one.status}"
        yield f"when    {one.at}"
        yield f"author  {one.author}"
        yield f"reason  {one.reason or '–'}"
        if one.evidence:
            yield f"because {', '.join(one.evidence)}"
        yield ""
        yield from paint_diff(report.diff)
        return
    yield from report.text.rstrip("\n").split("\n")
    yield ""
    yield paint(f"{report.tokens} of {report.most} tokens. {_POLICIES[report.policy]}", dim=True)
    yield from (_waiting(one) for one in report.waiting)


def _waiting(one: Proposal) -> Line:
    return "waits for you: " + paint(one.id, "yellow") + f"  {one.author}  {one_line(one.reason, 60)}"


def _listed(found: tuple[Version, ...], look: Look) -> Iterable[Line]:
    return [_version(one, look.zone) for one in found] or ["No soul exists yet."]


def _version(one: Version, zone: tzinfo) -> Line:
    when = "" if one.at is None else one.at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    altered = paint("  altered since", "red") if one.altered else ""
    return paint(f"{one.name:<28}", "yellow") + f"{when:<21}{one.hash[:12]}  {one.size} bytes" + altered


def _compared(found: SoulDiff, _: Look) -> Iterable[Line]:
    return list(paint_diff(found.diff)) or ["They are the same."]


def _proposed(made: Proposed, _: Look) -> Iterable[Line]:
    done = f"Proposed as {made.proposal.id}. To let it in: everself soul approve {made.proposal.id}"
    return [*paint_diff(made.diff), "", done]


def _grown(done: str) -> Callable[[SoulChange, Look], Iterable[Line]]:
    def lines(grown: SoulChange, look: Look) -> Iterable[Line]:
        if look.asking:
            return paint_diff(grown.diff)
        if not grown.change:
            return ["It is so already; nothing was changed."]
        said = f"{done}, as change {grown.change}. To undo it: everself undo {grown.change}"
        return [*paint_diff(grown.diff), "", said]

    return lines


def _judged(grown: SoulChange) -> list[str]:
    left = [one for one in grown.results if one.verdict != "passed"]
    heads = ["It fails a soul test" if one.verdict == "failed" else "Not judged" for one in left]
    return [f"{head}: {one.expectation}: {one.why}" for head, one in zip(heads, left, strict=True)]


def _tested(report: SoulTests, _: Look) -> Iterable[Line]:
    return [_result(one) for one in report.results] or ["SOUL_TESTS.md expects nothing yet."]


def _result(one: SoulTestResult) -> Line:
    return paint(f"{one.verdict:<8}", _COLOURS[one.verdict]) + one.expectation + (f"  ({one.why})" if one.why else "")


def _retreat(report: SoulTests) -> list[str]:
    return [f"To go back to the soul before: everself soul rollback {report.retreat}"] if report.retreat else []


VIEWS: Final = {
    "soul.verify": View(
        _verified, code=degraded_if(lambda found: not found.report.ok), data=lambda found: found.report
    ),
    "soul.digest": View(_digest),
    "soul.show": View(_shown),
    "soul.history": View(_listed),
    "soul.diff": View(_compared),
    "soul.propose": View(_proposed),
    "soul.approve": View(_grown("It is part of the soul now"), notices=_judged),
    "soul.refuse": View(says("Refused: {0.id}.")),
    "soul.rollback": View(_grown("Taken back")),
    "soul.test": View(_tested, code=degraded_if(lambda report: report.count("failed")), notices=_retreat),
}
