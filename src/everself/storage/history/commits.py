"""The history as an ordinary bare git repository that git itself can read.

dulwich encodes the objects and this package's file system writes them, so that they are private, synced before anything
refers to them, and safe to write again after a crash. Packed repositories are read through dulwich. Handles commits and
contents; the recorder decides what to commit.
"""

import errno
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from everself.errors import HistoryDamaged
from everself.frozen import Frozen
from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem, parent_of
from everself.values import FileChange

if TYPE_CHECKING:
    from dulwich.objects import Commit, ObjectID, ShaFile, Tree

T = TypeVar("T")
FOLDER = "history.git"
BRANCH = "refs/heads/main"
# One temporary name for every write: only one process commits at a time, and the next one replaces what a killed one
# left.
TEMPORARY = f"{FOLDER}/{TEMPORARY_PREFIX}new"
FILE_MODE = 0o100644
TREE_MODE = 0o040000
# the author of a commit that records the documents as they are, after a repair of the history
MENDER = "everself"
MEND = "everself doctor --fix"
_HEX = frozenset("0123456789abcdef")
SKELETON = {
    "HEAD": f"ref: {BRANCH}\n".encode(),
    "config": b"[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = true\n",
    "description": b"What Everself wrote, change by change.\n",
}


class CommitNote(Frozen):
    """Author, message and time of a commit."""

    author: str
    message: str
    at: datetime


