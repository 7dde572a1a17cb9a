"""Opens an agent's state database, or a read-only substitute if it is damaged, lost or not writable."""

import os

from everself.config import AgentSettings
from everself.errors import Damaged, DiskError, EverselfError, NewerSchema, UnsafePath
from everself.logs import get_logger
from everself.storage.history.commits import History
from everself.storage.host_files import ensure_folder, ensure_key, find_key
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State, open_state
from everself.storage.state.read_only_state import check_pages, open_read_only_state
from everself.workspace.relocation import finish_restore

_log = get_logger(__name__)

STATE_FILE = "state.db"
MEND = "everself doctor --fix keeps what can be read; everself restore FILE --replace brings all of it back."


def open_or_read_only(agent: AgentSettings, key_folder: str) -> tuple[State, EverselfError | None]:
    """The agent's state and, if it is read-only, the reason. Raises for a newer schema, because this version cannot interpret it."""
    path = f"{agent.state}/{STATE_FILE}"
    key = b""
    try:
        # before the database is opened: a restore may be half done
        finish_restore(agent)
        ensure_folder(agent.state)
        key = ensure_key(key_folder)
        if is_lost(agent.state):
            raise Damaged(f"{path} is missing or empty, but the history has its changes.", mend=MEND)
        opened = _open(path, key)
        _log.info("Opened agent %s: workspace %s, state %s.", agent.id, agent.workspace, agent.state)
        return opened, None
    except NewerSchema:
        raise
    except UnsafePath as error:
        why: EverselfError = Damaged(error.detail, mend=MEND)
    except Damaged as error:
        # errors of the key or of an interrupted restore have their own messages
        why = Damaged(error.detail, mend=MEND if error.detail.startswith(path) else error.mend)
    except DiskError as error:
        why = error
    _log.warning("Agent %s can only be read (%s).", agent.id, type(why).__name__)
    return open_read_only_state(path, key or _any_key(key_folder), why)


def is_lost(folder: str) -> bool:
    """Whether an existing database was lost: the history contains changes that only a database can have recorded."""
    path = f"{folder}/{STATE_FILE}"
    if os.path.lexists(path) and (not os.path.isfile(path) or os.path.getsize(path)):
        return False
    # data that is only in the write-ahead log is not lost
    if os.path.isfile(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
        return False
    return History(RealFileSystem(folder)).head() is not None


def _open(path: str, key: bytes) -> State:
    state = open_state(path, key)
    problem = ""
    try:
        problem = check_pages(state, os.path.getsize(path))
    except Damaged as error:
        problem = error.detail
    finally:
        if problem:
            state.close()
    if problem:
        raise Damaged(f"{path}: {problem}")
    return state


def _any_key(folder: str) -> bytes:
    """The key if it can be read, else a random one: a substitute state without a key cannot prove anything, so any key will do."""
    try:
        found = find_key(folder)
    except (Damaged, DiskError):
        found = None
    return found or os.urandom(32)
