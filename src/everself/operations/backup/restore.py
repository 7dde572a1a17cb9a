"""Restores an agent from a backup, completely or not at all. The replaced agent is kept.

The backup is checked first, then unpacked beside the agent, then moved into place by renames. If those are interrupted, the next start
completes them. The moves themselves are in `workspace.relocation`.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from everself.errors import (
    ChangedMeanwhile,
    Damaged,
    DiskFull,
    EverselfError,
    NewerSchema,
    RefusedByRule,
    StoreBusy,
    WrongUse,
)
from everself.frozen import Frozen
from everself.operations.backup.check import Progress, open_backup, verify
from everself.operations.backup.manifest import (
    DATABASE,
    KEY,
    STATE,
    WORKSPACE,
    Line,
    Manifest,
    identify_key,
    place_of,
)
from everself.runtime import Runtime
from everself.storage.engine import Engine
from everself.storage.filesystem import disk_errors, parent_of
from everself.storage.folders import sync_folder
from everself.storage.host_files import KEY_BYTES, KEY_FILE, ensure_folder, find_key, save_file
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import open_state
from everself.storage.writes import write_all
from everself.workspace.assembly import WRITE_LOCK
from everself.workspace.relocation import (
    RESTORE_LOCK,
    AgentFolders,
    agent_folders,
    apply_moves,
    finish_restore,
    has_content,
    kept_beside,
    plan_moves,
    remove_staging,
)

# seconds to wait for a database that is in use
_PATIENCE = 2.0


class RestoreReport(Frozen):
    """What was restored and where. `kept_beside` are the folders with the replaced agent.

    In a dry run the same fields say what would happen.
    """

    workspace: str
    state: str
    files: int
    changes: int
    kept_beside: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    dry_run: bool = False


def restore_backup(
    app: Runtime, source: str, *, replace: bool = False, dry_run: bool = False, progress: Progress | None = None
) -> RestoreReport:
    """Restore the agent from the backup. An existing agent is replaced only with `replace`, and kept beside.

    The agent must not be open in any process. `progress` receives the bytes read and the total; each file is read twice.
    """
    if vars(app).keys() & {"state", "workspace"}:
        raise WrongUse("The agent is open; a restore needs it closed.")
    if not dry_run:
        finish_restore(app.agent)
    manifest = verify(source, None if progress is None else lambda done, total: progress(done, 2 * total))
    folders = agent_folders(app.agent)
    with disk_errors(app.agent.workspace):
        _check_free(folders, replace=replace)
        if dry_run:
            key = find_key(app.places.key_folder)
            kept = kept_beside(folders, plan_moves(folders, _stamp(app)))
            return _report(app, manifest, kept, _notices(app, manifest, key), dry_run=True)
        ensure_folder(folders.above_workspace)
        ensure_folder(app.agent.state)
        with folders.lock(RESTORE_LOCK).hold():
            if os.path.lexists(f"{folders.above_state}/{folders.marker}"):
                raise ChangedMeanwhile("Another restore was cut short a moment ago.")
            remove_staging(folders)
            try:
                return _restore(app, _Job(folders, source, manifest, replace, progress))
            finally:
                # if a marker is on disk, the next start needs the staged folders
                if not os.path.lexists(f"{folders.above_state}/{folders.marker}"):
                    with suppress(OSError):
                        remove_staging(folders)


class _Job(Frozen):
    folders: AgentFolders
    source: str
    manifest: Manifest
    replace: bool
    progress: Progress | None


def _restore(app: Runtime, job: _Job) -> RestoreReport:
    folders, manifest = job.folders, job.manifest
    _check_room(folders, manifest)
    given = _unpack(job)
    key = find_key(app.places.key_folder)
    notices = [*_notices(app, manifest, key), *_look_at(folders, manifest, key or given)]
    for folder in folders.staging:
        sync_folder(RealFileSystem(folder))
        RealFileSystem(os.path.dirname(folder)).sync_directory("")
    with folders.lock(WRITE_LOCK).hold():
        _check_free(folders, replace=job.replace)
        _check_unused(folders)
        steps = plan_moves(folders, _stamp(app))
        if key is None and given is not None:
            save_file(f"{app.places.key_folder}/{KEY_FILE}", given.hex().encode() + b"\n", None)
        apply_moves(folders, steps)
    return _report(app, manifest, kept_beside(folders, steps), notices)


def _check_free(folders: AgentFolders, *, replace: bool) -> None:
    if not replace and has_content(folders):
        raise RefusedByRule(
            f"There is an agent already at {folders.above_workspace}/{folders.workspace}.",
            mend="everself restore --replace replaces it and keeps the old one beside it.",
        )


def _check_room(folders: AgentFolders, manifest: Manifest) -> None:
    for folder in (folders.above_workspace, folders.above_state):
        found = os.statvfs(folder)
        if found.f_bavail * found.f_frsize < manifest.bytes:
            raise DiskFull(f"The backup unpacks to {manifest.bytes} bytes, more than {folder} has room for.")


def _check_unused(folders: AgentFolders) -> None:
    """A process with the old database open would keep writing to it after the move."""
    path = f"{folders.above_state}/{folders.state}/{place_of(DATABASE)}"
    if not os.path.lexists(path):
        return
    try:
        Engine.open(path, exclusive=True, busy_timeout=_PATIENCE).close()
    except StoreBusy:
        raise StoreBusy(
            f"{path} is open in another process.", mend="Stop whatever runs this agent, then restore again."
        ) from None
    except EverselfError:
        # a database that cannot be opened is not in use, and may be the reason for the restore
        return


def _unpack(job: _Job) -> bytes | None:
    """Unpack everything into the staged folders. Returns the integrity key if the backup contains it."""
    roots = dict(zip((WORKSPACE, STATE), (_Unpacked(folder) for folder in job.folders.staging), strict=True))
    key = None
    done = total = job.manifest.bytes
    with open_backup(job.source) as backup:
        if backup.manifest != job.manifest:
            raise ChangedMeanwhile(f"({job.source})")
        for line in job.manifest.files:
            if line.path == KEY:
                key = _parse_key(b"".join(backup.content(line)))
            else:
                roots[_root_of(line.path)].add(line, backup.content(line))
            done += line.size
            if job.progress is not None:
                job.progress(done, 2 * total)
        for folder in job.manifest.folders:
            roots[_root_of(folder)].make(place_of(folder))
        backup.finish()
    return key


class _Unpacked:
    """A staged folder for unpacked files. Private regardless of the umask; not durable yet."""

    def __init__(self, folder: str) -> None:
        self._files = RealFileSystem(folder)
        self._files.make_directory("")
        self._made = {""}

    def add(self, line: Line, content: Iterable[bytes]) -> None:
        path = place_of(line.path)
        self.make(parent_of(path))
        handle = self._files.create(path)
        try:
            for chunk in content:
                write_all(handle, chunk)
        finally:
            handle.close()
        self._files.set_mode(path, line.mode)

    def make(self, folder: str) -> None:
        if folder not in self._made:
            self.make(parent_of(folder))
            self._files.make_directory(folder)
            self._made.add(folder)


def _look_at(folders: AgentFolders, manifest: Manifest, key: bytes | None) -> list[str]:
    """Open the unpacked database. An older schema is migrated, a newer one refused."""
    path = f"{folders.staging[1]}/{place_of(DATABASE)}"
    try:
        with open_state(path, key or bytes(KEY_BYTES)) as state:
            if key is None or identify_key(key) != manifest.key_id:
                return []
            report = state.verify_ledger(manifest.ledger)
            return [] if report.ok else [f"The ledger is not valid: {report.reason}."]
    except NewerSchema:
        raise
    except Damaged as error:
        return [f"state.db was damaged already when the backup was made: {error.detail}"]


def _notices(app: Runtime, manifest: Manifest, key: bytes | None) -> list[str]:
    found = []
    if manifest.agent != app.agent.id:
        found.append(f"It is a backup of the agent {manifest.agent}; this one is {app.agent.id}.")
    if key is None and not manifest.has_key:
        found.append(
            "This machine has no integrity key and the backup holds none, so the ledger cannot be verified: "
            f"put the old key at {app.places.key_folder}/{KEY_FILE} before the agent is used."
        )
    elif key is not None and identify_key(key) != manifest.key_id:
        found.append("The ledger was written with another integrity key, so this machine's cannot verify it.")
        if manifest.has_key:
            found.append(f"The key in the backup ({KEY}) was not used: this machine has its own key.")
    return found


def _report(
    app: Runtime, manifest: Manifest, kept: tuple[str, ...], notices: Iterable[str], *, dry_run: bool = False
) -> RestoreReport:
    return RestoreReport(
        workspace=app.agent.workspace,
        state=app.agent.state,
        files=manifest.documents,
        changes=manifest.ledger.seq,
        kept_beside=kept,
        notices=tuple(notices),
        dry_run=dry_run,
    )


def _parse_key(data: bytes) -> bytes:
    try:
        key = bytes.fromhex(data.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Damaged(f"{KEY} in the backup is not a key.")
    return key


def _root_of(path: str) -> str:
    return path.partition("/")[0] + "/"


def _stamp(app: Runtime) -> str:
    return f"{app.clock.now():%Y-%m-%d-%H%M%S}"
