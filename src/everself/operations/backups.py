"""Operations: backup and restore."""

from typing import Annotated

from everself.operations.backup.create import BackupReport, make_backup
from everself.operations.backup.restore import RestoreReport, restore_backup
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, Tell, terminal_writes
from everself.operations.home import Home
from everself.operations.settings import AGENT
from everself.operations.setup import FOLDER, prepare
from everself.runtime import Runtime
from everself.values import Author


class BackupRequest(Request):
    file: Annotated[str, Argument("A new file, or a folder for one with the usual name.", "[FILE]")] = "."
    with_key: Annotated[bool, Option("Include the integrity key; protect such a file like a password.")] = False


@terminal_writes("backup", progress="Saving")
def back_up(runtime: Runtime, _: Caller, request: BackupRequest, tell: Tell | None = None) -> BackupReport:
    """Save an agent in one file: workspace, history and state.

    The agent may keep running. No file is overwritten, and the backup is verified before it gets its name.

    $ everself backup  # into this folder, under a name with the date
    $ everself backup ~/backups  # into another folder
    $ everself backup agent.tar.gz --with-key  # with the key, to move the agent to a new machine
    """
    return make_backup(runtime, request.file, with_key=request.with_key, progress=tell)


class BroughtBack(Result):
    """The report of the restore, and the settings that were saved to the host file."""

    report: RestoreReport
    remembered: tuple[str, ...]
    host_file: str


class RestoreRequest(Request):
    file: Annotated[str, Argument("The backup.")]
    agent: Annotated[str, AGENT] = ""
    workspace: Annotated[str, FOLDER] = ""
    replace: Annotated[bool, Option("Replace the existing agent; it is kept beside, not deleted.")] = False
    dry_run: Annotated[bool, Option("Check the file and say what would happen, and change nothing.")] = False


@terminal_writes("restore", on="home", progress="Restoring")
def bring_back(home: Home, _: Caller, request: RestoreRequest, tell: Tell | None = None) -> BroughtBack:
    """Restore an agent from a backup.

    The whole file is checked before anything is changed. The restore happens completely or not at all.

    $ everself restore agent.tar.gz --dry-run  # check the whole file, and say what would happen
    $ everself restore agent.tar.gz  # where there is no agent yet
    $ everself restore agent.tar.gz --replace  # in the place of the agent there is, which is kept beside
    """
    prepared = prepare(home, request.agent, request.workspace)
    with prepared.app as app:
        report = restore_backup(app, request.file, replace=request.replace, dry_run=request.dry_run, progress=tell)
        # restoring means that the older documents are wanted; if the key or ledger does not match, the owner is told and decides
        if not request.dry_run and not report.notices:
            app.integrity.accept(by=Author.OWNER)
    return BroughtBack(report, () if request.dry_run else prepared.remember(), home.places.host_file)
