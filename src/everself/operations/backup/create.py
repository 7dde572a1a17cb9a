"""Makes a backup: a consistent copy of an agent in one file, while the agent keeps running.

Most files are copied first. The last pass is made under the lock that every change takes, so that documents, ledger and history agree and
the lock is held briefly. The archive gets its name only after it was read back and verified.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from everself import __version__
from everself.errors import ChangedMeanwhile, Damaged, NotFound, RefusedByRule, TooLarge
from everself.frozen import Frozen
from everself.operations.backup.check import Progress, verify
from everself.operations.backup.manifest import (
    DATABASE,
    KEY,
    LIMIT,
    MANIFEST,
    STATE,
    WORKSPACE,
    Line,
    Manifest,
    identify_key,
    render_manifest,
)
from everself.runtime import Runtime
from everself.storage.archive import ArchiveWriter, Member
from everself.storage.database_copy import check_database, copy_database
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors
from everself.storage.history.commits import FOLDER as HISTORY_FOLDER
from everself.storage.history.commits import History
from everself.storage.host_files import KEY_FILE, find_key, is_inside
from everself.storage.journal import Journal
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.spool import CopiedFile, Copier, SkippedPath, Spool, TreeCopy
from everself.storage.state.ledger import LedgerHead
from everself.storage.writes import discard
from everself.values import digest
from everself.workspace.assembly import HISTORY_LOCK, WRITE_LOCK

BACKUP_LOCK = "backup.lock"
_DATABASE_COPY = f"{TEMPORARY_PREFIX}backup.db"
_TRIES = 20


class BackupReport(Frozen):
    """`files` counts the workspace's files, `bytes` is the size of the archive, `changes` the number of ledger rows."""

    path: str
    files: int
    bytes: int
    changes: int
    left_out: tuple[SkippedPath, ...] = ()
    notices: tuple[str, ...] = ()


class _Moment(Frozen):
    """The state of the agent while nothing could be written. The database was copied beside the original."""

    documents: TreeCopy
    history: TreeCopy
    ledger: LedgerHead
    commit: str


class _Target(Frozen):
    """The path of the backup, and temporary names in the same folder."""

    files: RealFileSystem
    name: str
    prefix: str

    @property
    def path(self) -> str:
        return os.path.join(self.files.root, self.name)

    @property
    def part(self) -> str:
        return f"{self.prefix}part"

    @property
    def spool(self) -> str:
        return f"{self.prefix}spool"


def default_name(app: Runtime) -> str:
    return f"everself-{app.agent.id}-{app.clock.now():%Y-%m-%d-%H%M%S}.tar.gz"


def make_backup(app: Runtime, target: str, *, with_key: bool = False, progress: Progress | None = None) -> BackupReport:
    """Save the agent in a new file. If `target` is a folder, the file gets a default name there. Never overwrites.

    `progress` receives the bytes packed and the total. A failure leaves no files behind.
    """
    app.workspace.recover()
    if isinstance(app.impaired, Damaged):
        # the database is a substitute for a damaged one; restoring it would look like a complete agent
        raise app.impaired
    place = _choose(app, target)
    state = RealFileSystem(app.agent.state)
    with disk_errors(target), FileLock(f"{app.agent.state}/{BACKUP_LOCK}").hold():
        # only the holder of the lock makes a backup of this agent, so other files with these names are leftovers
        _sweep(place, state)
        spool = Spool(place.files, place.spool)
        try:
            moment = _take(app, spool, state)
            return _pack(app, place, spool, moment, (with_key, progress))
        finally:
            spool.close()
            with suppress(OSError):
                _sweep(place, state)


def _choose(app: Runtime, target: str) -> _Target:
    with disk_errors(target):
        if os.path.isdir(target):
            target = os.path.join(target, default_name(app))
        folder, name = os.path.split(os.path.abspath(target))
        if not os.path.isdir(folder):
            raise NotFound(f"folder {folder} for the backup.", mend=f"mkdir -p '{folder}'")
        for path, what in ((app.agent.workspace, "workspace"), (app.agent.state, "state")):
            if is_inside(folder, path):
                raise RefusedByRule(
                    f"{target} lies in the {what} that is to be saved.", mend="Name a file somewhere else."
                )
        if os.path.lexists(target):
            raise RefusedByRule(f"{target} exists, and a backup never overwrites.", mend="Name another file.")
        # two agents may be saved into one folder at once; the mark tells their temporary files apart
        mark = digest(os.path.realpath(app.agent.state).encode("utf-8", "surrogateescape"))[:12]
        return _Target(RealFileSystem(folder), name, f"{TEMPORARY_PREFIX}backup-{mark}-")


def _sweep(place: _Target, state: RealFileSystem) -> None:
    discard(state, (_DATABASE_COPY, f"{_DATABASE_COPY}-journal"))
    discard(place.files, (place.part, place.spool))


def _take(app: Runtime, spool: Spool, state: RealFileSystem) -> _Moment:
    documents = Copier(spool, RealFileSystem(app.agent.workspace), skip=_own_folders(app))
    history = Copier(spool, state, HISTORY_FOLDER)
    documents.take()
    history.take()
    with _stillness(app, state):
        copy_database(app.state.engine, f"{app.agent.state}/{_DATABASE_COPY}")
        return _Moment(documents.take(), history.take(), app.state.ledger_head(), History(state).head() or "")


