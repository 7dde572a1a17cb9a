"""Repairs a damaged history: moves unreadable objects away and links the readable commits into one chain.

A readable commit keeps its place, author and message; only those of its documents that cannot be read are left out. A
lost blob is written again if its bytes exist elsewhere. A change can be shown and undone afterwards if everything it
touched is readable on both sides; all others are reported. Nothing is deleted. Repeating the repair after a crash gives
the same result. The caller holds the history lock.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

from everself.errors import HistoryDamaged
from everself.frozen import Frozen
from everself.storage import damaged_files as aside
from everself.storage import writes
from everself.storage.filesystem import FileSystem
from everself.storage.history.commits import (
    BRANCH,
    FOLDER,
    TEMPORARY,
    TREE_MODE,
    is_name,
    object_id,
    told_by_the_disk,
    unreadable,
)
from everself.storage.history.rewriting import RewritableHistory, read_loose

if TYPE_CHECKING:
    from dulwich.objects import Commit

# finds the bytes of a blob by its id, outside the history
Source = Callable[[str], bytes | None]
CHANGE = "\nChange: "
_SHARED = "objects/pack"
# git's optional indexes of packs; without them git scans the folder
_LISTS = ("objects/info/packs", "objects/info/commit-graph", "objects/pack/multi-pack-index")


class Damage(Frozen):
    """The result of checking every object. `unreadable`: files; `missing`: ids of objects that something refers to."""

    unreadable: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    branch: bool = False
    foreign: bool = False

    @property
    def found(self) -> bool:
        return bool(self.unreadable or self.missing or self.branch or self.foreign)


class Salvage(Frozen):
    """The result of a repair. `commits`: old → new, where they differ; `lost`: changes that no commit contains any more."""

    head: str | None
    # whether the newest commit is unchanged
    whole: bool
    commits: Mapping[str, str]
    lost: tuple[str, ...]
    aside: tuple[str, ...]


@dataclass
class _Chain:
    """The chain under construction: its newest commit, old → new, and the commits whose changes can still be shown."""

    tip: str | None = None
    made: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    seen: dict[tuple[object, ...], str] = field(default_factory=dict)


class MendableHistory(RewritableHistory):
    """The history while it is examined and repaired."""

    def __init__(self, files: FileSystem, packs: str | None = None) -> None:
        super().__init__(files, packs)
        self._whole: dict[str, bool] = {}
        self._kept: dict[str, str | None] = {}
        self._source: Source = lambda _: None

    def examine(self, known: Mapping[str, str]) -> Damage:
        """Check every object. `known`: change → commit, oldest first, from the ledger."""
        bad = tuple(self._find_unreadable())
        head = self.head()
        if head is None and not known:
            return Damage(bad)
        commits = self._live(known)
        missing = [one for one in (head, *known.values()) if one is not None and one not in commits]
        for commit in commits.values():
            missing += [one.decode() for one in commit.parents if one.decode() not in commits]
            missing += self._missing_below(commit.tree.decode())
        named = tuple(dict.fromkeys(one if is_name(one) else ascii(one[:12])[1:-1] for one in missing))
        return Damage(bad, named, head is None, self._is_foreign(known))

    def salvage(self, known: Mapping[str, str], source: Source, folder: str) -> Salvage:
        """Move unreadable files to `folder` and link the rest into one chain of durable objects. `settle` then points the branch to it."""
        self._source = source
        old = self.head()
        if self._is_foreign(known):
            # the repository is another agent's
            moved = aside.set_aside(self._files, [FOLDER], folder)
            self.close()
            return Salvage(None, False, {}, tuple(known), tuple(moved))
        moved = self._set_aside(folder)
        self._whole.clear()
        self._kept.clear()
        commits = self._live(known)
        chain = _Chain()
        for identity, commit in commits.items():
            self._link(chain, identity, commit)
        self._sync()
        lost = tuple(change for change, commit in known.items() if commit not in chain.shown)
        differing = {one: new for one, new in chain.made.items() if one != new}
        whole = chain.tip is not None and chain.made.get(old or "") == chain.tip and self._is_whole(chain.tip)
        return Salvage(chain.tip, whole, differing, lost, tuple(moved))

    def settle(self, salvage: Salvage, folder: str) -> None:
        """Point the branch to the chain. Other branches and tags stay if everything they lead to is readable."""
        self._ensure()
        dead = {name for name, one in self._refs().items() if name not in (BRANCH, "HEAD")}
        dead = {name for name in dead if not self._leads_somewhere(self._refs()[name])}
        aside.set_aside(self._files, [f"{FOLDER}/{name}" for name in sorted(dead)], folder)
        self._drop_packed({*dead, BRANCH}, folder)
        if salvage.head is not None:
            self._point(salvage.head)
        else:
            aside.set_aside(self._files, [f"{FOLDER}/{BRANCH}"], folder)
        head = writes.find(self._files, f"{FOLDER}/HEAD")
        if head != f"ref: {BRANCH}\n".encode():
            aside.set_aside(self._files, [f"{FOLDER}/HEAD"], folder)
            self._ensure()

    def _drop_packed(self, names: set[str], folder: str) -> None:
        """Remove branches from git's packed-refs. Git recomputes the peeled values, which are dropped as well."""
        packed = writes.find(self._files, f"{FOLDER}/packed-refs")
        lines = [] if packed is None else packed.decode("utf-8", "surrogateescape").splitlines()
        kept = [line for line in lines if line[:1] not in ("#", "^", "") and line.partition(" ")[2] not in names]
        if packed is not None and any(line.partition(" ")[2] in names for line in lines):
            aside.set_aside(self._files, [f"{FOLDER}/packed-refs"], folder)
            self._write("packed-refs", "".join(f"{line}\n" for line in kept).encode("utf-8", "surrogateescape"))

    def _find_unreadable(self) -> Iterator[str]:
        """Yield the files whose content does not match their name (the object id), and the branch file if it holds no id."""
        top = self._files.stat(FOLDER)
        objects = self._files.stat(f"{FOLDER}/objects")
        if top is not None and top.kind != "directory":
            yield FOLDER
            return
        if objects is not None and objects.kind != "directory":
            yield objects.path
            return
        branch = f"{FOLDER}/{BRANCH}"
        stat = self._files.stat(branch)
        if stat is not None:
            plain = stat.kind == "file" and stat.links == 1
            text = (writes.find(self._files, branch) or b"").decode("ascii", "replace").strip() if plain else ""
            if not is_name(text):
                yield branch
        for folder in self._folders():
            for one in self._files.list(folder):
                identity = one.path.replace("/", "")[-40:]
                if one.path != TEMPORARY and (not is_name(identity) or not self._is_loose(identity)):
                    yield one.path
        yield from self._find_unreadable_packs()

    def _find_unreadable_packs(self) -> Iterator[str]:
        for name, identities in self._indexed():
            data = writes.find(self._files, f"{FOLDER}/{_SHARED}/{name}.pack") or b""
            # dulwich only warns once of a wrong pack checksum and continues
            signed = hashlib.sha1(data[:-20], usedforsecurity=False).digest() == data[-20:]
            if identities is None or not signed or not all(self._find_packed(one) is not None for one in identities):
                yield f"{FOLDER}/{_SHARED}/{name}.pack"
        self.close()

    def _indexed(self) -> list[tuple[str, list[str] | None]]:
        """The packs and the ids of their objects; None for a pack whose index cannot be read."""
        from dulwich.object_format import SHA1
        from dulwich.pack import load_pack_index

        stat = self._files.stat(f"{FOLDER}/{_SHARED}")
        if self._packs is None or stat is None or stat.kind != "directory":
            return []
        names = [one.path.rpartition("/")[2] for one in self._files.list(stat.path)]
        stems = sorted({name.rpartition(".")[0] for name in names if name.endswith((".pack", ".idx"))})
        found: list[tuple[str, list[str] | None]] = []
        for stem in stems:
            whole = f"{stem}.pack" in names
            try:
                with told_by_the_disk():
                    index = load_pack_index(f"{self._packs}/{_SHARED}/{stem}.idx", SHA1)
                try:
                    index.check()
                    found.append((stem, [one.hex() for one, _, _ in index.iterentries()] if whole else None))
                finally:
                    index.close()
            except unreadable():
                found.append((stem, None))
        return found

    def _unpack_all(self, stem: str) -> None:
        """Write every readable object of a pack as a loose object: by its index, then by reading the pack in sequence."""
        from dulwich.object_format import SHA1
        from dulwich.pack import PackData, PackInflater

        for identity in next((names or [] for name, names in self._indexed() if name == stem), []):
            if (found := self._find_packed(identity)) is not None:
                self._store(found)
        try:
            raw = writes.find(self._files, f"{FOLDER}/{_SHARED}/{stem}.pack") or b""
            data = PackData.from_file(BytesIO(raw), SHA1, len(raw))
            try:
                for item in PackInflater.for_pack_data(data):
                    self._store(item)
            finally:
                data.close()
        except unreadable():
            # data after the damage cannot be told from damaged data
            return

    def _is_loose(self, identity: str) -> bool:
        # a tag made by the person is not ours, but it is a valid object
        raw = read_loose(self._files, FOLDER, identity)
        return raw is not None and _name_of(*raw) == identity

    def _set_aside(self, folder: str) -> list[str]:
        bad = list(self._find_unreadable())
        # content whole, only the end of the file damaged: written again once the damaged file is moved
        again = [one for path in bad if (one := self._find_loose(path.replace("/", "")[-40:])) is not None]
        packs = [path for path in bad if path.startswith(f"{FOLDER}/{_SHARED}/")]
        stems = tuple(path.removesuffix("pack") for path in packs)
        for path in packs:
            self._unpack_all(path.rpartition("/")[2].removesuffix(".pack"))
        self._sync()
        self.close()
        beside = [one.path for one in self._files.list(f"{FOLDER}/{_SHARED}")] if packs else []
        lists = [f"{FOLDER}/{name}" for name in _LISTS] if packs else []
        chosen = [path for path in bad if path not in packs] + [path for path in beside if path.startswith(stems)]
        moved = aside.set_aside(self._files, [*chosen, *lists], folder)
        for one in again:
            self._store(one)
        return moved

    def _live(self, known: Mapping[str, str]) -> "dict[str, Commit]":
        """Every readable commit in the ledger or on the branch, parents first."""
        found: dict[str, Commit] = {}
        for tip in [*known.values(), self.head() or ""]:
            left = [(tip, False)]
            while left:
                identity, ready = left.pop()
                commit = None if identity in found else self._find_commit(identity)
                if commit is None:
                    continue
                if ready or not commit.parents:
                    found[identity] = commit
                else:
                    left.append((identity, True))
                    left += [(one.decode(), False) for one in reversed(commit.parents) if one.decode() not in found]
        return found

    def _find_commit(self, identity: str) -> "Commit | None":
        try:
            return self._commit(identity)
        except HistoryDamaged:
            return None

    def _is_foreign(self, known: Mapping[str, str]) -> bool:
        """Whether the branch leads only to changes of another agent."""
        if not known or any(self._find_commit(one) is not None for one in known.values()):
            return False
        try:
            changes = [change_of(note.message) for _, note in self.newest()]
        except HistoryDamaged:
            return False
        return any(changes) and known.keys().isdisjoint(changes)

    def _missing_below(self, identity: str) -> list[str]:
        """Ids of unreadable trees and blobs beneath a tree, each reported once."""
        if identity in self._whole:
            return []
        self._whole[identity] = True
        try:
            entries = self._tree(identity).items()
        except HistoryDamaged:
            self._whole[identity] = False
            return [identity]
        missing = []
        for entry in entries:
            sha = entry.sha.decode()
            if entry.mode == TREE_MODE:
                missing += self._missing_below(sha)
            elif not self._is_readable(sha):
                missing.append(sha)
        return missing

    def _is_readable(self, identity: str) -> bool:
        known = self._whole.get(identity)
        if known is None:
            known = self._find_loose(identity) is not None or self._find_packed(identity) is not None
            self._whole[identity] = known
        return known

    def _is_whole(self, commit: str) -> bool:
        self._whole.clear()
        found = self._find_commit(commit)
        return found is not None and not self._missing_below(found.tree.decode())

    def _leads_somewhere(self, identity: str) -> bool:
        try:
            order = self._oldest_first([self._peel(identity)])
        except HistoryDamaged:
            return False
        return all(not self._missing_below(self._commit(one).tree.decode()) for one in order)

    def _link(self, chain: _Chain, identity: str, commit: "Commit") -> None:
        """Append one commit to the chain, with those of its documents that can be read."""
        from dulwich.objects import Commit

        tree = self._keep_tree(commit.tree.decode())
        if tree is None:
            return
        mark = (tree, commit.author, commit.commit_time, commit.message)
        if mark in chain.seen:
            # written by an earlier attempt that died before everything referred to it
            chain.made[identity] = chain.seen[mark]
            chain.shown |= {identity} if chain.seen[mark] in chain.shown else set()
            return
        before = commit.parents[0].decode() if commit.parents else None
        follows = chain.tip is None if before is None else chain.made.get(before) == chain.tip
        shown = follows and self._tells(before, commit)
        parents = [chain.tip] if chain.tip is not None else []
        new = identity
        if (tree, parents) != (commit.tree.decode(), [one.decode() for one in commit.parents]):
            copy = Commit.from_string(commit.as_raw_string())
            copy.tree = object_id(tree)
            copy.parents = [object_id(one) for one in parents]
            new = self._store(copy)
        chain.made[identity] = chain.seen[mark] = chain.tip = new
        chain.shown |= {identity, new} if shown else set()

    def _tells(self, before: str | None, commit: "Commit") -> bool:
        """Whether all documents that a commit changed are readable before and after it."""
        try:
            old = self._commit(before).tree.decode() if before is not None else None
            for _, one, other in self._differences("", old, commit.tree.decode()):
                for blob in (one, other):
                    if blob is not None and not self._is_readable(blob):
                        return False
        except HistoryDamaged:
            return False
        return True

    def _keep_tree(self, identity: str) -> str | None:
        """The tree reduced to its readable content; None if the tree itself is unreadable."""
        from dulwich.objects import Tree

        if identity in self._kept:
            return self._kept[identity]
        try:
            entries = self._tree(identity).items()
        except HistoryDamaged:
            self._kept[identity] = None
            return None
        made = Tree()
        for entry in entries:
            sha: str | None = entry.sha.decode()
            if entry.mode == TREE_MODE:
                sha = self._keep_tree(entry.sha.decode())
            elif not self._is_readable(entry.sha.decode()):
                sha = self._restore(entry.sha.decode())
            if sha is not None:
                made.add(entry.path, entry.mode, object_id(sha))
        self._kept[identity] = identity if made.id.decode() == identity else self._store(made)
        return self._kept[identity]

    def _restore(self, identity: str) -> str | None:
        """Write a lost blob again if its bytes exist outside the history."""
        from dulwich.objects import Blob

        data = self._source(identity)
        if data is None or blob_name(data) != identity:
            return None
        self._whole[identity] = True
        return self._store(Blob.from_string(data))


def change_of(message: str) -> str:
    """The id of the change that a commit contains; empty for an edit by a person."""
    return message.rpartition(CHANGE)[2].partition("\n")[0] if CHANGE in message else ""


def blob_name(data: bytes) -> str:
    """The git id of a blob with these bytes."""
    return _name_of(3, data)


def _name_of(kind: int, data: bytes) -> str:
    word = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}.get(kind, b"?")
    return hashlib.sha1(b"%s %d\0" % (word, len(data)) + data, usedforsecurity=False).hexdigest()
