"""Output of `everself log`, `show` and `undo`."""

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Final

import re2

from everself.interfaces.rendering.lines import Line, minute, paint, paint_diff
from everself.interfaces.rendering.view import Look, View
from everself.operations.changes import ChangeLog, ShownChange, UndoReport
from everself.text.markdown.endings import REFERENCE
from everself.text.normalise import one_line
from everself.values import ChangeRecord
from everself.workspace.layout import place

_REASON: Final = 60
_WORDS: Final = 160
_SIGNS: Final = {"-": "−", "+": "+"}


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
        brief = look.chat and "verbose" not in look.flags
        yield from (_in_words if brief else _change)(report.undone, report.diff, look)
    if look.asking:
        return
    command = "/undo" if look.chat else "everself undo"
    if not report.diff:
        yield "There is nothing left of it to take back."
    elif report.applied is None:
        yield f"Nothing was changed. To do it: {command} {report.undone.id}"
    else:
        yield f"Taken back, as change {report.applied}. To have it again: {command} {report.applied}"


def _in_words(record: ChangeRecord, diff: str, look: Look) -> Iterator[Line]:
    """The effect of an undo on the text of each file, without headings, comments and references."""
    yield f"The change of {minute(record.at, look.zone)} ({one_line(record.reason, _REASON)}). Taking it back does this:"
    told: list[Line] = []
    for part in diff.split("\n--- "):
        before, after, hunks = (*part.split("\n", 2), "", "")[:3]
        # the new name of a deleted file is none
        path = before.removeprefix("--- ").removeprefix("a/") if "/dev/null" in after else after.removeprefix("+++ b/")
        # the runtime's own notes follow from the rest
        words = list(_words_of(hunks)) if place(path).writer != "runtime" else []
        told += [f"  {path}", *words] if words else []
    yield from told or paint_diff(diff)


def _words_of(hunks: str) -> Iterator[Line]:
    words = ""
    ended: set[str] = set()
    for line in hunks.split("\n"):
        sign, text = line[:1], re2.sub(r"<!--.*?-->", "", line[1:]).strip().removeprefix("- ")
        known = re2.search(r"<!-- everself: id=(\S+).*?-->", line)
        # in logs the text of an entry stays, and the comment below it says whether it holds
        if known and not text and sign == "-" and "until=" in known[0]:
            ended.add(known[1])
        elif known and not text and sign == "+" and "until=" not in known[0] and known[1] in ended:
            yield f"    holds again: {words}"
        if text and sign != "@" and not text.startswith(("#", REFERENCE.strip())):
            words = one_line(text, _WORDS)
            yield from (f"    {_SIGNS[sign]} {words}",) if sign in _SIGNS else ()


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
