"""The commands of the memory tool. Each write is one change set, planned under the workspace's lock.

Does not know the caller, nor how the answer reaches the model.
"""

from collections.abc import Callable, Iterable

from everself.memory.entries import holds_memory
from everself.memory.model_documents import EditMeaning, ModelDocuments, Objection, close_all, set_aside
from everself.memory.provenance import OWN, concluded, concluded_in, rank, taint_of
from everself.memory.selection import sources_of_lines
from everself.memory.writing import NewEntry
from everself.operations.files import source_of_file
from everself.operations.memory_tool.paths import (
    DELETED,
    TOP,
    CommandFailed,
    MemoryAnswer,
    folder_of,
    is_kept_apart,
    shown,
    unwritable,
    workspace_path,
)
from everself.operations.memory_tool.texts import content, inserted, listing, replaced, snippet
from everself.runtime import Runtime
from everself.text.normalise import without_surrogates
from everself.values import (
    Applied,
    Author,
    Change,
    Create,
    Document,
    Edit,
    Entry,
    FileStat,
    Move,
    Origin,
    ProvenanceRecord,
    Replace,
)

# limits of one file: each of its lines has a provenance record
_MOST_BYTES, _MOST_LINES = 1024 * 1024, 20_000
# maximum number of files in a folder that one command moves
_MOST_FILES = 1_000
_MOST_DOUBTED = 5


class _NotOwn(Exception):
    """The model may not make this edit."""

    def __init__(self, document: Document, objection: Objection | None) -> None:
        self.document = document
        self.objection = objection


class _Doubted(Exception):
    """A part of the text looks like injected instructions."""

    def __init__(self, entries: list[NewEntry]) -> None:
        self.entries = entries


