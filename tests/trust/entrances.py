"""The registry of entrances that take a path, or a word that becomes part of one. Whoever adds one adds it here; a test sees to it."""

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, isfunction, signature
from itertools import count
from pathlib import Path
from typing import Literal, Union, get_args, get_origin, get_type_hints

from tests.operations.changes import Changes
from tests.operations.homes import bring_back, settle
from tests.trust.path_cases import CANARY

from everself.agent import open_runtime
from everself.clock import Clock
from everself.conversation.conversation import Chat
from everself.errors import NotFound, UnsafePath
from everself.identity.growth import Growth
from everself.identity.ritual import Ritual
from everself.identity.soul import SoulRules
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.memory_bank import Bank
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.provenance import OWNER
from everself.memory.quarantine import release
from everself.memory.selection import Selection, list_entries
from everself.memory.writing import NewEntry, PageSpot
from everself.operations.backup.manifest import DATABASE, WORKSPACE, Line, Manifest, render_manifest
from everself.operations.doctor import examine
from everself.operations.entry_account import account_of
from everself.operations.registry import all_operations
from everself.storage import writes
from everself.storage.archive import ArchiveWriter, Member
from everself.storage.filesystem import FileSystem
from everself.storage.history.commits import CommitNote, History
from everself.storage.journal import Intent, Journal, Step
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.storage.state.ledger import LedgerHead
from everself.testing.frozen_time import MOMENT
from everself.testing.origins import origin_of
from everself.values import (
    Append,
    Author,
    Change,
    ChangeRecord,
    Create,
    Edit,
    FileChange,
    Insert,
    Move,
    Remove,
    Replace,
    digest,
    new_id,
)
from everself.workspace.disk_workspace import DiskWorkspace
from everself.workspace.protocol import Workspace

# What a document that somebody wants to reach holds: whoever attacks may well know it.
KNOWN = CANARY
SPARE = b"spare\n"


@dataclass(frozen=True, slots=True)
class Doors:
    """A workspace with all that can be called on it."""

    files: FileSystem
    workspace: DiskWorkspace
    history: History
    journal: Journal
    state: State
    clock: Clock
    # a folder for what an entrance needs beside it
    beside: Path

    @property
    def changes(self) -> Changes:
        return Changes(self.workspace)


# content: it opens what stands at the name. folder: it opens a folder or a file. name: it handles the name only.
# words: a name is made from it, so anything may be said.
Reach = Literal["content", "folder", "name", "words"]


@dataclass(frozen=True, slots=True)
class Entrance:
    """`covers` is the parameter: owner, what is called, its name.

    Below the workspace plain `OSError` may come out. `looks`: it changes nothing. `costly`: much happens before the path is met;
    it is tried with all paths at full size only, and in one of the two ways of resolving them.
    """

    covers: str
    enter: Callable[[Doors, str], object]
    reach: Reach
    plain_errors: bool = False
    looks: bool = False
    costly: bool = False


LOOKING = (
    "stat",
    "list",
    "names",
    "read",
    "sync_directory",
    "find",
    "walk",
    "changes",
    "record",
    "log",
    "show",
    "content",
    "files_of",
)


def _looks(covers: str) -> bool:
    return covers.split(".")[1] in LOOKING or covers.endswith("(preview)")


def _files(covers: str, reach: Reach, enter: Callable[[FileSystem, str], object]) -> Entrance:
    name = f"FileSystem.{covers}"
    return Entrance(name, lambda doors, path: enter(doors.files, path), reach, plain_errors=True, looks=_looks(name))


def _write(files: FileSystem, path: str, *, append: bool) -> None:
    handle = files.open_append(path) if append else files.create(path)
    try:
        handle.write(b"written by us\n")
    finally:
        handle.close()


