"""`everself doctor`: what is wrong, in words, with the command that mends it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import agent_option, answer, json_option, say_error, this_call
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.values import Finding

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command(
    "doctor",
    cls=Verb,
    examples=[
        ("everself doctor", "look, and change nothing"),
        ("everself doctor --fix", "mend what can be mended without a decision of yours"),
    ],
)
@click.option("--fix", is_flag=True, help="Mend what can be mended without a decision of yours.")
@agent_option
@json_option
def doctor(fix: bool, agent: str) -> int:
    """Look for what is wrong, and say what mends it.

    The exit code is 0 when all is well, 6 when there are warnings, 1 when there are errors.
    """
    from everself.operations.doctor import examine

    report = examine(agent, fix=fix)
    code = _code(report.findings)
    errors = sum(one.severity == "error" for one in report.findings)
    if code is ExitCode.FAILED and this_call().json:
        trouble = EverselfError(f"{count_of(errors, 'error')} found.", mend="everself doctor")
        say_error(trouble, as_json=True, data=report)
        return code
    lines = [*_described(report.fixed, "mended"), *_described(report.findings), _conclusion(report.findings)]
    answer(report, lines)
    return code


def _code(findings: Sequence["Finding"]) -> ExitCode:
    severities = {one.severity for one in findings}
    if "error" in severities:
        return ExitCode.FAILED
    return ExitCode.DEGRADED if "warning" in severities else ExitCode.DONE


def _described(findings: Sequence["Finding"], label: str = "") -> Iterator[Line]:
    for one in findings:
        colour = "green" if label else _COLOURS[one.severity]
        place = f"{one.path}: " if one.path and one.path not in one.message else ""
        yield paint(label or one.severity, colour) + f": {place}{one.message}"
        if one.mend and not label:
            yield f"  → {one.mend}"


def _conclusion(findings: Sequence["Finding"]) -> str:
    if not findings:
        return "All is well."
    counts = {name: sum(one.severity == name for one in findings) for name in _COLOURS}
    said = [count_of(count, name) for name, count in counts.items() if count]
    fixable = sum(one.fixable for one in findings)
    mends = f" everself doctor --fix mends {fixable} of them." if fixable else ""
    return f"{', '.join(said)}.{mends}"
