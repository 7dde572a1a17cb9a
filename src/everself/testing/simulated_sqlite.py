"""SQLite on a simulated disk, so that a power cut hits database and documents alike.

An apsw VFS has no shared memory, so such a database is opened in exclusive mode. A power cut reaches SQLite as an
input/output error, because a BaseException must not cross its C code.
"""

import errno

import apsw

from everself.storage.simulated_disk import Node, PowerCut, SimulatedFileSystem
from everself.testing.faulty_disk import Meddle


class _File:
    """One open database file."""

    def __init__(self, vfs: "SimulatedVFS", number: int, path: str, *, delete: bool) -> None:
        self._vfs = vfs
        self._files = vfs.files
        self._number = number
        self._path = path
        self._delete = delete

    @property
    def _node(self) -> Node:
        return self._files.disk.nodes[self._number]

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 — the name is SQLite's
        return bytes(self._node.content[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 — as above
        self._vfs.allow("write", self._path)
        room = self._files.disk.room()
        if room is not None and offset + len(data) > len(self._node.content) + room:
            raise apsw.FullError(f"{self._path} does not fit")
        self._node.write_at(offset, bytes(data))

    def xTruncate(self, size: int) -> None:  # noqa: N802 — as above
        self._vfs.allow("truncate", self._path)
        self._node.cut_to(size)

    def xSync(self, _: int) -> None:  # noqa: N802 — as above
        self._vfs.allow("sync", self._path)
        self._node.sync()

    def xFileSize(self) -> int:  # noqa: N802 — as above
        return len(self._node.content)

    def xClose(self) -> None:  # noqa: N802 — as above
        if self._delete:
            self._files.unlink(self._path)

    def xLock(self, _: int) -> None:  # noqa: N802 — as above
        return

    def xUnlock(self, _: int) -> None:  # noqa: N802 — as above
        return

    def xCheckReservedLock(self) -> bool:  # noqa: N802 — as above
        return False

    def xFileControl(self, *_: int) -> bool:  # noqa: N802 — as above
        return False

    def xSectorSize(self) -> int:  # noqa: N802 — as above
        return 512

    def xDeviceCharacteristics(self) -> int:  # noqa: N802 — as above
        return 0


class SimulatedVFS(apsw.VFS):
    """Database files in a rooted simulated file system; names lose their leading slash."""

    def __init__(self, name: str, files: SimulatedFileSystem, meddle: Meddle | None = None) -> None:
        super().__init__(name, "")
        self.name = name
        self.files = files
        self._meddle = meddle

    def allow(self, call: str, path: str) -> None:
        """Raise the error that SQLite sees on a power cut or an injected fault."""
        try:
            self.files.disk.check_power()
            if self._meddle is not None:
                self._meddle(call, path)
        except PowerCut as cut:
            raise apsw.IOError("no power") from cut
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise (apsw.FullError if full else apsw.IOError)(str(error)) from error

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:  # type: ignore[override] # noqa: N802 — a file of ours is no apsw.VFSFile
        self.allow("open", "")
        path = _plain(name) or f"temporary-{id(flags)}"
        if self.files.stat(path) is None:
            if not flags[0] & apsw.SQLITE_OPEN_CREATE:
                raise apsw.CantOpenError(path)
            self.files.create(path)
            self.files.sync_directory("")
        flags[1] = flags[0]
        delete = bool(flags[0] & apsw.SQLITE_OPEN_DELETEONCLOSE)
        return _File(self, self.files.number(path), path, delete=delete)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802 — the name is SQLite's
        self.allow("unlink", _plain(name))
        path = _plain(name)
        if self.files.stat(path) is None:
            raise apsw.IOError(path)
        self.files.unlink(path)
        if sync:
            self.files.sync_directory("")

    def xAccess(self, name: str, _: int) -> bool:  # noqa: N802 — as above
        self.allow("stat", _plain(name))
        return self.files.stat(_plain(name)) is not None

    def xFullPathname(self, name: str) -> str:  # noqa: N802 — as above
        return "/" + _plain(name)


def _plain(name: str | apsw.URIFilename | None) -> str:
    if name is None:
        return ""
    text = name if isinstance(name, str) else name.filename()
    return text.rpartition("/")[2]
