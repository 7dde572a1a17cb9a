"""Output of `everself doctor`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from everself.errors import EverselfError
from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.view import ExitCode, Look, View
from everself.operations.doctor import DoctorReport
from everself.values import Finding

_COLOURS: Final = {"error": "red", "warning": "yellow", "note": "cyan"}


def _lines(report: DoctorReport, _: Look) -> Iterable[Line]:
    return [*_described(report.fixed, "mended"), *_described(report.findings), _conclusion(report.findings)]


def _error(report: DoctorReport) -> EverselfError | None:
    errors = sum(one.severity == "error" for one in report.findings)
    return EverselfError(f"{count_of(errors, 'error')} found.", mend="everself doctor") if errors else None


def _code(report: DoctorReport) -> ExitCode:
    severities = {one.severity for one in report.findings}
    if "error" in severities:
        return ExitCode.FAILED
    return ExitCode.DEGRADED if "warning" in severities else ExitCode.DONE


def _described(findings: Sequence[Finding], label: str = "") -> Iterator[Line]:
    for one in findings:
        colour = "green" if label else _COLOURS[one.severity]
        place = f"{one.path}: " if one.path and one.path not in one.message else ""
        yield paint(label or one.severity, colour) + f": {place}{one.message}"
        if one.mend and not label:
            yield f"  → {one.mend}"


def _conclusion(findings: Sequence[Finding]) -> str:
    if not findings:
        return "All is well."
    counts = {name: sum(one.severity == name for one in findings) for name in _COLOURS}
    said = [count_of(count, name) for name, count in counts.items() if count]
    fixable = sum(one.fixable for one in findings)
    mends = f" everself doctor --fix mends {fixable} of them." if fixable else ""
    return f"{', '.join(said)}.{mends}"


VIEWS: Final = {"doctor": View(_lines, code=_code, error=_error)}