class History:
    """The repository in a folder of the agent's state. `packs`: the real path of that folder, if it is on disk, to read packed objects."""

    def __init__(self, files: FileSystem, packs: str | None = None) -> None:
        self._files = files
        self._packs = packs
        # used to open the same repository again
        self.place = (files, packs)
        # a commit that no branch refers to yet, and the folders whose new names are not synced
        self._tip: str | None = None
        self._unsynced: set[str] = set()

    def head(self) -> str | None:
        """The id of the newest commit."""
        if self._tip is not None:
            return self._tip
        for name, find in ((BRANCH, lambda text: text.strip()), ("packed-refs", _find_branch)):
            data = writes.find(self._files, f"{FOLDER}/{name}")
            if data is not None and (found := find(data.decode("ascii", "replace"))):
                return found
        return None

    def newest(self) -> Iterator[tuple[str, CommitNote]]:
        """Yield the commits with their notes, newest first."""
        at = self.head()
        while at is not None:
            found = self._commit(at)
            moment = datetime.fromtimestamp(found.commit_time, UTC)
            yield (
                at,
                CommitNote(found.author.decode().partition(" ")[0], found.message.decode("utf-8", "replace"), moment),
            )
            at = found.parents[0].decode() if found.parents else None

    def holds(self, commit: str) -> bool:
        """Whether this commit can be read."""
        try:
            self._commit(commit)
        except HistoryDamaged:
            return False
        return True

    def content(self, path: str, commit: str | None = None) -> bytes | None:
        """The content of a document in a commit, by default the newest."""
        at = commit or self.head()
        if at is None:
            return None
        found = self._commit(at).tree.decode()
        for part in path.split("/"):
            tree = self._tree(found)
            if part.encode() not in tree:
                return None
            found = tree[part.encode()][1].decode()
        return self._load(found).as_raw_string()

    def files_of(self, commit: str) -> tuple[FileChange, ...]:
        """The documents that a commit changed, compared with its parent."""
        this = self._commit(commit)
        before = self._commit(this.parents[0].decode()).tree.decode() if this.parents else None
        changed = self._differences("", before, this.tree.decode())
        return tuple(FileChange(path, self._find_bytes(old), self._find_bytes(new)) for path, old, new in changed)

    def paths(self) -> dict[str, str]:
        """Every document of the newest commit, with the id of its blob."""
        at = self.head()
        return dict(self._walk("", self._commit(at).tree.decode())) if at else {}

    def commit(self, files: Iterable[FileChange], note: CommitNote) -> str:
        """Commit these documents on top of the newest commit and return its id; if nothing differs, return the newest commit.

        Call `publish` to make the branch refer to it.
        """
        from dulwich.objects import Blob, Commit

        self._ensure()
        parent = self.head()
        top = self._commit(parent).tree.decode() if parent else None
        blobs: dict[str, str | None] = {}
        for file in files:
            blobs[file.path] = None if file.after is None else self._store(Blob.from_string(file.after))
        root = self._with(top, blobs) if blobs else top
        if root is None:
            root = self._store(empty_tree())
        if parent and root == top:
            return parent
        made = Commit()
        made.tree = object_id(root)
        made.parents = [object_id(parent)] if parent else []
        name = f"{note.author} <{note.author}@everself.invalid>".encode()
        made.author = made.committer = name
        seconds = int(note.at.timestamp())
        offset = note.at.utcoffset()
        made.author_time = made.commit_time = seconds
        made.author_timezone = made.commit_timezone = int(offset.total_seconds()) if offset else 0
        made.encoding = b"UTF-8"
        made.message = note.message.encode("utf-8", "replace")
        self._tip = self._store(made)
        return self._tip

    def publish(self) -> None:
        """Make the commits since the last `publish` durable and point the branch to them."""
        if self._tip is None:
            return
        self._sync()
        self._point(self._tip)
        self._tip = None

    def abandon(self) -> None:
        """Drop unpublished commits: the next attempt starts from the branch, which another process may have moved."""
        self._tip = None

    def _sync(self) -> None:
        for folder in sorted(self._unsynced):
            self._files.sync_directory(folder)
        self._unsynced.clear()

    def _ensure(self) -> None:
        for name, data in SKELETON.items():
            path = f"{FOLDER}/{name}"
            if self._files.stat(path) is None:
                writes.create(self._files, path, data, TEMPORARY)
        for folder in ("objects", "refs/heads"):
            writes.make_directories(self._files, f"{FOLDER}/{folder}/x")
        writes.discard(self._files, [TEMPORARY])

    def _point(self, commit: str) -> None:
        path = f"{FOLDER}/{BRANCH}"
        writes.write_new(self._files, TEMPORARY, f"{commit}\n".encode())
        self._files.rename(TEMPORARY, path)
        self._files.sync_directory(parent_of(path))

    def _store(self, item: "ShaFile") -> str:
        """Write an object if it is missing. It is synced before anything may refer to it."""
        identity: str = item.id.decode()
        path = f"{FOLDER}/objects/{identity[:2]}/{identity[2:]}"
        if self._find_loose(identity) is None:
            writes.make_directories(self._files, path)
            writes.write_new(self._files, TEMPORARY, item.as_legacy_object())
            # a power cut may have left a torn object of the same name; ours is whole
            self._files.rename(TEMPORARY, path)
        # also for an existing object: another process may have died before it synced the name
        self._unsynced.add(parent_of(path))
        return identity

    def _find_loose(self, identity: str) -> "ShaFile | None":
        from dulwich.errors import FileFormatException
        from dulwich.objects import ShaFile

        path = f"{FOLDER}/objects/{identity[:2]}/{identity[2:]}"
        stat = self._files.stat(path)
        # a folder or a link in place of an object does not count
        data = writes.find(self._files, path) if stat is not None and stat.kind == "file" and stat.links == 1 else None
        if data is None:
            return None
        try:
            # decompressed without its checksum: the name proves the content, so a truncated end is harmless
            head, _, body = zlib.decompressobj().decompress(data).partition(b"\0")
        except zlib.error:
            return None
        kinds = {b"blob": 3, b"tree": 2, b"commit": 1}
        kind = kinds.get(head.partition(b" ")[0])
        try:
            found = None if kind is None else ShaFile.from_raw_string(kind, body)
        except (FileFormatException, ValueError):
            # the zlib data is intact but is not a valid git object, so we did not write it
            return None
        return found if found is not None and found.id.decode() == identity else None

    def _load(self, identity: str) -> "ShaFile":
        # a damaged branch file or row may contain anything and must not be used as part of a path
        named = is_name(identity)
        found = self._find_loose(identity) if named else None
        # an empty tree would be readable, but the wrong answer
        if found is None and named:
            found = self._find_packed(identity)
        if found is None:
            raise HistoryDamaged(f"Object {ascii(identity[:12])[1:-1]} is missing or cannot be read.", mend=MEND)
        return found

    def _find_bytes(self, blob: str | None) -> bytes | None:
        return None if blob is None else self._load(blob).as_raw_string()

    def _find_packed(self, identity: str) -> "ShaFile | None":
        if self._packs is None:
            return None
        from dulwich.object_store import DiskObjectStore
        from dulwich.objects import ShaFile

        store = DiskObjectStore(f"{self._packs}/objects")
        try:
            with told_by_the_disk():
                raw = store.get_raw(object_id(identity))
            found = ShaFile.from_raw_string(*raw)
            # a pack has no checksum for single objects
            return found if found.id.decode() == identity else None
        except unreadable():
            return None
        finally:
            store.close()

    def _commit(self, identity: str) -> "Commit":
        from dulwich.objects import Commit

        return self._load_as(Commit, identity)

    def _tree(self, identity: str) -> "Tree":
        from dulwich.objects import Tree

        return self._load_as(Tree, identity)

    def _load_as(self, kind: type[T], identity: str) -> T:
        found = self._load(identity)
        if not isinstance(found, kind):
            raise HistoryDamaged(f"Object {identity[:12]} is not a {kind.__name__.lower()}.", mend=MEND)
        return found

    def _with(self, root: str | None, blobs: Mapping[str, str | None]) -> str | None:
        """Write the tree with these blobs added, replaced or removed (None), each folder once. Returns None if the tree is empty."""
        from dulwich.objects import Tree

        tree = Tree()
        for entry in self._tree(root).items() if root else ():
            tree.add(entry.path, entry.mode, entry.sha)
        folders: dict[bytes, dict[str, str | None]] = {}
        for path, blob in blobs.items():
            first, _, rest = path.partition("/")
            name = first.encode()
            if rest:
                folders.setdefault(name, {})[rest] = blob
            elif blob is not None:
                tree.add(name, FILE_MODE, object_id(blob))
            elif name in tree and tree[name][0] != TREE_MODE:
                del tree[name]
        for name, below in folders.items():
            known = tree[name] if name in tree else None  # noqa: SIM401 — a dulwich tree has no get
            is_folder = known is not None and known[0] == TREE_MODE
            made = self._with(known[1].decode() if known and is_folder else None, below)
            if made is not None:
                tree.add(name, TREE_MODE, object_id(made))
            elif is_folder:
                del tree[name]
        return self._store(tree) if len(tree) else None

    def _walk(self, prefix: str, root: str) -> Iterable[tuple[str, str]]:
        for entry in self._tree(root).items():
            path = prefix + entry.path.decode("utf-8", "surrogateescape")
            if entry.mode == TREE_MODE:
                yield from self._walk(f"{path}/", entry.sha.decode())
            else:
                yield path, entry.sha.decode()

    def _differences(
        self, prefix: str, before: str | None, after: str | None
    ) -> Iterator[tuple[str, str | None, str | None]]:
        old = {e.path: e for e in self._tree(before).items()} if before else {}
        new = {e.path: e for e in self._tree(after).items()} if after else {}
        for name in sorted(old.keys() | new.keys()):
            one, other = old.get(name), new.get(name)
            if one == other:
                continue
            path = prefix + name.decode("utf-8", "surrogateescape")
            folders = [e.sha.decode() if e and e.mode == TREE_MODE else None for e in (one, other)]
            if any(folders):
                yield from self._differences(f"{path}/", *folders)
            blobs = [e.sha.decode() if e and e.mode != TREE_MODE else None for e in (one, other)]
            if any(blobs):
                yield path, blobs[0], blobs[1]


