"""`everself log`, `show` and `undo`: what happened to the workspace, and taking one of it back."""

import shlex
import sys
from collections.abc import Iterator
from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from everself.errors import ChangedMeanwhile, Interrupted, RefusedByRule
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    this_call,
)
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.lines import Line, paint, paint_diff

if TYPE_CHECKING:
    from everself.operations.changes import UndoReport
    from everself.values import ChangeRecord

_MOST = 100_000


@click.command(
    "log",
    cls=Verb,
    examples=[
        ("everself log", "the last 20 changes"),
        ("everself log --path MEMORY.md --limit 5", "the last five of one file"),
    ],
)
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many at most.")
@click.option("--path", metavar="PATH", default="", help="Only changes of this file, named as in the workspace.")
@agent_option
@json_option
def log(limit: int, path: str, agent: str) -> None:
    """List what was changed, newest first."""
    from everself.operations.changes import Changes

    with opened(agent) as app:
        within = path.removeprefix(f"{app.agent.workspace}/").removeprefix("./")
        records = list(Changes(app.workspace).log(limit, within or None))
        notices = recovery_notices(app)
        zone = app.clock.zone
    lines = [_line(record, zone) for record in records]
    empty = f"Nothing was changed in {within} yet." if within else "Nothing was changed yet."
    answer(records, lines or [empty], notices)


@click.command(
    "show",
    cls=Verb,
    examples=[("everself show last", "the newest change"), ("everself show 7K3Q", "the change whose id begins so")],
)
@click.argument("identity", metavar="ID")
@agent_option
@json_option
def show(identity: str, agent: str) -> None:
    """Show one change, line by line."""
    from everself.operations.changes import Changes

    with opened(agent) as app:
        shown = Changes(app.workspace).show(identity)
        notices = recovery_notices(app)
        zone = app.clock.zone
    answer(shown, [*_head(shown.record, zone), "", *paint_diff(shown.diff)], notices)


@click.command(
    "undo",
    cls=Verb,
    examples=[
        ("everself undo last --dry-run", "see what taking the last change back would do"),
        ("everself undo 7K3QX9M2ABCD --yes", "take one change back without being asked"),
    ],
)
@click.argument("identity", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def undo(identity: str, dry_run: bool, yes: bool, agent: str) -> None:
    """Take one change back and keep what came after it.

    Undoing is a change of its own, and can be undone. At a terminal you see it first and are asked.
    """
    from everself.operations.changes import Changes

    asks = not (dry_run or yes or this_call().json) and sys.stdin.isatty()
    with opened(agent) as app:
        zone = app.clock.zone
        if asks:
            planned = Changes(app.workspace).undo(identity, dry_run=True)
            _object(planned)
            identity = planned.undone.id
            show_lines([*_head(planned.undone, zone), "", *paint_diff(planned.diff)])
            # on stderr, where it is seen even when the rest goes into a file
            if planned.diff and not click.confirm("Take it back?", err=True):
                raise Interrupted("Nothing was changed.")
        report = Changes(app.workspace).undo(identity, dry_run=dry_run)
        notices = recovery_notices(app)
    _object(report)
    seen: list[Line] = [] if asks else [*_head(report.undone, zone), "", *paint_diff(report.diff)]
    answer(report, [*seen, _conclusion(report, dry_run)], notices)


def _object(report: "UndoReport") -> None:
    if report.conflicts:
        first = shlex.quote(report.conflicts[0])
        raise ChangedMeanwhile(
            f"Later changes stand in the same lines of {', '.join(report.conflicts)}.",
            mend=f"Undo those first: everself log --path {first}",
        )
    if report.refused:
        raise RefusedByRule("; ".join(report.refused))


def _conclusion(report: "UndoReport", dry_run: bool) -> str:
    if not report.diff:
        return "There is nothing left of it to take back."
    if dry_run:
        return f"Nothing was changed. To do it: everself undo {report.undone.id}"
    return f"Taken back, as change {report.applied}. To have it again: everself undo {report.applied}"


def _line(record: "ChangeRecord", zone: tzinfo) -> Line:
    from everself.text import one_line

    when = record.at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
    first, more = (record.paths[0] if record.paths else ""), len(record.paths) - 1
    touched = f"{first} and {more} more" if more > 0 else first
    reason = one_line(record.reason, 60)
    told = f"  {when}  {record.author.value:<7}  {reason}  ({one_line(touched, 60)})"
    return paint(record.id, "yellow") + told


def _head(record: "ChangeRecord", zone: tzinfo) -> Iterator[Line]:
    yield paint(f"change {record.id}", "yellow")
    yield f"when    {record.at.astimezone(zone).isoformat(sep=' ', timespec='seconds')}"
    yield f"author  {record.author.value}"
    yield f"reason  {record.reason}"
    if record.evidence:
        yield f"because {', '.join(record.evidence)}"
    if record.undoes:
        yield f"undoes  {record.undoes}"