ON_FILES = (
    _files("stat.path", "name", lambda files, path: files.stat(path)),
    _files("list.path", "folder", lambda files, path: files.list(path)),
    _files("names.path", "folder", lambda files, path: files.names(path)),
    _files("read.path", "content", lambda files, path: files.read(path)),
    _files("create.path", "content", lambda files, path: _write(files, path, append=False)),
    _files("open_append.path", "content", lambda files, path: _write(files, path, append=True)),
    _files("rename.source", "name", lambda files, path: files.rename(path, "moved.md")),
    _files("rename.target", "name", lambda files, path: files.rename("spare.md", path)),
    _files("publish.source", "name", lambda files, path: files.publish(path, "moved.md")),
    _files("publish.target", "content", lambda files, path: files.publish("spare.md", path)),
    _files("exchange.one", "name", lambda files, path: files.exchange(path, "spare.md")),
    _files("exchange.other", "name", lambda files, path: files.exchange("spare.md", path)),
    _files("unlink.path", "name", lambda files, path: files.unlink(path)),
    _files("make_directory.path", "content", lambda files, path: files.make_directory(path)),
    _files("remove_directory.path", "name", lambda files, path: files.remove_directory(path)),
    _files("sync_directory.path", "folder", lambda files, path: files.sync_directory(path)),
    _files("set_mode.path", "folder", lambda files, path: files.set_mode(path, 0o640)),
)


def _edit(covers: str, make: Callable[[str], Edit]) -> Iterator[Entrance]:
    def change(path: str) -> Change:
        return Change(Author.OWNER, "edit", (make(path),))

    yield Entrance(f"{covers}", lambda doors, path: doors.workspace.apply(change(path)), "content")
    yield Entrance(
        f"{covers} (preview)", lambda doors, path: doors.workspace.preview(change(path)), "content", looks=True
    )


BASE = digest(KNOWN)
BY_EDITS = (
    *_edit("Append.path", lambda path: Append(path, b"appended by us\n", header=b"# Head\n")),
    *_edit("Insert.path", lambda path: Insert(path, BASE, 0, b"inserted by us\n")),
    *_edit("Replace.path", lambda path: Replace(path, BASE, 0, len(KNOWN), b"replaced by us\n")),
    *_edit("Create.path", lambda path: Create(path, b"created by us\n")),
    *_edit("Move.path", lambda path: Move(path, BASE, "moved.md")),
    *_edit("Move.to", lambda path: Move("spare.md", digest(SPARE), path)),
    *_edit("Remove.path", lambda path: Remove(path, BASE)),
)


def _in_workspace(covers: str, reach: Reach, enter: Callable[[DiskWorkspace, str], object]) -> Entrance:
    return Entrance(covers, lambda doors, path: enter(doors.workspace, path), reach, looks=_looks(covers))


ON_WORKSPACE = (
    _in_workspace("Workspace.find.path", "content", lambda workspace, path: workspace.find(path)),
    _in_workspace("Workspace.read.path", "content", lambda workspace, path: workspace.read(path)),
    _in_workspace("Workspace.stat.path", "name", lambda workspace, path: workspace.stat(path)),
    _in_workspace("Workspace.list.under", "folder", lambda workspace, path: workspace.list(path)),
    _in_workspace("Workspace.changes.path", "content", lambda workspace, path: workspace.changes(5, path)),
    _in_workspace("Workspace.record.identity", "content", lambda workspace, path: workspace.record(path)),
    _in_workspace("DiskWorkspace.walk.under", "folder", lambda workspace, path: workspace.walk(path)),
    _in_workspace("DiskWorkspace.make_folders.paths", "folder", lambda workspace, path: workspace.make_folders([path])),
)


def _recover(doors: Doors, intent: Intent, *, abort: bool = False) -> object:
    """Somebody planted an intent in the journal, and the next start finds it."""
    filed = doors.journal.begin(intent)
    if abort:
        filed = doors.journal.abort(filed)
    try:
        return doors.workspace.recover()
    finally:
        doors.journal.forget(filed)


def _intent(identity: str, *steps: Step, folders: tuple[str, ...] = ()) -> Intent:
    return Intent(identity, MOMENT.isoformat(), Author.OWNER, "planted", (), "", steps, folders)


_names = count()


