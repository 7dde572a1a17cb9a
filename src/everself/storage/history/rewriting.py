"""Removes text from the history: rewrites every commit from the first that contains it, and deletes the old objects.

Only forgetting rewrites history. Callbacks decide what a document or message becomes; this module does not compare
words. New objects are durable before a branch refers to them, and old ones are deleted only when no branch does, so
that everything can be repeated after a crash with the same result. The caller holds the history lock.
"""

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from everself.errors import HistoryDamaged
from everself.frozen import Frozen
from everself.storage import writes
from everself.storage.filesystem import FileSystem, parent_of
from everself.storage.history.commits import (
    BRANCH,
    FOLDER,
    MEND,
    TEMPORARY,
    TREE_MODE,
    History,
    empty_tree,
    is_name,
    object_id,
    told_by_the_disk,
    unreadable,
)
from everself.values import digest

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import ShaFile

# progress callback: commits examined, total
Tell = Callable[[int, int], None]
_PLAIN_MODES = frozenset({0o100644, 0o100755, 0o100664})
_TAG = 4
# files of git that may refer to old objects
_MEMOIRS = ("logs", "objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index")
_MEMOIRS_OF_HEAD = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "gc.log")


class CleanedDocument(Frozen):
    """A document without the forgotten text; None if nothing is left. `pieces`: the bytes that were removed."""

    data: bytes | None
    pieces: tuple[bytes, ...] = ()


Clean = Callable[[str, bytes], CleanedDocument]
CleanMessage = Callable[[str], str]


class Rewritten(Frozen):
    """`commits`: old → new, where they differ. `forgotten`: old commits that added, changed or moved the removed text."""

    commits: Mapping[str, str]
    forgotten: tuple[str, ...]
    documents: int
    messages: int


