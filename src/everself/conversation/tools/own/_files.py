"""file_read, file_write and file_edit: plain files of the workspace within the policy. What only humans write stays theirs.

Memory has tools of its own: a line written into one of its files by hand would be believed as a person's own hand is.
"""

from typing import Final

from everself.conversation.tools.own._arguments import TEXT, WHOLE, describe, field, text_of, whole_of
from everself.conversation.tools.own.kit import Kit, told
from everself.conversation.tools.own.search import sources_of_lines
from everself.conversation.tools.protocol import MOST_CHARACTERS, Outcome, Tool, ToolContext, Written
from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule, WrongUse
from everself.identity.write_permissions import permission
from everself.memory.provenance import HAND, OWN, PERSON, concluded, rank, taint_of, weaker
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import SessionKind
from everself.search.sharing import effective, is_owner, speaker_of, visible
from everself.text.redaction import redact
from everself.values import Applied, Author, Change, Conflict, Create, Document, Edit, Refused, Replace
from everself.workspace.layout import Kind, is_hidden, place

_MOST_LINES: Final = 2_000
_PLAIN: Final = frozenset({Kind.OTHER, Kind.FOREIGN})

_READ = describe(
    "file_read",
    "Read a file of your workspace.",
    {
        "path": field(TEXT, "The file, from the top of the workspace."),
        "from": field(WHOLE, "First line; 1 where it is not given."),
        "lines": field(WHOLE, "How many lines; all where it is not given."),
    },
    ("path",),
)
_WRITE = describe(
    "file_write",
    "Write a file of your workspace, new or in place of what stands there. Memory has its own tools, and your soul is only proposed to.",
    {"path": field(TEXT, "The file, from the top of the workspace."), "content": field(TEXT, "All that it shall say.")},
    ("path", "content"),
)
_EDIT = describe(
    "file_edit",
    "Replace one passage of a file of your workspace.",
    {
        "path": field(TEXT, "The file, from the top of the workspace."),
        "old": field(TEXT, "The passage as it stands there, long enough to be found once."),
        "new": field(TEXT, "What takes its place."),
    },
    ("path", "old", "new"),
)


def reading_tools(kit: Kit) -> tuple[Tool, ...]:
    async def read(arguments: JsonObject, setting: ToolContext) -> Outcome:
        path = text_of(arguments, "path")
        first, lines = whole_of(arguments, "from", 10**9) or 1, whole_of(arguments, "lines", _MOST_LINES)
        return await kit.in_thread(lambda: _read(kit, setting, path, (first, lines)))

    return (Tool(_READ, read),)


def changing_tools(kit: Kit) -> tuple[Tool, ...]:
    async def write(arguments: JsonObject, setting: ToolContext) -> Outcome:
        path, content = text_of(arguments, "path"), text_of(arguments, "content", "")
        return await kit.in_thread(lambda: _write(kit, setting, path, content))

    async def edit(arguments: JsonObject, setting: ToolContext) -> Outcome:
        path, old, new = text_of(arguments, "path"), text_of(arguments, "old"), text_of(arguments, "new", "")
        return await kit.in_thread(lambda: _edit(kit, setting, path, (old, new)))

    return Tool(_WRITE, write, changes=True), Tool(_EDIT, edit, changes=True)


def _read(kit: Kit, setting: ToolContext, path: str, asked: tuple[int, int | None]) -> Outcome:
    seen = _seen(kit, setting, path)
    if seen is None:
        raise NotFound(f'file "{path[:200]}", or this session may not read it.')
    first, lines = asked
    every = seen.decode("utf-8", "replace").splitlines(keepends=True)
    if first > max(1, len(every)):
        raise NotFound(f"{path} has {len(every)} lines.")
    last = len(every) if lines is None else min(len(every), first + lines - 1)
    text = redact("".join(every[first - 1 : last])).text
    most = MOST_CHARACTERS * 4 // 5
    if len(text) > most:
        text = text[:most].rpartition("\n")[0] or text[:most]
        last = first + text.count("\n")
    source = _source(kit, path, first, last)
    result = {"path": path, "from": first, "to": last, "of": len(every), "text": text, "source": source}
    return Outcome(told(result), stamp=taint_of((source,)))


def _seen(kit: Kit, setting: ToolContext, path: str) -> bytes | None:
    """What a session may read of a file; None for nothing, whether it is there or not."""
    where = place(path, kit.personas)
    # quarantined text is withheld from models, which it could mislead
    if is_hidden(path) or where.kind in (Kind.QUARANTINE, Kind.TEMPORARY):
        return None
    found = kit.find(path)
    if found is None:
        return None
    if is_owner(setting.scope):
        return found.data
    scope = effective(setting.scope)
    if scope.kind is SessionKind.SUBAGENT and where.kind in _PLAIN and _is_nobodys(path, scope.project):
        return found.data
    return visible(setting.scope, path, found.data, kit.rules) or None


