"""The verb restore as a person calls it: for a new agent or an old one, here or elsewhere, remembered in the host file."""

from dataclasses import dataclass

from everself.operations.backup.check import Progress
from everself.operations.backup.restore import RestoreReport, restore_backup
from everself.operations.setup import prepare
from everself.values import Author


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """How a backup is brought back; see `restore_backup`."""

    replace: bool = False
    dry_run: bool = False
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """What restore did, and which settings the host file got so that it holds tomorrow."""

    report: RestoreReport
    remembered: tuple[str, ...]


_PLAINLY = RestoreOptions()


def bring_back(source: str, agent: str = "", workspace: str = "", options: RestoreOptions = _PLAINLY) -> BroughtBack:
    """Make the agent what a backup holds, adding it where nobody knew it, in the folder that is named, known or usual."""
    prepared = prepare(agent, workspace)
    with prepared.app as app:
        report = restore_backup(
            app, source, replace=options.replace, dry_run=options.dry_run, progress=options.progress
        )
        # whoever restores wants the older words; where key or ledger do not match, they are told and decide
        if not options.dry_run and not report.notices:
            app.integrity.accept(by=Author.OWNER)
    return BroughtBack(report, () if options.dry_run else prepared.remember())