class RewritableHistory(History):
    """The history while it is rewritten."""

    def __init__(self, files: FileSystem, packs: str | None = None) -> None:
        super().__init__(files, packs)
        self._keep = True
        self._packed: DiskObjectStore | None = None
        self._trees: dict[tuple[str, str], str | None] = {}
        self._blobs: dict[tuple[str, str], tuple[str | None, tuple[str, ...]]] = {}

    def close(self) -> None:
        if self._packed is not None:
            self._packed.close()
            self._packed = None

    def rewrite(
        self, clean: Clean, clean_message: CleanMessage, *, keep: bool = True, tell: Tell | None = None
    ) -> Rewritten:
        """Compute the rewritten history. With `keep` its objects are written durably, but nothing refers to them yet."""
        from dulwich.objects import Commit

        self._keep = keep
        self._trees.clear()
        self._blobs.clear()
        commits: dict[str, str] = {}
        forgotten: list[str] = []
        messages = 0
        order = self._oldest_first([self._peel(one) for one in self._refs().values()])
        for number, identity in enumerate(order, start=1):
            old = self._commit(identity)
            tree = self._clean_tree("", old.tree.decode(), clean)
            parents = [commits.get(one.decode(), one.decode()) for one in old.parents]
            text = old.message.decode("utf-8", "surrogateescape")
            message = clean_message(text)
            messages += message != text
            if tree != old.tree.decode() and self._is_about(old.tree.decode(), [one.decode() for one in old.parents]):
                forgotten.append(identity)
            if (tree, parents, message) != (old.tree.decode(), [one.decode() for one in old.parents], text):
                made = Commit.from_string(old.as_raw_string())
                made.tree = object_id(tree if tree is not None else self._put(empty_tree()))
                made.parents = [object_id(one) for one in parents]
                made.message = message.encode("utf-8", "surrogateescape")
                commits[identity] = self._put(made)
            if tell is not None:
                tell(number, len(order))
        if keep:
            self._sync()
        documents = sum(bool(pieces) for _, pieces in self._blobs.values())
        return Rewritten(commits, tuple(forgotten), documents, messages)

    def move(self, commits: Mapping[str, str]) -> None:
        """Point every branch and tag to the new commits."""
        refs = {name: self._peel(found) for name, found in self._refs().items()}
        packed = writes.find(self._files, f"{FOLDER}/packed-refs")
        for name, commit in sorted(refs.items(), key=lambda ref: ref[0] != BRANCH):
            if commit in commits:
                self._write(name, f"{commits[commit]}\n".encode())
        if packed is not None and any(commit in commits for commit in refs.values()):
            lines = [line for line in packed.decode("utf-8", "surrogateescape").splitlines() if line[:1] not in "^"]
            kept = [line for line in lines if refs.get(line.partition(" ")[2]) not in commits]
            self._write("packed-refs", "".join(f"{line}\n" for line in kept).encode("utf-8", "surrogateescape"))

    def prune(self) -> int:
        """Remove every object that no branch leads to. A pack with such objects is removed, and its other objects are unpacked.

        Returns how many objects were removed.
        """
        reachable = self._reachable()
        gone = self._prune_packs(reachable)
        for folder in self._folders():
            names = [one.path for one in self._files.list(folder)]
            old = [path for path in names if path.replace("/", "")[-40:] not in reachable]
            writes.discard(self._files, old)
            if old:
                self._files.sync_directory(folder)
            gone += len(old)
        for name in _MEMOIRS:
            _remove_all(self._files, f"{FOLDER}/{name}")
        writes.discard(self._files, [TEMPORARY, *(f"{FOLDER}/{name}" for name in _MEMOIRS_OF_HEAD)])
        if self._files.stat(FOLDER) is not None:
            self._files.sync_directory(FOLDER)
        return gone

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Yield every object, reachable or not, decompressed."""
        return git_objects(self._files, FOLDER, self._packs)

    def _refs(self) -> dict[str, str]:
        found: dict[str, str] = {}
        packed = writes.find(self._files, f"{FOLDER}/packed-refs") or b""
        for line in packed.decode("utf-8", "surrogateescape").splitlines():
            if line[:1] not in ("#", "^", ""):
                identity, _, name = line.partition(" ")
                found[name] = identity
        for path in _files_beneath(self._files, f"{FOLDER}/refs"):
            text = (writes.find(self._files, path) or b"").decode("ascii", "replace").strip()
            if text and not text.startswith("ref:"):
                found[path.removeprefix(f"{FOLDER}/")] = text
        head = (writes.find(self._files, f"{FOLDER}/HEAD") or b"").decode("ascii", "replace").strip()
        if head and not head.startswith("ref:"):
            found["HEAD"] = head
        return found

    def _peel(self, identity: str) -> str:
        """The commit that a tag refers to; any other id is returned as it is."""
        for _ in range(8):
            raw = read_loose(self._files, FOLDER, identity) or self._read_packed(identity)
            if raw is None or raw[0] != _TAG:
                return identity
            identity = raw[1].partition(b"\n")[0].partition(b" ")[2].decode("ascii", "replace")
        raise HistoryDamaged(f"Object {identity[:12]} is a tag of tags.")

    def _oldest_first(self, tips: Sequence[str]) -> list[str]:
        order: list[str] = []
        seen: set[str] = set()
        left = [(tip, False) for tip in reversed(tips)]
        while left:
            identity, ready = left.pop()
            if ready:
                order.append(identity)
            elif identity not in seen:
                seen.add(identity)
                left.append((identity, True))
                left += [(one.decode(), False) for one in self._commit(identity).parents]
        return order

    def _clean_tree(self, prefix: str, identity: str, clean: Clean) -> str | None:
        """The tree without the forgotten text; None if nothing is left."""
        known = (prefix, identity)
        if known in self._trees:
            return self._trees[known]
        made = empty_tree()
        for entry in self._tree(identity).items():
            path, sha = prefix + entry.path.decode("utf-8", "surrogateescape"), entry.sha.decode()
            new: str | None = sha
            if entry.mode == TREE_MODE:
                new = self._clean_tree(f"{path}/", sha, clean)
            elif entry.mode in _PLAIN_MODES:
                new = self._clean_blob(path, sha, clean)[0]
            if new is not None:
                made.add(entry.path, entry.mode, object_id(new))
        found = identity if made.id.decode() == identity else self._put(made) if len(made) else None
        self._trees[known] = found
        return found

    def _clean_blob(self, path: str, identity: str, clean: Clean) -> tuple[str | None, tuple[str, ...]]:
        from dulwich.objects import Blob

        known = self._blobs.get((path, identity))
        if known is None:
            cleaned = clean(path, self._load(identity).as_raw_string())
            new: str | None = identity
            if cleaned.pieces:
                new = None if cleaned.data is None else self._put(Blob.from_string(cleaned.data))
            known = self._blobs[path, identity] = (new, tuple(sorted(digest(one) for one in cleaned.pieces)))
        return known

    def _is_about(self, tree: str, parents: Sequence[str]) -> bool:
        """Whether the commit itself added, changed or moved removed text, and does not merely still contain it."""
        before = self._commit(parents[0]).tree.decode() if parents else None
        for path, old, new in self._differences("", before, tree):
            pieces = [self._blobs.get((path, one), (None, ()))[1] if one else () for one in (old, new)]
            if pieces[0] != pieces[1]:
                return True
        return False

    def _put(self, item: "ShaFile") -> str:
        return self._store(item) if self._keep else item.id.decode()

    def _write(self, name: str, data: bytes) -> None:
        path = f"{FOLDER}/{name}"
        writes.make_directories(self._files, path)
        writes.write_new(self._files, TEMPORARY, data)
        self._files.rename(TEMPORARY, path)
        self._files.sync_directory(parent_of(path))

    def _reachable(self) -> set[str]:
        found: set[str] = set()
        refs = list(self._refs().values())
        for commit in self._oldest_first([self._peel(one) for one in refs]):
            found.add(commit)
            self._add_tree(self._commit(commit).tree.decode(), found)
        return found | set(refs)

    def _add_tree(self, identity: str, found: set[str]) -> None:
        if identity in found:
            return
        found.add(identity)
        for entry in self._tree(identity).items():
            if entry.mode == TREE_MODE:
                self._add_tree(entry.sha.decode(), found)
            else:
                found.add(entry.sha.decode())

    def _prune_packs(self, reachable: set[str]) -> int:
        folder = f"{FOLDER}/objects/pack"
        if self._packs is None or self._files.stat(folder) is None:
            return 0
        gone, old = 0, []
        for name, identities in _packs(self._packs):
            doomed = [one for one in identities if one not in reachable]
            if not doomed:
                continue
            for identity in identities:
                if identity in reachable:
                    self._unpack(identity)
            gone += len(doomed)
            old.append(name)
        self._sync()
        self.close()
        names = [one.path for one in self._files.list(folder)]
        stems = tuple(f"{folder}/{name}." for name in old)
        writes.discard(self._files, [path for path in names if path.startswith((*stems, f"{folder}/tmp_"))])
        if old:
            # git's list of packs; it would name packs that are gone
            writes.discard(self._files, [f"{FOLDER}/objects/info/packs"])
        self._files.sync_directory(folder)
        return gone

    def _unpack(self, identity: str) -> None:
        from dulwich.objects import ShaFile

        raw = self._read_packed(identity)
        if raw is None:
            raise HistoryDamaged(f"Object {identity[:12]} is missing or cannot be read.", mend=MEND)
        self._store(ShaFile.from_raw_string(raw[0], raw[1]))

    def _find_packed(self, identity: str) -> "ShaFile | None":
        from dulwich.objects import ShaFile

        raw = self._read_packed(identity)
        try:
            found = None if raw is None else ShaFile.from_raw_string(*raw)
            return found if found is not None and found.id.decode() == identity else None
        except unreadable():
            return None

    def _read_packed(self, identity: str) -> tuple[int, bytes] | None:
        """Read an object from the packs. Unlike in the base class they stay open, because all their objects are read."""
        if self._packs is None:
            return None
        from dulwich.object_store import DiskObjectStore

        if self._packed is None:
            self._packed = DiskObjectStore(f"{self._packs}/objects")
        try:
            with told_by_the_disk():
                kind, data = self._packed.get_raw(object_id(identity))
        except unreadable():
            return None
        return kind, data

    def _folders(self) -> list[str]:
        return _loose_folders(self._files, FOLDER)


def git_objects(files: FileSystem, folder: str, real: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield every object of a git repository, decompressed; one that cannot be decompressed is yielded raw."""
    for below in _loose_folders(files, folder):
        for one in files.list(below):
            data = writes.find(files, one.path) if one.kind == "file" else None
            if data is None:
                continue
            try:
                yield one.path, zlib.decompress(data)
            except zlib.error:
                yield one.path, data
    if real is None or files.stat(f"{folder}/objects/pack") is None:
        return
    from dulwich.object_store import DiskObjectStore

    store = DiskObjectStore(f"{real}/objects")
    try:
        for name, identities in _packs(real):
            for identity in identities:
                yield f"{folder}/objects/pack/{name}.pack: {identity}", store.get_raw(object_id(identity))[1]
    finally:
        store.close()


