"""How `everself log`, `show` and `undo` show changes."""

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Final

from everself.interfaces.rendering.lines import Line, minute, paint, paint_diff
from everself.interfaces.rendering.view import Look, View
from everself.operations.changes import ChangeLog, ShownChange, UndoReport
from everself.text.normalise import one_line
from everself.values import ChangeRecord


def _log(found: ChangeLog, look: Look) -> Iterable[Line]:
    empty = f"Nothing was changed in {found.path} yet." if found.path else "Nothing was changed yet."
    return [_listed(record, look.zone) for record in found.records] or [empty]


def _listed(record: ChangeRecord, zone: tzinfo) -> Line:
    first, more = (record.paths[0] if record.paths else ""), len(record.paths) - 1
    touched = f"{first} and {more} more" if more > 0 else first
    reason = one_line(record.reason, 60)
    told = f"  {minute(record.at, zone)}  {record.author.value:<7}  {reason}  ({one_line(touched, 60)})"
    return paint(record.id, "yellow") + told


def _shown(found: ShownChange, look: Look) -> Iterable[Line]:
    return _change(found.record, found.diff, look)


def _undone(report: UndoReport, look: Look) -> Iterator[Line]:
    if not look.agreed:
        yield from _change(report.undone, report.diff, look)
    if look.asking:
        return
    if not report.diff:
        yield "There is nothing left of it to take back."
    elif report.applied is None:
        yield f"Nothing was changed. To do it: everself undo {report.undone.id}"
    else:
        yield f"Taken back, as change {report.applied}. To have it again: everself undo {report.applied}"


def _change(record: ChangeRecord, diff: str, look: Look) -> Iterator[Line]:
    yield paint(f"change {record.id}", "yellow")
    yield f"when    {record.at.astimezone(look.zone).isoformat(sep=' ', timespec='seconds')}"
    yield f"author  {record.author.value}"
    yield f"reason  {record.reason}"
    if record.evidence:
        yield f"because {', '.join(record.evidence)}"
    if record.undoes:
        yield f"undoes  {record.undoes}"
    yield ""
    yield from paint_diff(diff)


VIEWS: Final = {
    "log": View(_log, data=lambda found: found.records),
    "show": View(_shown),
    "undo": View(_undone),
}
