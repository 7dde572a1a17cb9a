"""Operations on the workspace's plain files, for the agent: read, write, edit. Files that only humans write are refused.

Memory files are refused too: a line written there directly would count as the person's own edit.
"""

from typing import Annotated, Final

from everself.config.sections import WorkspaceAccess
from everself.conversation.tools.protocol import MOST_CHARACTERS, Outcome, Written, told
from everself.errors import NotFound, RefusedByRule, WrongUse
from everself.identity.write_permissions import permission
from everself.memory.provenance import HAND, OWN, PERSON, concluded, rank, taint_of, weaker
from everself.memory.selection import sources_of_lines
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller
from everself.operations.declaration import Argument, Option, Request, Result, ToolOffer, operation
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import effective, is_owner, read_rules, speaker_of, visible
from everself.text.redaction import redact
from everself.values import Author, Change, Create, Document, Edit, Replace
from everself.workspace.layout import Kind, is_hidden, place
from everself.workspace.protocol import need_done

_MOST_LINES: Final = 2_000
_PLAIN: Final = frozenset({Kind.OTHER, Kind.FOREIGN})
_PATH: Final = "The file, from the top of the workspace."


class FilePart(Result):
    """Lines of a file, and their least trusted source. `of` is the number of lines in the file."""

    path: str
    first_line: int
    last_line: int
    of: int
    text: str
    source: str


class FileSaved(Result):
    """`change` is empty if the file already had this content."""

    path: str
    change: str


class ReadRequest(Request):
    path: Annotated[str, Argument(_PATH)]
    first: Annotated[int, Option("The first line; 1 unless given.", ge=1, tool="from")] = 1
    lines: Annotated[int | None, Option("How many lines; all unless given.", ge=1)] = None


def _show_part(_: Runtime, __: ReadRequest, part: FilePart) -> Outcome:
    result = {
        "path": part.path,
        "from": part.first_line,
        "to": part.last_line,
        "of": part.of,
        "text": part.text,
        "source": part.source,
    }
    return Outcome(told(result), stamp=taint_of((part.source,)))


def _may_read(runtime: Runtime, scope: Scope) -> bool:
    return is_owner(scope) or runtime.agent.subagent_access is WorkspaceAccess.RO


@operation(
    "file.read",
    audience=Audience.GUEST,
    effect="read",
    command=False,
    tool=ToolOffer(
        "file_read",
        "Read a file of your workspace.",
        sessions=OWNERS_SESSIONS | {SessionKind.SUBAGENT},
        where=_may_read,
        show=_show_part,
    ),
)
def read_file(runtime: Runtime, caller: Caller, request: ReadRequest) -> FilePart:
    """Read lines of a file of the workspace."""
    path, first = request.path, request.first
    seen = _seen(runtime, caller, path)
    if seen is None:
        raise NotFound(f'file "{path[:200]}".')
    every = seen.decode("utf-8", "replace").splitlines(keepends=True)
    if first > max(1, len(every)):
        raise NotFound(f"line {first} of {path}, which has {len(every)} lines.")
    last = len(every) if request.lines is None else min(len(every), first + min(request.lines, _MOST_LINES) - 1)
    text = redact("".join(every[first - 1 : last])).text
    most = MOST_CHARACTERS * 4 // 5
    if len(text) > most:
        text = text[:most].rpartition("\n")[0] or text[:most]
        last = first + text.count("\n")
    return FilePart(path, first, last, len(every), text, _source(runtime, path, first, last))


def _seen(runtime: Runtime, caller: Caller, path: str) -> bytes | None:
    """The part of a file that the session may read; None if there is none or it is not allowed."""
    where = place(path, runtime.personas)
    # quarantined text is hidden from models
    if is_hidden(path) or where.kind in (Kind.QUARANTINE, Kind.TEMPORARY):
        return None
    found = runtime.documents.find(path)
    if found is None:
        return None
    if is_owner(caller.scope):
        return found.data
    scope = effective(caller.scope)
    if scope.kind is SessionKind.SUBAGENT and where.kind in _PLAIN and _is_nobodys(path, scope.project):
        return found.data
    return visible(caller.scope, path, found.data, read_rules(runtime.agent.context.share)) or None


def _is_nobodys(path: str, project: str | None) -> bool:
    where = place(path)
    return where.person is None and where.project in (None, project) and where.writer == "agent"


