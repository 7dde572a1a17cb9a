"""`manifest.json`, the first member of a backup: metadata, and each file with its size and hash. Pure.

A manifest may come from another machine, so names and sizes are validated before use.
"""

import hmac
import json
from datetime import datetime
from typing import Final

from everself.errors import Damaged, NewerSchema
from everself.frozen import Frozen
from everself.storage.archive import Member
from everself.storage.paths import find_fault
from everself.storage.state.ledger import LedgerHead

MANIFEST: Final = "manifest.json"
FORMAT: Final = "everself backup"
VERSION: Final = 1
# about three hundred thousand files
LIMIT: Final = 64 * 1024 * 1024
KEY_LIMIT: Final = 4096

WORKSPACE: Final = "workspace/"
STATE: Final = "state/"
DATABASE: Final = "state/state.db"
HISTORY: Final = "state/history.git/"
KEY: Final = "keys/integrity.key"

_HEX: Final = frozenset("0123456789abcdef")


class Line(Frozen):
    """One file of the backup, named as in the archive."""

    path: str
    size: int
    sha256: str
    mode: int
    mtime: int

    @property
    def member(self) -> Member:
        return Member(self.path, self.size, self.mode, self.mtime)


class Manifest(Frozen):
    everself: str
    agent: str
    created_at: str
    ledger: LedgerHead
    # the newest commit; empty if there is no history yet
    history: str
    key_id: str
    files: tuple[Line, ...]
    # only empty folders; the others follow from the files
    folders: tuple[str, ...]

    @property
    def documents(self) -> int:
        """The number of files of the workspace."""
        return sum(line.path.startswith(WORKSPACE) for line in self.files)

    @property
    def bytes(self) -> int:
        return sum(line.size for line in self.files)

    @property
    def has_key(self) -> bool:
        return any(line.path == KEY for line in self.files)


def identify_key(key: bytes) -> str:
    """An identifier of an integrity key that reveals nothing about it."""
    return hmac.digest(key, b"which key this is", "sha256").hex()[:16]


def render_manifest(manifest: Manifest) -> bytes:
    """Readable JSON with one file per line."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "everself": manifest.everself,
        "agent": manifest.agent,
        "created_at": manifest.created_at,
        "ledger": {"seq": manifest.ledger.seq, "mac": manifest.ledger.mac},
        "history": manifest.history,
        "key_id": manifest.key_id,
        "counts": {"files": len(manifest.files), "documents": manifest.documents, "bytes": manifest.bytes},
        "folders": manifest.folders,
    }
    lines = [
        {"path": one.path, "size": one.size, "sha256": one.sha256, "mode": f"{one.mode:04o}", "mtime": one.mtime}
        for one in manifest.files
    ]
    top = json.dumps(head, indent=1, ensure_ascii=False)[: -len("\n}")]
    rows = ",\n".join("  " + json.dumps(line, ensure_ascii=False) for line in lines)
    return f'{top},\n "files": [\n{rows}\n ]\n}}\n'.encode()


def parse_manifest(data: bytes) -> Manifest:
    """Inverse of `render_manifest`. Raises Damaged if a name or number is invalid."""
    try:
        given = json.loads(data)
        if given["format"] != FORMAT:
            raise Damaged(f"{MANIFEST} is not that of a backup.")
        if given["version"] != VERSION:
            raise NewerSchema(f"It is a backup of version {given['version']}.", mend="Update Everself, then restore.")
        found = Manifest(
            everself=_text(given["everself"]),
            agent=_text(given["agent"]),
            created_at=datetime.fromisoformat(_text(given["created_at"])).isoformat(),
            ledger=LedgerHead(_number(given["ledger"]["seq"]), _hash(given["ledger"]["mac"])),
            history=_text(given["history"]),
            key_id=_text(given["key_id"]),
            files=tuple(_line(one) for one in given["files"]),
            folders=tuple(_text(one) for one in given["folders"]),
        )
        counts = {"files": len(found.files), "documents": found.documents, "bytes": found.bytes}
        if given["counts"] != counts:
            raise Damaged(f"{MANIFEST} does not count right.")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(f"{MANIFEST} cannot be read ({type(error).__name__}).") from error
    _check_names(found)
    return found


def place_of(path: str) -> str:
    """The path without its first part (workspace, state or keys)."""
    return path.partition("/")[2]


def _line(given: dict[str, object]) -> Line:
    mode = int(_text(given["mode"]), 8)
    if mode not in (0o600, 0o700):
        raise ValueError("a mode that no backup has")
    return Line(_text(given["path"]), _number(given["size"]), _hash(given["sha256"]), mode, _number(given["mtime"]))


def _check_names(manifest: Manifest) -> None:
    names = [line.path for line in manifest.files]
    folders = list(manifest.folders)
    if names != sorted(set(names)) or folders != sorted(set(folders)):
        raise Damaged(f"{MANIFEST} names a file twice.")
    if any(line.path == KEY and line.size > KEY_LIMIT for line in manifest.files):
        raise Damaged(f"{KEY} is too long for a key.")
    if DATABASE not in names:
        raise Damaged("The backup holds no state.db.")
    above = {
        "/".join(parts[:n]) for name in names + folders for parts in [name.split("/")] for n in range(1, len(parts))
    }
    if above & set(names) or set(folders) & (above | set(names)):
        raise Damaged(f"{MANIFEST} names a file that is a folder as well.")
    for name in names + folders:
        inside = name.startswith((WORKSPACE, HISTORY)) or (name in names and name in (DATABASE, KEY))
        fault = find_fault(place_of(name)) if inside else "a backup has no files there"
        if fault:
            raise Damaged(f"{name[:200]!a} is not a valid file name in a backup: {fault}.")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("no number")
    return value


def _hash(value: object) -> str:
    text = _text(value)
    if len(text) != 64 or not _HEX.issuperset(text):
        raise ValueError("no hash")
    return text