@contextmanager
def _stillness(app: Runtime, state: RealFileSystem) -> Iterator[None]:
    """Wait until no change is under way and all are in the history, and keep it so."""
    journal = Journal(state)
    for _ in range(_TRIES):
        app.workspace.recover()
        with FileLock(f"{app.agent.state}/{WRITE_LOCK}").hold():
            app.workspace.close()
            # a process that was killed may have left an unfinished change; recovery does not need the lock
            if journal.unfinished_count() == 0:
                with FileLock(f"{app.agent.state}/{HISTORY_LOCK}").hold():
                    if journal.waiting_count() == 0:
                        yield
                        return
    raise ChangedMeanwhile("Some changes stay half done.", mend="everself doctor")


def _pack(
    app: Runtime, place: _Target, spool: Spool, moment: _Moment, options: tuple[bool, Progress | None]
) -> BackupReport:
    with_key, progress = options
    notices = check_database(f"{app.agent.state}/{_DATABASE_COPY}")
    copies = {f"{WORKSPACE}{one.path}": one for one in moment.documents.files}
    copies |= {f"{STATE}{one.path}": one for one in moment.history.files}
    copies[DATABASE] = _copy_whole(spool, app.agent.state, _DATABASE_COPY)
    if with_key:
        copies[KEY] = _copy_whole(spool, app.places.key_folder, KEY_FILE)
    files = tuple(Line(path, one.size, one.sha256, one.mode, one.mtime) for path, one in sorted(copies.items()))
    key = find_key(app.places.key_folder)
    folders = [f"{WORKSPACE}{path}" for path in moment.documents.empty_folders]
    folders += [f"{STATE}{path}" for path in moment.history.empty_folders]
    manifest = Manifest(
        everself=__version__,
        agent=app.agent.id,
        created_at=app.clock.now().isoformat(timespec="seconds"),
        ledger=moment.ledger,
        history=moment.commit,
        key_id=identify_key(key) if key else "",
        files=files,
        folders=tuple(sorted(folders)),
    )
    size = _write(place, spool, manifest, copies, progress)
    notices += [f"{path} changed all the while it was copied." for path, one in copies.items() if not one.steady]
    left_out = (
        *moment.documents.left_out,
        *(SkippedPath(f"{STATE}{one.path}", one.reason) for one in moment.history.left_out),
    )
    return BackupReport(
        path=place.path,
        files=manifest.documents,
        bytes=size,
        changes=moment.ledger.seq,
        left_out=tuple(SkippedPath(_shown(one.path), one.reason) for one in left_out),
        notices=tuple(notices),
    )


def _copy_whole(spool: Spool, folder: str, name: str) -> CopiedFile:
    """Copy one of Everself's own files, which cannot change now."""
    files = RealFileSystem(folder)
    found = files.stat(name)
    if found is None:
        raise NotFound(f"{folder}/{name}.")
    offset, size, hashed = spool.put(files, found)
    return CopiedFile(name, size, hashed, 0o600, found.mtime_ns // 10**9, offset)


def _write(
    place: _Target, spool: Spool, manifest: Manifest, copies: dict[str, CopiedFile], progress: Progress | None
) -> int:
    """Pack, read back, then give the archive its name. Returns its size."""
    head = render_manifest(manifest)
    if len(head) > LIMIT:
        raise TooLarge(f"{len(manifest.files)} files are more than a backup takes.")
    handle = place.files.create(place.part)
    try:
        archive = ArchiveWriter(handle)
        archive.add(Member(MANIFEST, len(head)), [head])
        done, total = 0, manifest.bytes
        for line in manifest.files:
            archive.add(line.member, spool.read(copies[line.path]))
            done += line.size
            if progress is not None:
                progress(done, total)
        archive.finish()
        size = handle.stat().size
    finally:
        handle.close()
    if verify(os.path.join(place.files.root, place.part)) != manifest:
        raise Damaged("The archive does not read as it was written.", mend="Check the disk, then try again.")
    try:
        place.files.publish(place.part, place.name)
    except FileExistsError:
        raise RefusedByRule(f"{place.path} exists, and a backup never overwrites.", mend="Name another file.") from None
    place.files.sync_directory("")
    return size


def _own_folders(app: Runtime) -> frozenset[str]:
    """Everself's own folders and files that lie inside the workspace."""
    top = os.path.realpath(app.agent.workspace)
    own = [app.agent.state, os.path.dirname(app.agent.state), app.places.key_folder]
    # derived data, which is made again if it is missing
    own += [app.models_folder, *_index_files(app)]
    return frozenset(os.path.relpath(os.path.realpath(path), top) for path in own if is_inside(path, top))


def _index_files(app: Runtime) -> list[str]:
    path = app.agent.search.store_path
    folder, name = os.path.split(path)
    found = [one for one in os.listdir(folder) if one.startswith(name)] if os.path.isdir(folder) else []
    return [path, f"{path}.lock", f"{path}-journal", *(f"{folder}/{one}" for one in found)]


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()