def _need_plantable(path: str) -> None:
    """Neither git nor an archive has a way to hold other names, and one of that depth we cannot make ourselves."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UnsafePath(ascii(path)) from None
    if path.count("/") > 600:
        raise UnsafePath("too deep")


def _plant(doors: Doors, path: str) -> str:
    """A commit that is said to have written that path, and the change that it belongs to."""
    _need_plantable(path)
    identity = new_id(lambda size: (next(_names) + (1 << 40)).to_bytes(size, "big"))
    doors.history.commit(
        [FileChange("log.md", None, SPARE), FileChange(path, None, SPARE)], CommitNote("owner", "planted", MOMENT)
    )
    doors.history.publish()
    head = doors.history.head()
    record = ChangeRecord(identity, MOMENT, Author.OWNER, "planted", ("log.md",))
    doors.state.record_change(record, [("log.md", None, digest(SPARE))])
    doors.state.set_commits({identity: head or ""})
    return identity


def _undo_planted(doors: Doors, path: str) -> object:
    try:
        return doors.changes.undo(_plant(doors, path))
    finally:
        _forget_history(doors)


def _note_planted(doors: Doors, path: str) -> object:
    try:
        _plant(doors, path)
        return doors.workspace.note_outside()
    finally:
        _forget_history(doors)


def _restore_planted(doors: Doors, path: str) -> object:
    """A backup from a stranger, whose files are called what the stranger likes."""
    _need_plantable(path)
    contents = {DATABASE: b"", f"{WORKSPACE}{path}": KNOWN}
    lines = tuple(Line(name, len(data), digest(data), 0o600, 0) for name, data in sorted(contents.items()))
    head = render_manifest(Manifest("0", "main", MOMENT.isoformat(), LedgerHead(0, "0" * 64), "", "", lines, ()))
    handle = RealFileSystem(str(doors.beside)).create("backup.tar.gz")
    try:
        archive = ArchiveWriter(handle)
        archive.add(Member("manifest.json", len(head)), [head])
        for line in lines:
            archive.add(line.member, [contents[line.path]])
        archive.finish()
        return bring_back(str(doors.beside / "backup.tar.gz"))
    finally:
        handle.close()


def _forget_history(doors: Doors) -> None:
    doors.history.abandon()
    writes.discard(doors.journal._files, ["history.git/refs/heads/main"])


def _planted(covers: str, reach: Reach, enter: Callable[[Doors, str], object]) -> Entrance:
    return Entrance(covers, enter, reach, costly=True)


PLANTED = (
    _planted(
        "Step.path",
        "content",
        lambda doors, path: _recover(doors, _intent("PLANTEDSTEPS", Step(path, BASE, KNOWN, b"planted\n"))),
    ),
    _planted(
        "Step.path (append)",
        "content",
        lambda doors, path: _recover(doors, _intent("PLANTEDAPPND", Step(path, BASE, None, b"planted\n", len(KNOWN)))),
    ),
    _planted(
        "Step.path (undone)",
        "content",
        lambda doors, path: _recover(doors, _intent("PLANTEDABORT", Step(path, None, None, KNOWN)), abort=True),
    ),
    _planted(
        "Intent.folders",
        "name",
        lambda doors, path: _recover(doors, _intent("PLANTEDFOLDR", folders=(path,)), abort=True),
    ),
    _planted("FileChange.path (undo)", "content", _undo_planted),
    _planted("FileChange.path (note_outside)", "name", _note_planted),
    _planted("Line.path", "name", _restore_planted),
)


def _held(history: History, commit: str) -> None:
    """No commit is called like a path: whoever asks for one is told that it is not there."""
    if not history.holds(commit):
        raise NotFound(commit)


def _asked(covers: str, enter: Callable[[Doors, str], object]) -> Entrance:
    return Entrance(covers, enter, "content", looks=True)


ASKED = (
    _asked("History.content.path", lambda doors, path: doors.history.content(path)),
    _asked("History.content.commit", lambda doors, path: doors.history.content("log.md", path)),
    _asked("History.holds.commit", lambda doors, path: _held(doors.history, path)),
    _asked("History.files_of.commit", lambda doors, path: doors.history.files_of(path)),
    _asked("log.path", lambda doors, path: doors.changes.log(5, path)),
    _asked("show.change", lambda doors, path: doors.changes.show(path)),
)

BY_VERBS = (
    Entrance("undo.change", lambda doors, path: doors.changes.undo(path), "content"),
    Entrance("setup.agent", lambda _, path: settle(path), "name", costly=True),
    Entrance("doctor.agent", lambda _, path: examine(path), "name", looks=True, costly=True),
    Entrance("open_runtime.agent", lambda _, path: open_runtime(path), "name", looks=True, costly=True),
)


def _memory(doors: Doors) -> Memory:
    catalog = Catalog(doors.workspace, doors.state.entries, doors.state.provenance, doors.clock)
    return Memory(doors.workspace, catalog, doors.clock)


def _remembered(covers: str, enter: Callable[[Memory, str], object], *, looks: bool = False) -> Entrance:
    return Entrance(covers, lambda doors, path: enter(_memory(doors), path), "words", looks=looks, costly=True)


def _thought(name: str, make: Callable[[str], NewEntry]) -> Entrance:
    return _remembered(f"NewEntry.{name}", lambda memory, path: memory.remember(make(path)))


IN_MEMORY = (
    _thought("person", lambda path: NewEntry("likes tea", origin_of(OWNER), person=path)),
    _thought("project", lambda path: NewEntry("likes tea", origin_of(OWNER), project=path)),
    _thought("category", lambda path: NewEntry("likes tea", origin_of(OWNER), category=path)),
    Entrance(
        "PageSpot.path",
        lambda doors, path: _memory(doors).remember(
            NewEntry("likes tea", origin_of(OWNER), spot=PageSpot(path, "Tea"))
        ),
        "content",
        costly=True,
    ),
    _remembered("memory.bank.show.page", lambda memory, path: Bank(memory).read(path), looks=True),
    _remembered("memory.bank.add.page", lambda memory, path: Bank(memory).write(path, "likes tea", origin_of("owner"))),
    _remembered("memory.edit.entry", lambda memory, path: memory.edit(path, "likes coffee", origin_of("owner"))),
    _remembered("memory.supersede.old", lambda memory, path: memory.supersede(path, "0123456789AB")),
    Entrance(
        "memory.show.entry",
        lambda doors, path: account_of(_memory(doors), doors.state.entries, path),
        "words",
        looks=True,
        costly=True,
    ),
    _remembered("memory.release.entry", release),
    _remembered("Selection.path", lambda memory, path: list_entries(memory, Selection(path=path)), looks=True),
)


def _promoted(doors: Doors, entry: str, target: str) -> object:
    memory = _memory(doors)
    name = entry or memory.remember(NewEntry("We decided on tea.", origin_of(OWNER))).entry
    done = apply_moves(memory, [Pick(name, target, named=True)], Author.OWNER)
    if done.left:
        raise UnsafePath(done.left[0].reason)
    return done


IN_PROMOTION = (
    Entrance("Pick.entry", lambda doors, path: _promoted(doors, path, "memory/decisions.md"), "words", costly=True),
    Entrance("Pick.target", lambda doors, path: _promoted(doors, "", path), "content", costly=True),
)


def _read_lines(doors: Doors, path: str) -> object:
    """Lines of a document as `get_lines` reads them."""
    from everself.config.sections import Search
    from everself.search.index import Index
    from everself.search.index_file.file import IndexPlace
    from everself.search.recall import Recall
    from everself.storage.real_disk import RealFileSystem

    place = IndexPlace(RealFileSystem(str(doors.beside)), str(doors.beside))
    index = Index(doors.workspace, place, doors.clock, "an agent")
    try:
        return Recall(index, doors.clock, Search(), None, None).get(path)  # type: ignore[arg-type]  # lines need neither
    finally:
        index.close()


IN_RECALL = (
    Entrance("memory.get.path", _read_lines, "content", looks=True, costly=True),
    Entrance("memory.why.search", lambda doors, path: doors.state.searches.find(path), "content", looks=True),
)


def _growth(doors: Doors) -> Growth:
    return Growth(doors.workspace, doors.state, doors.clock, SoulRules())


def _by_tool(covers: str, more: dict[str, object], *, looks: bool = False) -> Entrance:
    """A tool of a conversation, called by a model that was led to this path."""
    name, _, key = covers.partition(".")

    def enter(doors: Doors, path: str) -> object:
        from tests.conversation.tools.kits import box_of, call, runtime_over

        tools = box_of(runtime_over(_memory(doors), doors.workspace, doors.state))
        outcome = call(tools, name, {key: path, **more}).outcome
        if outcome.failed:
            raise UnsafePath(outcome.content)
        return outcome.content

    return Entrance(covers, enter, "content", looks=looks, costly=True)


def _by_command(command: str, key: str, more: dict[str, object], *, looks: bool = False) -> Entrance:
    """A command of Anthropic's memory tool: what lies beneath `memory/` by its own name, everything else by a step out of there."""

    def enter(doors: Doors, path: str) -> object:
        from tests.conversation.tools.kits import OWNER, call, runtime_over

        from everself.operations.tools import unlisted_tools

        if path == "memory/":
            raise UnsafePath("the one spelling beside its own that the tool takes for /memories")
        tools = unlisted_tools(runtime_over(_memory(doors), doors.workspace, doors.state), OWNER)
        inner = path.removeprefix("memory")
        named = (
            f"/memories{inner}" if inner != path and inner[:1] in ("", "/", "\\", "%", "\0") else f"/memories/../{path}"
        )
        given = {"path": f"/memories/spare-{digest(path.encode('utf-8', 'replace'))[:8]}.md"} | more
        if command == "rename":
            call(tools, "memory", {"command": "create", "path": given["path"], "file_text": "spare\n"})
            given = {"old_path": given["path"], "new_path": "/memories/moved.md"}
        outcome = call(tools, "memory", {**given, "command": command, key: named}).outcome
        if outcome.failed:
            raise UnsafePath(outcome.content)
        return outcome.content

    return Entrance(f"tool.memory.{key} ({command})", enter, "content", looks=looks, costly=True)