class MemoryCommands:
    """The commands on one folder. `taint` is the least trusted source in the conversation, `message` the id of the message that led to the
    call."""

    def __init__(self, runtime: Runtime, project: str | None, taint: str, message: str = "") -> None:
        self._runtime = runtime
        self._folder = folder_of(project)
        self._taint = taint
        self._message = message
        self._documents = ModelDocuments(runtime.memory, runtime.state.files)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def view(self, path: str, view_range: tuple[int, ...] | None) -> MemoryAnswer:
        where = workspace_path(path, self._folder)
        found = self._stat(where)
        if found is not None and found.kind == "file":
            document = self._document(path, where)
            text, first, last = content(path, _decoded(path, document), view_range)
            return MemoryAnswer(text, source=self._source(where, document.data, first, last), path=where)
        files = self._beneath(where, found)
        if not files and where != self._folder:
            raise CommandFailed(f"The path {shown(path)} does not exist. Please provide a valid path.")
        return self._view_folder(path.removesuffix("/"), where, files)

    def _view_folder(self, path: str, where: str, files: list[FileStat]) -> MemoryAnswer:
        sizes: dict[str, int] = {}
        for one in files:
            inner = one.path.removeprefix(f"{where}/")
            parts = inner.split("/")
            for depth in range(1, min(len(parts), 3)):
                folder = "/".join(parts[:depth])
                if f"{folder}/" not in sizes:
                    sizes[f"{folder}/"] = self._size(f"{where}/{folder}")
            sizes[inner] = one.size
        # names are text too, and may come from a page
        named = (self._runtime.state.files.of_path(one.path) or OWN for one in files)
        return MemoryAnswer(listing(path, sizes, self._size(where)), source=taint_of(named))

    def _source(self, where: str, data: bytes, first: int, last: int) -> str:
        if not holds_memory(where):
            return taint_of((source_of_file(self._runtime, where, data),))
        return taint_of(sources_of_lines(self._runtime.memory, where, first, last))

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def create(self, path: str, text: str) -> MemoryAnswer:
        where, data = workspace_path(path, self._folder), _encoded(text)

        def plan() -> Change:
            if where == self._folder or self._stat(where) is not None:
                raise CommandFailed(f"File {shown(path)} already exists")
            self._need_writable(path, where)
            return self._change("create", path, (Create(where, data),), Document(where, b""), data)

        return MemoryAnswer(f"File created successfully at: {path}", path=where, change=self._apply(path, plan))

    def str_replace(self, path: str, old: str, new: str) -> MemoryAnswer:
        where = workspace_path(path, self._folder)
        near = ("", 1, 1)

        def plan() -> Change | None:
            nonlocal near
            document = self._file(path, where)
            before = _decoded(path, document)
            after = replaced(path, before, old, without_surrogates(new))
            near = snippet(before, after, old)
            return self._edited("str_replace", path, document, after)

        change = self._apply(path, plan)
        text, first, last = near
        now = self._runtime.workspace.find(where)
        source = self._source(where, now.data, first, last) if now is not None else OWN
        return MemoryAnswer(text, source=source, path=where, change=change)

    def insert(self, path: str, line: int | None, text: str) -> MemoryAnswer:
        where = workspace_path(path, self._folder)

        def plan() -> Change | None:
            document = self._file(path, where)
            after = inserted(_decoded(path, document), line, without_surrogates(text))
            return self._edited("insert", path, document, after)

        return MemoryAnswer(f"The file {path} has been edited.", path=where, change=self._apply(path, plan))

    def delete(self, path: str) -> MemoryAnswer:
        where = workspace_path(path, self._folder)
        if where == self._folder:
            raise CommandFailed(f"Cannot delete the {TOP} directory itself")

        def plan() -> Change:
            draft, now = self._runtime.memory.draft(), self._runtime.clock.now()
            moves: list[Edit] = []
            for document in self._own_documents(path, where):
                to = self._free(f"{self._folder}/{DELETED}/{document.path.removeprefix(f'{self._folder}/')}")
                self._documents.carry(document.path, to, document.data)
                if holds_memory(document.path):
                    entries = self._runtime.memory.catalog.within(document.path, document.data)
                    self._need_trust(path, entries)
                    draft.put(document.path, None)
                    draft.put(to, document.data)
                    close_all(draft, entries, to, now)
                else:
                    moves.append(Move(document.path, document.hash, to))
            return self._signed("delete", (*moves, *draft.edits()))

        return MemoryAnswer(f"Successfully deleted {path}", path=where, change=self._apply(path, plan))

    def rename(self, old: str, new: str) -> MemoryAnswer:
        where, to = (workspace_path(one, self._folder) for one in (old, new))
        if where == self._folder:
            raise CommandFailed(f"Cannot rename the {TOP} directory itself")

        def plan() -> Change:
            documents = self._own_documents(old, where)
            if to == self._folder or self._stat(to) is not None:
                raise CommandFailed(f"The destination {shown(new)} already exists")
            if to.startswith(f"{where}/"):
                raise CommandFailed(f"Cannot rename {shown(old)} to a path inside itself")
            edits: list[Edit] = []
            records: list[ProvenanceRecord] = []
            for document in documents:
                target = to + document.path.removeprefix(where)
                self._need_writable(new, target)
                if holds_memory(document.path) and not holds_memory(target):
                    raise CommandFailed(f"Cannot rename {shown(old)}: a Markdown file keeps its ending")
                edits.append(Move(document.path, document.hash, target))
                records += self._carried(document, target)
            return self._signed("rename", tuple(edits), tuple(records))

        return MemoryAnswer(f"Successfully renamed {old} to {new}", path=to, change=self._apply(old, plan))

    def _carried(self, document: Document, target: str) -> tuple[ProvenanceRecord, ...]:
        """A file that becomes memory by its new name: its entries get the source of its lines."""
        least = self._documents.carry(document.path, target, document.data)
        if holds_memory(document.path) or not holds_memory(target):
            return ()
        objection = self._documents.objection(target, b"", document.data)
        if objection is not None:
            raise _NotOwn(document, objection)
        meaning = self._documents.meaning(target, b"", document.data, self._origin(least))
        self._need_plain(meaning)
        self._documents.note(target, document.data, meaning)
        return meaning.records

    def _edited(self, name: str, path: str, document: Document, text: str) -> Change | None:
        after = _encoded(text)
        if not self._documents.is_begun(document.path) or unwritable(document.path, self._runtime.personas):
            raise _NotOwn(document, self._documents.objection(document.path, document.data, after))
        if after == document.data:
            return None
        edit = Replace(document.path, document.hash, 0, len(document.data), after)
        return self._change(name, path, (edit,), document, after)

    def _change(self, name: str, path: str, edits: tuple[Edit, ...], document: Document, after: bytes) -> Change:
        where, before = document.path, document.data
        if len(after) > _MOST_BYTES or after.count(b"\n") > _MOST_LINES:
            limits = f"{_MOST_BYTES:,} bytes and {_MOST_LINES:,} lines"
            raise CommandFailed(f"The file {shown(path)} would be too large; the limits are {limits}")
        objection = self._documents.objection(where, before, after)
        if objection is not None:
            raise _NotOwn(document, objection)
        meaning = self._documents.meaning(where, before, after, self._origin())
        self._need_plain(meaning)
        self._documents.note(where, after, meaning)
        if not meaning.vanished:
            return self._signed(name, edits, meaning.records)
        self._need_trust(path, meaning.vanished)
        now, draft = self._runtime.clock.now(), self._runtime.memory.draft()
        log = f"{self._folder}/{DELETED}/{now.date().isoformat()}.md"
        kept = set_aside(draft, meaning.vanished, log, now)
        return self._signed(name, (*edits, *draft.edits()), (*meaning.records, *kept))

    def _signed(self, name: str, edits: tuple[Edit, ...], records: tuple[ProvenanceRecord, ...] = ()) -> Change:
        reason, tainted = f"memory tool: {name}", self._taint != OWN
        return Change(Author.AGENT, reason, edits, self._evidence, provenance=records, tainted=tainted)

    def _apply(self, path: str, plan: Callable[[], Change | None]) -> str:
        memory = self._runtime.memory
        try:
            done = memory.apply(plan)
        except _NotOwn as refused:
            raise CommandFailed(self._refusal(path, refused.document, refused.objection)) from refused
        except _Doubted as doubted:
            # stored in quarantine, like all suspicious text
            for new_entry in doubted.entries[:_MOST_DOUBTED]:
                memory.remember(new_entry)
            words = f"Nothing was written to {shown(path)}: part of the text reads like orders from outside."
            raise CommandFailed(f"{words} It is in quarantine until the owner has reviewed it.") from doubted
        if not isinstance(done, Applied):
            return ""
        memory.catalog.refresh(list(done.paths))
        return done.id

    # ── what may be ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _refusal(self, path: str, document: Document, objection: Objection | None) -> str:
        """The refusal in words. A new text for a single entry is proposed to the owner."""
        line = objection.line if objection is not None else 0
        if objection is not None and objection.why == "mark":
            mark = "a comment that only Everself writes (everself: or share:)"
            return f"Nothing was changed: line {line} of {shown(path)} would hold {mark}. Leave it out."
        begun = self._documents.is_begun(document.path)
        what = f"line {line} of {shown(path)} was not written" if begun and line else f"{shown(path)} was not made"
        words = f"Permission denied: {what} by you with this tool and is read-only. Nothing was changed."
        asked = ""
        if objection is not None and objection.entry and objection.words:
            asked = self._runtime.keepers.ask_correction(objection.entry, objection.words, self._message)
        rest = f"The owner is asked about it in `everself review` ({asked})." if asked else "Use a file of your own."
        return f"{words} {rest}"

    def _need_writable(self, path: str, where: str) -> None:
        why = unwritable(where, self._runtime.personas)
        if why or is_kept_apart(where, self._folder):
            raise CommandFailed(f"Cannot write {shown(path)}: {why or 'this name is reserved'}")
        parts = where.split("/")
        above = [self._runtime.workspace.stat("/".join(parts[:depth])) for depth in range(1, len(parts))]
        if any(one is not None and one.kind != "directory" for one in above):
            raise CommandFailed(f"Cannot write {shown(path)}: a file stands where a directory would have to be")

    def _need_plain(self, meaning: EditMeaning) -> None:
        origin = concluded_in(taint_of((meaning.source,)), "chat", *self._evidence)
        entries = [NewEntry(text, origin) for text in meaning.added]
        if doubted := [one for one in entries if self._runtime.memory.doubt(one)]:
            raise _Doubted(doubted)

    def _need_trust(self, path: str, entries: Iterable[Entry]) -> None:
        """Text that is less trusted than an entry cannot delete it."""
        worth = rank(concluded(self._taint))
        if self._taint != OWN and any(rank(self._runtime.memory.trust(one)) > worth for one in entries):
            words = "this conversation contains text from outside, and what stands there was written before"
            raise CommandFailed(
                f"Permission denied: nothing of {shown(path)} is deleted, because {words}. You can only add to it."
            )

    def _origin(self, least: str = OWN) -> Origin:
        return concluded_in(taint_of((self._taint, least)), "chat", *self._evidence)

    @property
    def _evidence(self) -> tuple[str, ...]:
        return (f"msg:{self._message}",) if self._message else ()

    # ── what is there ────────────────────────────────────────────────────────────────────────────────────────────────

    def _stat(self, where: str) -> FileStat | None:
        """The file or folder at this path, if the tool shows it."""
        found = None if is_kept_apart(where, self._folder) else self._runtime.workspace.stat(where)
        path = f"{TOP}{where.removeprefix(self._folder)}"
        if found is not None and found.kind == "link":
            raise CommandFailed(f"Path {shown(path)} would escape {TOP} directory")
        if found is not None and found.kind == "other":
            raise CommandFailed(f"Unsupported file type for {shown(path)}")
        return found

    def _size(self, where: str) -> int:
        found = self._runtime.workspace.stat(where)
        return found.size if found is not None else 0

    def _beneath(self, where: str, found: FileStat | None) -> list[FileStat]:
        if found is None or found.kind != "directory":
            return []
        files = self._runtime.workspace.list(where)
        return [one for one in files if one.kind == "file" and not is_kept_apart(one.path, self._folder)]

    def _file(self, path: str, where: str) -> Document:
        found = self._stat(where)
        if found is None and where != self._folder:
            raise CommandFailed(f"The path {shown(path)} does not exist. Please provide a valid path.")
        if found is None or found.kind != "file":
            raise CommandFailed(f"The path {shown(path)} is not a file.")
        return self._document(path, where)

    def _document(self, path: str, where: str) -> Document:
        document = self._runtime.workspace.find(where)
        if document is None:
            raise CommandFailed(f"The path {shown(path)} does not exist. Please provide a valid path.")
        if document.cut:
            size = len(document.data) + document.cut
            raise CommandFailed(f"The file {shown(path)} is too large: it has {size:,} bytes")
        return document

    def _own_documents(self, path: str, where: str) -> list[Document]:
        """The file at this path, or all files in the folder. Refused if the model did not write one of them."""
        found = self._stat(where)
        is_file = found is not None and found.kind == "file"
        paths = [where] if is_file else [one.path for one in self._beneath(where, found)]
        if not paths:
            raise CommandFailed(f"The path {shown(path)} does not exist")
        if len(paths) > _MOST_FILES:
            raise CommandFailed(f"The directory {shown(path)} holds more than {_MOST_FILES:,} files")
        documents = [self._document(path, one) for one in paths]
        for document in documents:
            objection = self._documents.objection(document.path, document.data, b"")
            if objection is not None or not self._documents.is_begun(document.path):
                raise _NotOwn(document, Objection("line", objection.line) if objection is not None else None)
        return documents

    def _free(self, path: str) -> str:
        """The path, or the next free one if it exists."""
        stem, dot, ending = path.rpartition(".") if "." in path.rpartition("/")[2] else (path, "", "")
        number, free = 1, path
        while self._runtime.workspace.stat(free) is not None:
            number += 1
            free = f"{stem}-{number}{dot}{ending}"
        return free


def _encoded(text: str) -> bytes:
    return without_surrogates(text).encode()


def _decoded(path: str, document: Document) -> str:
    """The text of a file, with its original line ends."""
    try:
        if b"\0" not in document.data:
            return document.data.decode()
    except UnicodeDecodeError:
        pass
    raise CommandFailed(f"Unsupported file type for {shown(path)}")