def _source(runtime: Runtime, path: str, first: int, last: int) -> str:
    """The least trusted source of these lines. Plain files are unverified, so they count as edited outside at best."""
    where = place(path)
    if where.person is not None:
        return f"{PERSON}{where.person}"
    if not where.indexed:
        found = runtime.workspace.find(path)
        return source_of_file(runtime, path, found.data if found is not None else b"")
    found_sources = sources_of_lines(runtime.memory, path, first, last)
    return min(found_sources, key=rank, default=HAND)


def source_of_file(runtime: Runtime, path: str, data: bytes) -> str:
    """The recorded source of a plain file. Later edits do not raise its trust."""
    files = runtime.state.files
    exact = files.of_content(data)
    if exact:
        return min(exact, key=rank)
    before = files.of_path(path)
    return weaker(HAND, before) if before else HAND


class WriteRequest(Request):
    path: Annotated[str, Argument(_PATH)]
    content: Annotated[str, Option("All that it shall say.")] = ""


def _show_saved(_: Runtime, __: object, done: FileSaved) -> Outcome:
    written = (Written("file", done.path, done.path, change=done.change),) if done.change else ()
    return Outcome(told({"path": done.path, "change": done.change}), written=written)


@operation(
    "file.write",
    audience=Audience.AGENT,
    effect="write",
    command=False,
    tool=ToolOffer(
        "file_write",
        "Write a file of your workspace, new or in place of what stands there. Memory has its own tools, and your soul is only proposed "
        "to.",
        show=_show_saved,
    ),
)
def write_file(runtime: Runtime, caller: Caller, request: WriteRequest) -> FileSaved:
    """Write a plain file of the workspace."""
    path = request.path
    _check(runtime, caller, path)
    now = runtime.workspace.find(path)
    data = request.content.encode("utf-8", "replace")
    edit: Edit = Create(path, data) if now is None else Replace(path, _whole(now).hash, 0, len(now.data), data)
    return _apply(runtime, caller, edit, data, _writer(caller))


class EditFileRequest(Request):
    path: Annotated[str, Argument(_PATH)]
    old: Annotated[str, Option("The passage as it stands there, long enough to be found once.")]
    new: Annotated[str, Option("What takes its place.")] = ""


@operation(
    "file.edit",
    audience=Audience.AGENT,
    effect="write",
    command=False,
    tool=ToolOffer("file_edit", "Replace one passage of a file of your workspace.", show=_show_saved),
)
def edit_file(runtime: Runtime, caller: Caller, request: EditFileRequest) -> FileSaved:
    """Replace one passage of a plain file of the workspace."""
    path = request.path
    _check(runtime, caller, path)
    now = runtime.workspace.find(path)
    if now is None:
        raise NotFound(f'file "{path[:200]}".')
    old, new = (one.encode("utf-8", "replace") for one in (request.old, request.new))
    times = _whole(now).data.count(old)
    if times != 1:
        words = "does not stand there" if not times else f"stands there {times} times"
        raise WrongUse(f"`old` {words}; it must appear exactly once.", mend="Read the file first.")
    start = now.data.index(old)
    after = now.data[:start] + new + now.data[start + len(old) :]
    # the unchanged rest keeps its source
    source = weaker(_writer(caller), source_of_file(runtime, path, now.data))
    return _apply(runtime, caller, Replace(path, now.hash, start, start + len(old), new), after, source)


def _writer(caller: Caller) -> str:
    """The source of a tool's text: the agent, or the least trusted source in the conversation."""
    return concluded(taint_of((caller.taint, speaker_of(caller.scope))))


def _check(runtime: Runtime, caller: Caller, path: str) -> None:
    """Raises RefusedByRule if writing is not allowed. The workspace's guards check again; these messages are more helpful."""
    if not is_owner(caller.scope):
        raise RefusedByRule("Permission denied: files can only be written in the owner's own conversations.")
    where = place(path, runtime.personas)
    if where.indexed:
        raise RefusedByRule(
            f"{path} is a memory file and cannot be edited as a plain file.",
            mend="Use memory_write, memory_correct or memory_forget.",
        )
    allowed = permission(Author.AGENT, path, tainted=caller.taint != OWN, personas=runtime.personas)
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


def _apply(runtime: Runtime, caller: Caller, edit: Edit, after: bytes, source: str) -> FileSaved:
    tainted = caller.taint != OWN
    # recorded before the file is written, so that a crash can only lower its trust
    runtime.state.files.note(edit.path, after, source)
    name = "edit a file" if isinstance(edit, Replace) else "write a file"
    change = Change(Author.AGENT, name, (edit,), (f"msg:{caller.message}",), tainted=tainted)
    done = need_done(runtime.workspace.apply(change))
    return FileSaved(edit.path, done.id if done is not None else "")