_SAID: dict[str, object] = {"old_str": KNOWN.decode(), "new_str": "written by us\n", "file_text": "written by us\n"}
BY_COMMANDS = (
    _by_command("view", "path", {}, looks=True),
    *(
        _by_command(one, "path", {**_SAID, "insert_line": 0, "insert_text": "written by us"})
        for one in ("create", "str_replace", "insert", "delete")
    ),
    _by_command("rename", "old_path", {}),
    _by_command("rename", "new_path", {}),
)

BY_TOOLS = (
    _by_tool("file.read.path", {}, looks=True),
    _by_tool("file.write.path", {"content": "written by us\n"}),
    _by_tool("file.edit.path", {"old": KNOWN.decode(), "new": "written by us\n"}),
)

IN_SOULS = (
    Entrance("soul.show.name", lambda doors, path: _growth(doors).text_of(path), "content", looks=True, costly=True),
    Entrance("soul.diff.one", lambda doors, path: _growth(doors).diff(path), "content", looks=True, costly=True),
    Entrance("soul.rollback.version", lambda doors, path: _growth(doors).rollback(path), "content", costly=True),
    Entrance("soul.approve.name", lambda doors, path: _growth(doors).approve(path), "content", costly=True),
    Entrance("soul.refuse.name", lambda doors, path: _growth(doors).refuse(path), "content", costly=True),
)