def remotes(files: FileSystem, folder: str) -> tuple[str, ...]:
    """The names of the remotes of a git repository."""
    text = (writes.find(files, f"{folder}/config") or b"").decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines()]
    return tuple(line[9:].rstrip('"]') for line in lines if line.startswith('[remote "'))


def _packs(real: str) -> list[tuple[str, list[str]]]:
    """The packs of a repository with the ids of their objects."""
    from dulwich.object_format import SHA1
    from dulwich.pack import load_pack_index

    found = []
    for name in sorted(os.listdir(f"{real}/objects/pack")):
        if name.endswith(".idx"):
            index = load_pack_index(f"{real}/objects/pack/{name}", SHA1)
            try:
                found.append((name.removesuffix(".idx"), [one.hex() for one, _, _ in index.iterentries()]))
            finally:
                index.close()
    return found


def read_loose(files: FileSystem, folder: str, identity: str) -> tuple[int, bytes] | None:
    path = f"{folder}/objects/{identity[:2]}/{identity[2:]}"
    stat = files.stat(path) if is_name(identity) else None
    data = writes.find(files, path) if stat is not None and stat.kind == "file" and stat.links == 1 else None
    if data is None:
        return None
    try:
        head, _, body = zlib.decompress(data).partition(b"\0")
    except zlib.error:
        return None
    kinds = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": _TAG}
    return kinds.get(head.partition(b" ")[0], 0), body


def _loose_folders(files: FileSystem, folder: str) -> list[str]:
    if files.stat(f"{folder}/objects") is None:
        return []
    found = [one.path for one in files.list(f"{folder}/objects") if one.kind == "directory"]
    return [path for path in found if len(path.rpartition("/")[2]) == 2]


def _files_beneath(files: FileSystem, path: str) -> Iterator[str]:
    if files.stat(path) is None:
        return
    for one in files.list(path):
        if one.kind == "directory":
            yield from _files_beneath(files, one.path)
        elif one.kind == "file":
            yield one.path


def _remove_all(files: FileSystem, path: str) -> None:
    found = files.stat(path)
    if found is None:
        return
    if found.kind != "directory":
        files.unlink(path)
        return
    for below in list(_files_beneath(files, path)):
        files.unlink(below)
