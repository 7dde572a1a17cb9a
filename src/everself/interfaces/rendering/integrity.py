"""How `everself soul verify` shows what was changed outside, and what became of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import Line, count_of, paint, paint_diff
from everself.interfaces.rendering.view import ExitCode, Look, View

if TYPE_CHECKING:
    from everself.operations.integrity import Verified


def _lines(found: "Verified", _: Look) -> Iterator[Line]:
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


def _code(found: "Verified") -> ExitCode:
    return ExitCode.DONE if found.report.ok else ExitCode.DEGRADED


VIEWS: Final = {"soul.verify": View(_lines, code=_code, data=lambda found: found.report)}
