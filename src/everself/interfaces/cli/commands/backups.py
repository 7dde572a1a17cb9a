"""`everself backup` and `everself restore`: one agent in one file, and back."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices, this_call
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.operations.backup.create import BackupReport
    from everself.operations.backup.restore import RestoreReport


@click.command(
    "backup",
    cls=Verb,
    examples=[
        ("everself backup", "into this folder, under a name with the date"),
        ("everself backup ~/backups", "into another folder"),
        ("everself backup agent.tar.gz --with-key", "with the key, to move the agent to a new machine"),
    ],
)
@click.argument("file", required=False, default=".")
@click.option("--with-key", is_flag=True, help="Put the integrity key in too; keep such a file as safe as a password.")
@agent_option
@json_option
def backup(file: str, with_key: bool, agent: str) -> int:
    """Save an agent in one file: workspace, history and state.

    The agent may go on working meanwhile. No file is overwritten, and the backup is read back before it gets its name.
    """
    from everself.operations.backup.create import make_backup

    with opened(agent) as app, _progress("Saving") as progress:
        report = make_backup(app, file, with_key=with_key, progress=progress)
        notices = [*recovery_notices(app), *report.notices]
    notices += [f"Left out: {one.path} ({one.reason})" for one in report.left_out]
    lines = [f"Saved {_contents(report)} ({_size(report.bytes)}) in {report.path}"]
    answer(report, lines, notices)
    return _code([*report.notices, *report.left_out])


@click.command(
    "restore",
    cls=Verb,
    examples=[
        ("everself restore agent.tar.gz --dry-run", "check the whole file, and say what would happen"),
        ("everself restore agent.tar.gz", "where there is no agent yet"),
        ("everself restore agent.tar.gz --replace", "in the place of the agent there is, which is kept beside"),
    ],
)
@click.argument("file")
@agent_option
@click.option("--workspace", metavar="PATH", default="", help="The folder to use; remembered in the host file.")
@click.option("--replace", is_flag=True, help="Replace the agent that is there; it is kept beside, not deleted.")
@click.option("--dry-run", is_flag=True, help="Check the file and say what would happen, and change nothing.")
@json_option
def restore(file: str, agent: str, workspace: str, replace: bool, dry_run: bool) -> int:
    """Put an agent back as a backup holds it.

    Every bit of the file is checked before anything is touched. It happens whole or not at all.
    """
    from everself.operations.backup.restore_agent import RestoreOptions, bring_back
    from everself.operations.settings import host_file

    with _progress("Restoring") as progress:
        done = bring_back(file, agent, workspace, RestoreOptions(replace, dry_run, progress))
    report = done.report
    notices = list(report.notices)
    if done.remembered:
        notices.append(f"Remembered in {host_file()}: {', '.join(done.remembered)}")
    did = "The backup is whole. It would restore" if dry_run else "Restored"
    lines = [f"{did} {_contents(report)} in {report.workspace}"]
    keeps = "What is there would be kept in" if dry_run else "What was there is kept in"
    lines += [f"{keeps} {folder}" for folder in report.kept_beside]
    answer(report, lines, notices)
    return _code(report.notices)


def _code(warnings: Sequence[object]) -> ExitCode:
    return ExitCode.DEGRADED if warnings else ExitCode.DONE


def _contents(report: "BackupReport | RestoreReport") -> str:
    return f"{count_of(report.files, 'file')} and {count_of(report.changes, 'change')}"


def _size(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{max(count // 1000, 1)} kB"


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