ENTRANCES: tuple[Entrance, ...] = (
    *ON_FILES,
    *BY_EDITS,
    *ON_WORKSPACE,
    *ASKED,
    *PLANTED,
    *BY_VERBS,
    *IN_MEMORY,
    *IN_PROMOTION,
    *IN_RECALL,
    *IN_SOULS,
    *BY_TOOLS,
    *BY_COMMANDS,
)

# Words that are no paths, each with the reason. What is not listed here and not entered above fails the completeness test.
NO_PATHS: dict[str, str] = {
    **dict.fromkeys(
        ("Chat.converse.text", "chat.say.text", "chat.say.system", "chat.say.beside"),
        "what is said; what the tools make of it passes through their own entrances",
    ),
    "chat.say.session": "compared with recorded sessions, whose ids are the runtime's own",
    "chat.say.id": "hashed with the token and the scope into the id of a message",
    "chat.say.after": "compared with the ids of recorded messages",
    **dict.fromkeys(("chat.say.must_call", "chat.say.stop", "chat.say.schema"), "handed on to the model"),
    **dict.fromkeys(("connect.client", "disconnect.client"), "compared with the clients that are known"),
    "connect.agent": "compared with the agents there are",
    "client.event.session": "hashed into the id of a session",
    "client.event.id": "hashed into the id of a message",
    "client.event.prompt": "what is said, kept in a row",
    "client.event.folder": "git's own files above it are looked at for the name of a project, hashed into that of a folder",
    "client.event.transcript": "another program's file, outside of every workspace: read where it bears the session's name, never written",
    "Chat.converse.person": "who says it, kept in a row",
    "ask.text": "as in a conversation, kept in a row",
    "ask.resume": "compared with recorded sessions, whose ids are the runtime's own",
    **{f"memory.add.{name}": "as in Thought" for name in ("text", "about", "key", "category", "person", "project")},
    "memory.add.source": "compared with the sources there are; the id of a person becomes a slug",
    "memory.supersede.new": "an id as the one before it",
    **dict.fromkeys(("memory.edit.text", "memory.correct.new", "memory.bank.add.text"), "words that are remembered"),
    "memory.correct.old": "an id as in supersede, or words that are searched for",
    "memory.correct.trigger": "stored beside the words",
    "memory.promote.entries": "ids, as in Pick",
    "memory.vouch.entries": "ids, compared with those of entries",
    **{f"memory.list.{name}": "as in Selection" for name in ("source", "person", "project", "path")},
    "memory.promote.target": "as in Pick.target",
    **{f"review.{name}.name": "compared with the ids of what waits" for name in ("accept", "edit", "refuse")},
    **{f"review.{name}.seen": "compared with the mark of what waits" for name in ("accept", "edit", "refuse")},
    "context.session": "compared with the ids of sessions",
    **{
        f"ritual.finish.{name}": "words of a document, stored as text"
        for name in (
            *("name", "nature", "vibe", "emoji", "your_name", "address"),
            *("pronouns", "time_zone", "languages", "wishes"),
        )
    },
    **dict.fromkeys(("review.edit.text", "review.refuse.why"), "words that are remembered, or stored as text"),
    **{
        f"memory.forget.{name}": "compared with what is remembered"
        for name in ("entries", "what", "words", "session", "person")
    },
    **dict.fromkeys(("file.write.content", "file.edit.old", "file.edit.new"), "words of a file"),
    **{f"tool.memory.{name}": "words of a file" for name in ("file_text", "old_str", "new_str", "insert_text")},
    **{
        f"soul.propose.{name}": "words of a soul or about it, stored as text"
        for name in ("line", "text", "reason", "evidence")
    },
    **{f"{kind}.base": "a hash, only ever compared" for kind in ("Insert", "Replace", "Move", "Remove", "Step")},
    "Intent.id": "made by the runtime; in a planted file it meets the same check as a step's path",
    **{f"Intent.{name}": "stored as text" for name in ("at", "author", "reason", "evidence", "undoes")},
    "History.commit.files": "entered through FileChange.path",
    "open_runtime.environ": "variables of the environment",
    "Intent.key": "stored as text",
    "open_runtime.workspace": "the root itself, which a person chooses for themselves",
    "soul.verify.paths": "compared with the documents that were looked at anyway",
    "Pick.heading": "stored as text",
    "identity.session": "compared with recorded sessions",
    "why.reply": "compared with the ids of recorded messages",
    "why.bisect": "compared with the ids and words of what is remembered",
    "context.session_kind": "the name of a kind of session and a slug",
    "client.context.message": "words that memory is searched for",
    "context.message": "words that memory is searched for",
    **{
        f"{name}.name": "compared with recorded sessions, whose ids are the runtime's own"
        for name in ("sessions.show", "sessions.export", "sessions.delete", "simulate-compaction")
    },
    **{
        f"cron.{name}.name": "compared with the names and ids of jobs"
        for name in ("show", "rm", "enable", "disable", "run", "history")
    },
    **{
        f"cron.add.{name}": "stored as text, or read as a time"
        for name in ("name", "cron", "at", "every", "tz", "message", "verb")
    },
    **dict.fromkeys(("keepers.run.name", "keepers.history.name"), "compared with the names of keepers"),
    "sessions.search.words": "compared with what was said",
    **dict.fromkeys(("model.use.name", "model.test.name"), "the name of a model, looked up among providers"),
    "model.use.url": "the address of a server, read as http or https and stored as a setting",
    **dict.fromkeys(("soul.diff.other", "soul.test.name"), "looked up as in soul.show"),
    **dict.fromkeys(
        ("soul.refuse.why", "soul.rollback.line"),
        "words of a soul or about it, stored as text or compared with its lines",
    ),
    **dict.fromkeys(
        ("memory.export.file", "memory.import.file"), "a file of their own that a person names, wherever it is"
    ),
    **dict.fromkeys(
        (
            "NewEntry.text",
            "NewEntry.who",
            "NewEntry.was",
            "NewEntry.key",
            "PageSpot.title",
            "PageSpot.heading",
        ),
        "stored as text",
    ),
    "memory.list.words": "looked for by its words",
    "memory.list.before": "a place in the order of rows, which nothing is opened by",
    "review.list.after": "a place in the order of rows, which nothing is opened by",
    "review.list.how": "the word list",
    "memory.search.query": "looked for by its words",
    **dict.fromkeys(("memory.search.session", "memory.get.session"), "the name of a kind of session and a slug"),
    "memory.search.project": "made a slug",
    **dict.fromkeys(
        ("Selection.source", "Selection.person", "Selection.project"),
        "compared with what the entries say",
    ),
    **dict.fromkeys(
        ("backup.file", "restore.file"), "a file or folder of their own that a person names, wherever it is"
    ),
    **dict.fromkeys(("agents.add.name", "restore.agent"), "prepared as in setup"),
    **dict.fromkeys(
        ("setup.workspace", "agents.add.workspace", "restore.workspace"),
        "the root itself, which a person chooses for themselves",
    ),
    **dict.fromkeys(("agents.show.name", "agents.remove.name"), "compared with the ids of the settings"),
    **dict.fromkeys(
        ("config.get.key", "config.set.key", "config.unset.key", "config.show.group"),
        "looked up in a table of settings",
    ),
    "config.set.value": "text of a setting",
    **dict.fromkeys(
        ("gateway.token.add.name", "gateway.token.rotate.name", "gateway.token.rm.name"),
        "compared with the names of tokens",
    ),
    **dict.fromkeys(
        ("gateway.hook.add.name", "gateway.hook.rotate.name", "gateway.hook.rm.name"),
        "compared with the names of hooks",
    ),
    "gateway.hook.add.message": "words for the model",
    **dict.fromkeys(
        ("gateway.token.add.agent", "gateway.hook.add.agent", "gateway.sign-in.agent"),
        "looked up among the agents of the settings",
    ),
    "gateway.sign-in.session": "a kind of session, and a person of a-z, 0-9 and -",
    "gateway.token.add.session": "a kind of session, and a person of a-z, 0-9 and -",
    "gateway.token.add.people": "the name of a header",
    **{
        f"{name}.agent": "looked up among the agents of the settings"
        for name in ("config.get", "config.set", "config.unset", "config.show", "model.use", "setup.offers")
    },
}

