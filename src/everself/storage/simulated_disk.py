"""A disk in memory that loses, on a power cut, any part of what was not synced, in any order.

The model is the least that POSIX promises: a file's bytes are durable after `sync` on it, a name after `sync_directory`
on its folder; until then each write may be kept, dropped, cut short or left as zeros, and each change of names may be
kept or dropped by itself. Renames and exchanges are atomic. One disk may carry several rooted file systems, so that one
power cut hits them all.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from everself.storage.filesystem import READ_LIMIT
from everself.storage.paths import check_path
from everself.values import FileKind, FileStat

Names = dict[str, int]
# a change of names: the folder, the name, and the file that it now refers to (None: none)
Rename = list[tuple[int, str, int | None]]


class PowerCut(BaseException):
    """The machine lost power: no handler of the program may run on. Derived from BaseException, so that none does."""


@dataclass(slots=True)
class Node:
    """A file or folder: its state in the running system, and the part of it that is durable."""

    folder: bool
    content: bytearray = field(default_factory=bytearray)
    names: Names = field(default_factory=dict)
    durable_content: bytes = b""
    durable_names: Names = field(default_factory=dict)
    # writes since the last sync: offset and data
    pending: list[tuple[int, bytes]] = field(default_factory=list)
    mode: int = 0o600
    changed: int = 0

    def write_at(self, offset: int, data: bytes) -> None:
        if len(self.content) < offset:
            self.content.extend(bytes(offset - len(self.content)))
        self.content[offset : offset + len(data)] = data
        self.pending.append((offset, data))

    def cut_to(self, size: int) -> None:
        # truncation is modelled as durable at once: SQLite truncates only what it no longer needs
        del self.content[size:]
        self.durable_content = self.durable_content[:size]
        self.pending = [(offset, data[: max(0, size - offset)]) for offset, data in self.pending if offset < size]

    def sync(self) -> None:
        self.durable_content = bytes(self.content)
        self.pending = []

    def crash(self, random: Random) -> None:
        kept = bytearray(self.durable_content)
        for offset, data in self.pending:
            fate = random.random()
            if fate < 0.4:
                continue
            part = data if fate < 0.7 else data[: random.randrange(len(data) + 1)]
            if fate >= 0.9:
                # the size reached the disk, the bytes did not
                part = bytes(len(data))
            if len(kept) < offset:
                kept.extend(bytes(offset - len(kept)))
            kept[offset : offset + len(part)] = part
        self.content, self.durable_content, self.pending = kept, bytes(kept), []


class SimulatedDisk:
    """The device. `root(name)` returns a file system in a folder of its own."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {1: Node(folder=True)}
        self.renames: list[Rename] = []
        self.dead = False
        self.ticks = 0
        # number of the call at which a test cuts the power
        self.cut_at: int | None = None
        # capacity of the disk in bytes (None: unlimited), and how many of them are reserved
        self.capacity: int | None = None
        self.reserved = 0
        # on a compressing or shared disk a reservation guarantees nothing
        self.keeps_reserved = True

    def root(self, name: str) -> "SimulatedFileSystem":
        top = self.nodes[1]
        if name not in top.names:
            number = self.add(Node(folder=True, mode=0o700))
            top.names[name] = top.durable_names[name] = number
        return SimulatedFileSystem(self, top.names[name])

    def add(self, node: Node) -> int:
        number = max(self.nodes) + 1
        self.nodes[number] = node
        return number

    def check_power(self) -> None:
        self.ticks += 1
        if self.dead or (self.cut_at is not None and self.ticks >= self.cut_at):
            self.dead = True
            raise PowerCut

    def used(self) -> int:
        """The bytes of every file that has a name; open files that were unlinked are not counted."""
        return sum(
            len(self.nodes[number].content)
            for node in self.nodes.values()
            for number in node.names.values()
            if number in self.nodes
        )

    def room(self) -> int | None:
        return None if self.capacity is None else max(0, self.capacity - self.used() - self.reserved)

    def change_names(self, rename: Rename) -> None:
        for folder, name, number in rename:
            names = self.nodes[folder].names
            if number is None:
                del names[name]
            else:
                names[name] = number
        self.renames.append(rename)

    def sync_names(self, folder: int) -> None:
        """Make every change of names durable that touches this folder, including its part in other folders."""
        rest = []
        for rename in self.renames:
            if any(touched == folder for touched, _, _ in rename):
                self._keep(rename)
            else:
                rest.append(rename)
        self.renames = rest

    def cut_power(self, random: Random) -> None:
        """Keep a random part of what was not synced. The disk is then in the state of a restart."""
        for rename in self.renames:
            if random.random() < 0.5:
                self._keep(rename)
        self.renames = []
        for node in self.nodes.values():
            node.crash(random)
            # a name may have survived although its file's creation did not reach the disk
            node.names = {name: number for name, number in node.durable_names.items() if number in self.nodes}
            node.durable_names = dict(node.names)
        self.dead = False
        self.cut_at = None
        self.reserved = 0

    def _keep(self, rename: Rename) -> None:
        for folder, name, number in rename:
            names = self.nodes[folder].durable_names
            if number is None:
                names.pop(name, None)
            else:
                names[name] = number


