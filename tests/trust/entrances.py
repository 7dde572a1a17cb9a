"""The registry of entrances that take a path, or a word that becomes part of one. Whoever adds one adds it here; a test sees to it."""

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, isfunction, signature
from itertools import count
from pathlib import Path
from typing import Literal, Union, get_args, get_origin, get_type_hints

from tests.trust.path_cases import CANARY

from everself.clock import Clock
from everself.errors import NotFound, UnsafePath
from everself.identity.growth import Growth
from everself.identity.soul import SoulRules
from everself.interfaces.cli.verbs import VERBS
from everself.memory.bank import Bank
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.promotion.moves import Pick, apply_moves
from everself.memory.provenance import OWNER
from everself.memory.quarantine import release
from everself.memory.selection import Selection, list_entries
from everself.memory.writing import NewEntry, PageSpot
from everself.operations.backup.manifest import DATABASE, WORKSPACE, Line, Manifest, render_manifest
from everself.operations.backup.restore_agent import bring_back
from everself.operations.changes import Changes
from everself.operations.declaration import Operation
from everself.operations.doctor import examine
from everself.operations.entry_account import account_of
from everself.operations.registry import all_operations
from everself.operations.setup import settle
from everself.runtime import open_runtime
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
    _asked("Changes.log.path", lambda doors, path: doors.changes.log(5, path)),
    _asked("Changes.show.identity", lambda doors, path: doors.changes.show(path)),
)

BY_VERBS = (
    Entrance("Changes.undo.identity", lambda doors, path: doors.changes.undo(path), "content"),
    Entrance("settle.agent", lambda _, path: settle(path), "name", costly=True),
    Entrance("examine.agent", lambda _, path: examine(path), "name", looks=True, costly=True),
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
        "Spot.path",
        lambda doors, path: _memory(doors).remember(
            NewEntry("likes tea", origin_of(OWNER), spot=PageSpot(path, "Tea"))
        ),
        "content",
        costly=True,
    ),
    _remembered("Bank.read.page", lambda memory, path: Bank(memory).read(path), looks=True),
    _remembered("Bank.write.page", lambda memory, path: Bank(memory).write(path, "likes tea", origin_of("owner"))),
    _remembered("Memory.edit.identity", lambda memory, path: memory.edit(path, "likes coffee", origin_of("owner"))),
    _remembered("Memory.supersede.old", lambda memory, path: memory.supersede(path, "0123456789AB")),
    _remembered("account_of.identity", account_of, looks=True),
    _remembered("release.identity", release),
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
    from everself.search.recall import Recall, RecallSources
    from everself.storage.real_disk import RealFileSystem

    place = IndexPlace(RealFileSystem(str(doors.beside)), str(doors.beside))
    index = Index(doors.workspace, place, doors.clock, "an agent")
    keeping = RecallSources(lambda _: {}, lambda _: 1.0, lambda *_: "")
    try:
        return Recall(index, doors.clock, Search(), keeping).get(path)
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
        from tests.conversation.tools.kits import box_of, call, kit_over

        tools = box_of(kit_over(_memory(doors), doors.workspace, doors.state))
        outcome = call(tools, name, {key: path, **more}).outcome
        if outcome.failed:
            raise UnsafePath(outcome.content)
        return outcome.content

    return Entrance(covers, enter, "content", looks=looks, costly=True)


BY_TOOLS = (
    _by_tool("file_read.path", {}, looks=True),
    _by_tool("file_write.path", {"content": "written by us\n"}),
    _by_tool("file_edit.path", {"old": KNOWN.decode(), "new": "written by us\n"}),
)

IN_SOULS = (
    Entrance("show_soul.name", lambda doors, path: _growth(doors).text_of(path), "content", looks=True, costly=True),
    Entrance("compare_souls.one", lambda doors, path: _growth(doors).diff(path), "content", looks=True, costly=True),
    Entrance("roll_back_soul.version", lambda doors, path: _growth(doors).rollback(path), "content", costly=True),
    Entrance("approve_soul.name", lambda doors, path: _growth(doors).approve(path), "content", costly=True),
    Entrance("refuse_soul.name", lambda doors, path: _growth(doors).refuse(path), "content", costly=True),
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
)