def is_name(text: str) -> bool:
    """Whether this can be an object id."""
    return len(text) == 40 and _HEX.issuperset(text)


def unreadable() -> tuple[type[Exception], ...]:
    """Exceptions that dulwich raises for a damaged repository: it trusts lengths and offsets that a flipped bit has altered."""
    from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
    from dulwich.pack import PackFileDisappeared, UnresolvedDeltas

    of_dulwich = (ApplyDeltaError, ChecksumMismatch, FileFormatException, PackFileDisappeared, UnresolvedDeltas)
    plain = (LookupError, ValueError, TypeError, AssertionError, AttributeError, ArithmeticError)
    return (*of_dulwich, *plain, EOFError, MemoryError, RuntimeError, zlib.error, struct.error)


@contextmanager
def told_by_the_disk() -> Iterator[None]:
    """Raise LookupError instead of an OSError that means "no such file or folder"; other OSErrors are trouble of the disk and pass."""
    try:
        yield
    except OSError as error:
        if error.errno in (None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
            raise LookupError(str(error)) from error
        raise


def _find_branch(packed: str) -> str:
    for line in packed.splitlines():
        if line.endswith(f" {BRANCH}"):
            return line.partition(" ")[0]
    return ""


def empty_tree() -> "Tree":
    from dulwich.objects import Tree

    return Tree()


def object_id(identity: str) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(identity.encode())