def _is_nobodys(path: str, project: str | None) -> bool:
    where = place(path)
    return where.person is None and where.project in (None, project) and where.writer == "agent"


def _source(kit: Kit, path: str, first: int, last: int) -> str:
    """The least trusted source of these lines. Nobody vouches for a plain file: it is a hand's at best."""
    where = place(path)
    if where.person is not None:
        return f"{PERSON}{where.person}"
    if not where.indexed:
        found = kit.workspace().find(path)
        return source_of_file(kit, path, found.data if found is not None else b"")
    found_sources = sources_of_lines(kit.memory(), path, first, last)
    return min(found_sources, key=rank, default=HAND)


def source_of_file(kit: Kit, path: str, data: bytes) -> str:
    """What is known of a plain file: whose words a tool wrote there. What was changed since is no more trusted than what it was."""
    if kit.files is None:
        return HAND
    files = kit.files()
    exact = files.of_content(data)
    if exact:
        return min(exact, key=rank)
    before = files.of_path(path)
    return weaker(HAND, before) if before else HAND


def _write(kit: Kit, setting: ToolContext, path: str, content: str) -> Outcome:
    _check(kit, setting, path)
    now = kit.workspace().find(path)
    data = content.encode("utf-8", "replace")
    edit: Edit = Create(path, data) if now is None else Replace(path, _whole(now).hash, 0, len(now.data), data)
    return _apply(kit, setting, edit, data, _writer(setting))


def _edit(kit: Kit, setting: ToolContext, path: str, passage: tuple[str, str]) -> Outcome:
    _check(kit, setting, path)
    now = kit.workspace().find(path)
    if now is None:
        raise NotFound(f'file "{path[:200]}".')
    old, new = (one.encode("utf-8", "replace") for one in passage)
    times = _whole(now).data.count(old)
    if times != 1:
        words = "does not stand there" if not times else f"stands there {times} times"
        raise WrongUse(f"`old` {words}; it must occur exactly once.", mend="Read the file first.")
    start = now.data.index(old)
    after = now.data[:start] + new + now.data[start + len(old) :]
    # the unchanged part of the file keeps its source
    source = weaker(_writer(setting), source_of_file(kit, path, now.data))
    return _apply(kit, setting, Replace(path, now.hash, start, start + len(old), new), after, source)


def _writer(setting: ToolContext) -> str:
    """Whose words a tool writes: the agent's, or no better than what the conversation has read."""
    return concluded(taint_of((setting.taint, speaker_of(setting.scope))))


def _check(kit: Kit, setting: ToolContext, path: str) -> None:
    """Whether this may be written at all. The guards of the workspace decide once more; here it is said in words that help."""
    if not is_owner(setting.scope):
        raise RefusedByRule("Permission denied: files can only be written in the owner's own conversations.")
    where = place(path, kit.personas)
    if where.indexed:
        raise RefusedByRule(
            f"{path} is a memory file and cannot be edited as a plain file.",
            mend="Use memory_write, memory_correct or memory_forget.",
        )
    allowed = permission(Author.AGENT, path, tainted=setting.taint != OWN, personas=kit.personas)
    if allowed == "write":
        return
    if where.kind is Kind.SOUL:
        raise RefusedByRule("Permission denied: only a human can change SOUL.md.", mend="Use soul_propose.")
    if allowed == "propose" and not where.humans_only:
        words = f"{path} is part of every prompt, and this conversation contains text from outside."
        raise RefusedByRule(
            words, mend="Tell the person what you would write; they can do it, or ask in a new conversation."
        )
    raise RefusedByRule(
        f"Permission denied: only humans can write {path}.", mend="Tell the person what you would change."
    )


def _whole(found: Document) -> Document:
    if found.cut:
        raise RefusedByRule(f"{found.path} is too large to be edited: only part of it is read.")
    return found


def _apply(kit: Kit, setting: ToolContext, edit: Edit, after: bytes, source: str) -> Outcome:
    tainted = setting.taint != OWN
    if kit.files is not None:
        # recorded before the file is written: after a crash the file is trusted less, never more
        kit.files().note(edit.path, after, source)
    name = "edit a file" if isinstance(edit, Replace) else "write a file"
    done = kit.workspace().apply(Change(Author.AGENT, name, (edit,), (f"msg:{setting.message}",), tainted=tainted))
    if isinstance(done, Refused):
        raise RefusedByRule(" ".join(done.reasons))
    if isinstance(done, Conflict):
        raise ChangedMeanwhile(f"({', '.join(done.paths)})")
    if not isinstance(done, Applied):
        return Outcome(told({"path": edit.path, "change": ""}))
    written = Written("file", edit.path, edit.path, change=done.id)
    return Outcome(told({"path": edit.path, "change": done.id}), written=(written,))
