"""Output of `everself keepers`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.view import Look, View
from everself.keepers.keeper import ActionResult, RunReport, kind_of
from everself.operations.keepers import KeeperLine
from everself.storage.state.reviews import KeeperRun

_SHOWN: Final = 20


def _listed(found: tuple[KeeperLine, ...], _: Look) -> Iterable[Line]:
    return [line for one in found for line in _keeper(one)]


def _history(found: tuple[KeeperRun, ...], _: Look) -> Iterable[Line]:
    return [line for one in found for line in _run(one)] or ["No keeper has run yet."]


def _keeper(one: KeeperLine) -> Iterator[Line]:
    when = f"at {one.time}" if one.time else "when it is needed"
    yield paint(f"{one.title} ({one.name})", bold=True)
    last = f"last {one.last.at[:16].replace('T', ' ')}" if one.last is not None else "never ran"
    waits = f"; {one.waiting} wait for you: everself review" if one.waiting else ""
    yield f"  {when}; {last}{waits}"
    yield f"  told by {one.prompt}"


def _report(report: RunReport, _: Look) -> Iterator[Line]:
    done, waits = ("Would do", "Would ask about") if report.dry_run else ("Did", "Waits for you")
    yield from _results(done, report.applied)
    yield from _results(waits, report.queued)
    yield from _results("Refused", report.refused)
    yield from report.notes
    if not (report.applied or report.queued or report.refused):
        yield "Nothing to do."
    tokens = f", {_tokens(report):,} tokens" if _tokens(report) else ""
    yield f"{report.keeper}: {report.seconds:.1f} s{tokens}"


def _results(label: str, found: tuple[ActionResult, ...]) -> Iterator[Line]:
    if not found:
        return
    yield paint(f"{label} ({len(found)}):", bold=True)
    for one in found[:_SHOWN]:
        ends = f" ({one.change})" if one.change else f" ({one.why})" if one.why else ""
        yield f"  {one.words}{ends}"
    if len(found) > _SHOWN:
        yield f"  and {len(found) - _SHOWN} more; --json shows all"


def _tokens(report: RunReport) -> int:
    return report.usage.sent + report.usage.received


def _data(report: RunReport) -> dict[str, object]:
    plain = {
        name: getattr(report, name) for name in ("keeper", "at", "dry_run", "applied", "queued", "refused", "notes")
    }
    results = {name: [_result(one) for one in plain[name]] for name in ("applied", "queued", "refused")}
    return plain | results | {"tokens": _tokens(report), "seconds": report.seconds}


def _result(one: ActionResult) -> dict[str, object]:
    planned, ends = one.planned, {name: getattr(one, name) for name in ("change", "entry", "review", "why")}
    said = {"kind": kind_of(planned.operation), "words": one.words, "reason": planned.reason}
    return said | {"evidence": planned.evidence, "sure": planned.sure} | ends


def _run(run: KeeperRun) -> Iterator[Line]:
    counts = f"{run.applied} done, {run.queued} to review, {run.refused} refused"
    yield f"{run.at[:16].replace('T', ' ')}  {run.keeper}: {counts} ({count_of(round(run.seconds), 'second')})"
    yield from (f"  {note}" for note in run.notes)


VIEWS: Final = {
    "keepers.list": View(_listed),
    "keepers.run": View(_report, data=_data),
    "keepers.history": View(_history),
}