OWNERS: tuple[type, ...] = (FileSystem, Workspace, DiskWorkspace, History)
RECORDS: tuple[type, ...] = (*get_args(Edit), Step, Intent, NewEntry, PageSpot, Selection, Pick)


def _holds_text(hint: object) -> bool:
    """Whether a value of this type is, or holds, text or a file's change."""
    if hint in (str, FileChange):
        return True
    if get_origin(hint) in (Union, types.UnionType, Literal):
        return any(_holds_text(one) for one in get_args(hint))
    return any(_holds_text(one) for one in get_args(hint) if one is not hint)


def _named_later() -> dict[str, object]:
    """What verbs import only for whoever checks their types, because it is slow to load."""
    from everself.runtime import Runtime
    from everself.search.sync.sync import Progress

    return {"Runtime": Runtime, "Progress": Progress}


def _text_parameters(owner: str, function: Callable[..., object]) -> Iterator[str]:
    hints = get_type_hints(function, localns=_named_later())
    for name, parameter in signature(function).parameters.items():
        if name != "self" and parameter.kind is not Parameter.VAR_KEYWORD and _holds_text(hints.get(name)):
            yield f"{owner}.{name}"


def text_parameters() -> Iterator[str]:
    """Every parameter and field that is text, of all that other rooms and people can call."""
    for owner in OWNERS:
        for name, function in vars(owner).items():
            if not name.startswith("_") and isfunction(function):
                yield from _text_parameters(f"{owner.__name__}.{name}", function)
    for record in RECORDS:
        assert is_dataclass(record)
        hints = get_type_hints(record)
        yield from (f"{record.__name__}.{one.name}" for one in fields(record) if _holds_text(hints[one.name]))
    yield from _text_parameters("open_runtime", open_runtime)
    for operation in all_operations():
        yield from (f"{operation.name}.{one.name}" for one in operation.fields if _holds_text(one.kind))
    for called in (Chat.converse, Ritual.preview, Ritual.finish):
        yield from _text_parameters(called.__qualname__, called)


def unregistered() -> set[str]:
    """Text that nobody entered and nobody excused. What the workspace on a disk shares with its contract counts once."""
    known = {one.covers.partition(" ")[0] for one in ENTRANCES} | set(NO_PATHS)
    shared = {f"Disk{name}" for name in known if name.startswith("Workspace.")}
    return set(text_parameters()) - known - shared