class SimulatedHandle:
    """An open file; after a rename it continues to write to the same file."""

    def __init__(self, disk: SimulatedDisk, number: int, path: str) -> None:
        self._disk = disk
        self._number = number
        self._path = path

    def write(self, data: bytes) -> int:
        self._disk.check_power()
        room = self._disk.room()
        if room == 0:
            raise fail(errno.ENOSPC, self._path)
        # a nearly full disk writes what still fits and returns that count
        data = data[:room]
        node = self._disk.nodes[self._number]
        node.write_at(len(node.content), data)
        node.changed = self._disk.ticks
        return len(data)

    def sync(self) -> None:
        self._disk.check_power()
        self._disk.nodes[self._number].sync()

    def stat(self) -> FileStat:
        return tell(self._disk, self._path, self._number)

    def close(self) -> None:
        return


class SimulatedReservation:
    """Reserved space without content."""

    def __init__(self, disk: SimulatedDisk, size: int) -> None:
        self._disk = disk
        self._size = size
        disk.reserved += size

    def release(self) -> None:
        size, self._size = self._size, 0
        self._disk.reserved -= size


def tell(disk: SimulatedDisk, path: str, number: int) -> FileStat:
    node = disk.nodes[number]
    kind: FileKind = "directory" if node.folder else "file"
    return FileStat(path, kind, len(node.content), node.mode, 1, 0, number, node.changed, node.changed)


def fail(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


class SimulatedFileSystem:
    """Implements `FileSystem` in one folder of a simulated disk."""

    def __init__(self, disk: SimulatedDisk, top: int) -> None:
        self.disk = disk
        self._top = top

    def stat(self, path: str) -> FileStat | None:
        self.disk.check_power()
        try:
            return tell(self.disk, path, self.number(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list(self, path: str) -> Sequence[FileStat]:
        self.disk.check_power()
        prefix = f"{path}/" if path else ""
        names = self._folder(path).names
        return [tell(self.disk, prefix + name, names[name]) for name in sorted(names)]

    def names(self, path: str) -> Mapping[str, int]:
        self.disk.check_power()
        return dict(self._folder(path).names)

    def read(self, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
        self.disk.check_power()
        node = self.disk.nodes[self.number(path)]
        if node.folder:
            raise fail(errno.EINVAL, path)
        return bytes(node.content[start : start + limit])

    def create(self, path: str) -> SimulatedHandle:
        return SimulatedHandle(self.disk, self._make(path, Node(folder=False)), path)

    def open_append(self, path: str) -> SimulatedHandle:
        self.disk.check_power()
        number = self.number(path)
        if self.disk.nodes[number].folder:
            raise fail(errno.EISDIR, path)
        return SimulatedHandle(self.disk, number, path)

    def rename(self, source: str, target: str) -> None:
        self.disk.check_power()
        (here, name), (there, new) = self._above(source), self._above(target)
        self.disk.change_names([(there, new, self.number(source)), (here, name, None)])

    def publish(self, source: str, target: str) -> None:
        there, new = self._above(target)
        if new in self.disk.nodes[there].names:
            raise fail(errno.EEXIST, target)
        self.rename(source, target)

    def exchange(self, one: str, other: str) -> bool:
        self.disk.check_power()
        first, second = self.number(one), self.number(other)
        (here, name), (there, new) = self._above(one), self._above(other)
        self.disk.change_names([(here, name, second), (there, new, first)])
        return True

    def unlink(self, path: str) -> None:
        self.disk.check_power()
        if self.disk.nodes[self.number(path)].folder:
            raise fail(errno.EISDIR, path)
        folder, name = self._above(path)
        self.disk.change_names([(folder, name, None)])

    def make_directory(self, path: str) -> None:
        if path:
            self._make(path, Node(folder=True, mode=0o700))

    def remove_directory(self, path: str) -> None:
        self.disk.check_power()
        if self._folder(path).names:
            raise fail(errno.ENOTEMPTY, path)
        folder, name = self._above(path)
        self.disk.change_names([(folder, name, None)])

    def sync_directory(self, path: str) -> None:
        self.disk.check_power()
        self._folder(path)
        self.disk.sync_names(self.number(path))

    def set_mode(self, path: str, mode: int) -> None:
        self.disk.check_power()
        self.disk.nodes[self.number(path)].mode = mode

    def reserve(self, size: int) -> SimulatedReservation:
        self.disk.check_power()
        room = self.disk.room()
        if not self.disk.keeps_reserved:
            size = 0
        if room is not None and room < size:
            raise fail(errno.ENOSPC, "")
        return SimulatedReservation(self.disk, size)

    def number(self, path: str) -> int:
        """The number of the file at a path."""
        here = self._top
        if not path:
            return here
        check_path(path)
        for part in path.split("/"):
            node = self.disk.nodes[here]
            if not node.folder:
                raise fail(errno.ENOTDIR, path)
            if part not in node.names:
                raise fail(errno.ENOENT, path)
            here = node.names[part]
        return here

    def _make(self, path: str, node: Node) -> int:
        self.disk.check_power()
        folder, name = self._above(path)
        if name in self.disk.nodes[folder].names:
            raise fail(errno.EEXIST, path)
        number = self.disk.add(node)
        self.disk.change_names([(folder, name, number)])
        return number

    def _above(self, path: str) -> tuple[int, str]:
        check_path(path)
        folder, _, name = path.rpartition("/")
        number = self.number(folder)
        if not self.disk.nodes[number].folder:
            raise fail(errno.ENOTDIR, path)
        return number, name

    def _folder(self, path: str) -> Node:
        node = self.disk.nodes[self.number(path)]
        if not node.folder:
            raise fail(errno.ENOTDIR, path)
        return node
