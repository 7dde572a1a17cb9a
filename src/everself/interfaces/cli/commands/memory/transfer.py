"""`everself memory export` and `import`: entries as JSON Lines, out and in."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    say_error,
    show_notices,
    this_call,
    write_out,
)
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.words import count_of, entries_of

if TYPE_CHECKING:
    from everself.memory.transfer.importer import BrokenLine, ImportReport

_SHOWN = 10


@click.command(
    "export",
    cls=Verb,
    examples=[
        ("everself memory export memory.jsonl", "into a new file"),
        ("everself memory export > memory.jsonl", "the same, by way of the shell"),
    ],
)
@click.argument("file", required=False, default="")
@click.option("--format", "kind", type=click.Choice(["jsonl"]), default="jsonl", show_default=True, help="The form.")
@agent_option
@json_option
def export(file: str, kind: str, agent: str) -> None:
    """Write every entry as one line of JSON, with all that makes it the same entry elsewhere.

    Into FILE, which must not exist yet, or to standard output. Secrets are taken out.
    """
    from everself.operations.memory import export_memory

    with opened(agent) as app:
        report = export_memory(app, "" if file == "-" else file)
        notices = recovery_notices(app)
    if report.redacted:
        notices.append(f"Secrets were taken out of {entries_of(report.redacted)}.")
    if report.path:
        answer(report, [f"Exported {entries_of(report.entries)} to {report.path} ({kind})"], notices)
        return
    # a stream is JSON Lines either way
    if report.lines:
        write_out("\n".join(report.lines))
    show_notices(notices)


@click.command(
    "import",
    cls=Verb,
    examples=[
        ("everself memory import memory.jsonl --dry-run", "see what would come in"),
        ("everself memory import memory.jsonl --as-mine", "your own memory, from another machine"),
        ("everself memory import theirs.jsonl", "somebody else's: worth no more than any file from outside"),
    ],
)
@click.argument("file")
@click.option("--as-mine", is_flag=True, help="They are your own: keep places and sources, and vouch for them.")
@click.option("--skip-broken", is_flag=True, help="Leave lines out that cannot be read, instead of importing nothing.")
@click.option("--dry-run", is_flag=True, help="Say what would come in, and change nothing.")
@agent_option
@json_option
def import_command(file: str, as_mine: bool, skip_broken: bool, dry_run: bool, agent: str) -> int:
    """Bring in the entries of an exported file, as one change.

    What is known becomes nothing, and what was forgotten on request does not come back.
    """
    from everself.memory.transfer.importer import ImportOptions
    from everself.operations.memory import import_memory

    with opened(agent) as app, _progress("Importing") as progress:
        options = ImportOptions(os.path.basename(file), as_mine, skip_broken, dry_run, progress)
        report = import_memory(app, file, options)
        notices = recovery_notices(app)
    problems = _problems(report.broken)
    if report.broken and not skip_broken:
        mend = "Mend the file, or leave them out: --skip-broken"
        trouble = EverselfError(f"Nothing was imported from {file}.", mend=mend)
        data = report if this_call().json else None
        return say_error(trouble, as_json=this_call().json, data=data, details=problems)
    notices += [*problems, *_remarks(report)]
    if report.imported and not as_mine:
        notices.append("They count as a file from outside. If they are your own: undo this, and say --as-mine.")
    answer(report, [_said(report, dry_run)], notices)
    return ExitCode.DEGRADED if report.broken or report.differing or report.withheld else ExitCode.DONE


def _said(report: "ImportReport", dry_run: bool) -> str:
    count = len(report.imported)
    did = "Would import" if dry_run else "Imported"
    known = f" {report.known} {'was' if report.known == 1 else 'were'} known." if report.known else ""
    change = f" as change {report.change}" if report.change else ""
    return f"{did} {entries_of(count)} into {count_of(len(report.paths), 'file')}{change}.{known}"


def _remarks(report: "ImportReport") -> Iterator[str]:
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


def _problems(broken: "Sequence[BrokenLine]") -> list[str]:
    said = [f"Line {one.number}: {one.problem}" for one in broken[:_SHOWN]]
    return [*said, f"and {len(broken) - _SHOWN} more."] if len(broken) > _SHOWN else said


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar at a terminal; for everybody else, none."""
    if this_call().json or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=100, label=label, file=sys.stderr) as bar:

        def tell(done: int, total: int) -> None:
            bar.update(int(100 * done / max(total, 1)) - bar.pos)

        yield tell
