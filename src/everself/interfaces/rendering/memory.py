"""Output of `everself memory export` and `import`."""

from collections.abc import Iterator, Sequence
from typing import Final

from everself.errors import EverselfError
from everself.interfaces.rendering.lines import count_of, entries_of
from everself.interfaces.rendering.view import ExitCode, Look, View
from everself.memory.transfer.importer import BrokenLine, ImportReport
from everself.operations.memory import ExportReport, Imported

_SHOWN: Final = 10


def _exported(done: ExportReport, _: Look) -> list[str]:
    return [f"Exported {entries_of(done.entries)} to {done.path} (jsonl)"]


def _stream(done: ExportReport) -> str | None:
    return None if done.path else "\n".join(done.lines)


def _taken_out(done: ExportReport) -> list[str]:
    return [f"Secrets were taken out of {entries_of(done.redacted)}."] if done.redacted else []


def _imported(done: Imported, _: Look) -> list[str]:
    report = done.report
    did = "Would import" if done.request.dry_run else "Imported"
    known = f" {report.known} {'was' if report.known == 1 else 'were'} known." if report.known else ""
    change = f" as change {report.change}" if report.change else ""
    files = count_of(len(report.paths), "file")
    return [f"{did} {entries_of(len(report.imported))} into {files}{change}.{known}"]


def _refused(done: Imported) -> EverselfError | None:
    words, mend = f"Nothing was imported from {done.request.file}.", "Mend the file, or leave them out: --skip-broken"
    return EverselfError(words, mend=mend) if done.refused else None


def _notices(done: Imported) -> Iterator[str]:
    yield from _problems(done.report.broken)
    yield from _remarks(done.report)
    if done.report.imported and not done.request.as_mine:
        yield "They count as a file from outside. If they are your own: undo this, and import them with --as-mine."


def _code(done: Imported) -> ExitCode:
    report = done.report
    if done.refused:
        return ExitCode.FAILED
    return ExitCode.DEGRADED if report.broken or report.differing or report.withheld else ExitCode.DONE


def _remarks(report: ImportReport) -> Iterator[str]:
    if report.differing:
        shown = ", ".join(report.differing[:_SHOWN])
        yield f"Other words stand here under the same id, and stay: {shown}"
    if report.forgotten:
        yield f"Forgotten on request, and not brought back: {entries_of(report.forgotten)}."
    if report.withheld:
        yield f"Left out of archives and quarantine, which takes --as-mine: {entries_of(report.withheld)}."
    if report.quarantined:
        yield f"Kept apart until you have looked at them: {entries_of(report.quarantined)} (everself review)."
    if report.redacted:
        yield f"Secrets were taken out of {entries_of(report.redacted)}."


def _problems(broken: Sequence[BrokenLine]) -> list[str]:
    said = [f"Line {one.number}: {one.problem}" for one in broken[:_SHOWN]]
    return [*said, f"and {len(broken) - _SHOWN} more."] if len(broken) > _SHOWN else said


VIEWS: Final = {
    # the output is JSON Lines in both formats
    "memory.export": View(_exported, notices=_taken_out, raw=_stream, raw_json=True),
    "memory.import": View(
        _imported,
        code=_code,
        data=lambda done: done.report,
        notices=_notices,
        error=_refused,
        details=lambda done: _problems(done.report.broken),
    ),
}