# Words that are no paths, each with the reason. What is not listed here and not entered above fails the completeness test.
NO_PATHS: dict[str, str] = {
    "Chat.converse.text": "what is said; what the tools make of it passes through their own entrances",
    "Chat.converse.person": "who says it, kept in a row",
    **dict.fromkeys(("ask.text", "ask.channel"), "as in a conversation, kept in a row"),
    "ask.resume": "compared with recorded sessions, whose ids are the runtime's own",
    **dict.fromkeys(("memory_write.content", "memory_write.category", "memory_write.tag"), "as in NewEntry"),
    **dict.fromkeys(("memory_correct.old", "memory_correct.new"), "as in Memory.correct"),
    "memory_promote.entries": "ids, as in Pick",
    "find_waiting.identity": "compared with the ids of what waits",
    **{f"{verb}_waiting.name": "compared with the ids of what waits" for verb in ("accept", "edit", "refuse")},
    "memory_forget.what": "an id, or words that entries are compared with",
    **dict.fromkeys(("file_write.content", "file_edit.old", "file_edit.new"), "words of a file"),
    **{f"soul_propose.{name}": "as in propose_soul" for name in ("line", "text", "reason", "evidence")},
    **dict.fromkeys(("memory_search.query", "spawn.task"), "words that are searched for, or said to a sub-agent"),
    "memory_get.path": "handed to memory.get",
    **{f"{kind}.base": "a hash, only ever compared" for kind in ("Insert", "Replace", "Move", "Remove", "Step")},
    "Intent.id": "made by the runtime; in a planted file it meets the same check as a step's path",
    **{f"Intent.{name}": "stored as text" for name in ("at", "author", "reason", "evidence", "undoes")},
    "History.commit.files": "entered through FileChange.path",
    **dict.fromkeys(
        ("make_backup.target", "bring_back.source", "restore_backup.source", "check_backup.source"),
        "a file or folder of their own that a person names, wherever it is",
    ),
    **dict.fromkeys(("open_runtime.environ", "examine.environ"), "variables of the environment"),
    "bring_back.agent": "prepared as in settle",
    "bring_back.workspace": "the root itself, which a person chooses for themselves",
    "Intent.key": "stored as text",
    "add_agent.agent": "refused where it is known, else handed to settle",
    "add_agent.workspace": "as in settle",
    "remove_agent.agent": "compared with the ids of the settings",
    "show_agent.agent": "compared with the ids of the settings",
    "settle.workspace": "the root itself, which a person chooses for themselves",
    "open_runtime.workspace": "the root itself, which a person chooses for themselves",
    **{
        f"{verb}.{word}": "looked up in a table of settings"
        for verb in ("get_value", "set_value", "unset_value", "list_values")
        for word in ("key", "group")
    },
    "set_value.value": "text of a setting",
    **dict.fromkeys(
        (
            "Runtime.remember.text",
            "Bank.write.text",
            "Memory.edit.text",
            "Memory.edit.seen",
            "Memory.correct.new",
            "Memory.supersede.new",
        ),
        "words that are remembered, or an id as the one before it",
    ),
    **dict.fromkeys(
        (
            "Runtime.remember.lineage",
            "Memory.correct.said",
            "Memory.correct.trigger",
            "Memory.correct.sure",
        ),
        "stored beside the words",
    ),
    **dict.fromkeys(
        ("accept_outside.paths", "undo_outside.paths"), "compared with the documents that were looked at anyway"
    ),
    "Pick.heading": "stored as text",
    "list_personas.session": "compared with recorded sessions",
    **{
        f"{verb}.name": "compared with recorded sessions, whose ids are the runtime's own"
        for verb in ("show_session", "export_session", "plan_deletion", "delete_session", "simulate_compaction")
    },
    **{
        f"{verb}.name": "compared with the names and ids of jobs"
        for verb in ("show_job", "remove_job", "enable_job", "disable_job", "run_job", "list_runs")
    },
    **dict.fromkeys(("run_keeper.name", "list_keeper_runs.name"), "compared with the names of keepers"),
    "search_messages.words": "compared with what was said",
    **dict.fromkeys(("use_model.name", "try_model.name"), "the name of a model, looked up among providers"),
    "use_model.agent": "looked up among the agents of the settings",
    **dict.fromkeys(("compare_souls.other", "check_soul.name"), "looked up as in show_soul"),
    **dict.fromkeys(
        ("propose_soul.text", "propose_soul.reason", "propose_soul.evidence", "refuse_soul.why", "roll_back_soul.line"),
        "words of a soul or about it, stored as text or compared with its lines",
    ),
    "Memory.correct.old": "an id as in supersede, or words that are searched for",
    **dict.fromkeys(
        ("export_memory.file", "import_memory.file"), "a file of their own that a person names, wherever it is"
    ),
    **dict.fromkeys(
        (
            "NewEntry.text",
            "NewEntry.who",
            "NewEntry.was",
            "NewEntry.key",
            "Spot.title",
            "Spot.heading",
        ),
        "stored as text",
    ),
    "memory.search.query": "looked for by its words",
    **dict.fromkeys(("memory.search.session", "memory.get.session"), "the name of a kind of session and a slug"),
    "memory.search.project": "made a slug",
    **dict.fromkeys(
        ("Selection.source", "Selection.person", "Selection.project"),
        "compared with what the entries say",
    ),
    **{
        f"{verb}.agent": "looked up among the agents of the settings"
        for verb in ("get_value", "set_value", "unset_value", "list_values")
    },
}

OWNERS: tuple[type, ...] = (FileSystem, Workspace, DiskWorkspace, History, Changes)
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
    yield from _tool_parameters()
    for operation in all_operations():
        yield from (f"{operation.name}.{one.name}" for one in operation.fields if _holds_text(one.kind))
    for verb in VERBS:
        yield from _verb_parameters(verb.called)


def _verb_parameters(called: str) -> Iterator[str]:
    from importlib import import_module

    module, _, name = called.partition(":")
    found: object = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    if not isinstance(found, Operation):
        yield from _text_parameters(name, found)


def _tool_parameters() -> Iterator[str]:
    """What a model may say to our own tools."""
    from everself.conversation.tools.own import (
        _files as files,
    )
    from everself.conversation.tools.own import (
        _memory as remembering,
    )
    from everself.conversation.tools.own import (
        _promotion as promoting,
    )
    from everself.conversation.tools.own import (
        _soul_proposal as proposing,
    )
    from everself.conversation.tools.own import (
        _subagent as spawning,
    )
    from everself.conversation.tools.own import (
        search as recalling,
    )
    from everself.models.chat.protocol import ToolSpec

    for module in (files, promoting, proposing, recalling, remembering, spawning):
        for spec in vars(module).values():
            if isinstance(spec, ToolSpec):
                for name, schema in spec.parameters["properties"].items():
                    if schema["type"] in ("string", "array"):
                        yield f"{spec.name}.{name}"


def unregistered() -> set[str]:
    """Text that nobody entered and nobody excused. What the workspace on a disk shares with its contract counts once."""
    known = {one.covers.partition(" ")[0] for one in ENTRANCES} | set(NO_PATHS)
    shared = {f"Disk{name}" for name in known if name.startswith("Workspace.")}
    return set(text_parameters()) - known - shared
