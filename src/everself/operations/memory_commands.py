"""The operation of Anthropic's memory tool: one call runs one command, with the fields and replies that models know."""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from everself.conversation.tools.protocol import Outcome, Written
from everself.errors import RefusedByRule, UnsafePath
from everself.memory.provenance import OWN, TOOL, taint_of
from everself.operations.caller import OWNERS_SESSIONS, Audience, Caller
from everself.operations.declaration import Option, Request, ToolOffer, operation
from everself.operations.memory_tool.paths import TOP, CommandFailed, MemoryAnswer, shown
from everself.runtime import Runtime
from everself.search.scopes import Scope
from everself.search.sharing import is_owner, speaker_of

if TYPE_CHECKING:
    from everself.operations.memory_tool.commands import MemoryCommands

MEMORY_TOOL: Final = "tool.memory"
_PATH: Final = "A path that begins with /memories."


class MemoryToolRequest(Request):
    command: Annotated[Literal["view", "create", "str_replace", "insert", "delete", "rename"], Option("What to do.")]
    path: Annotated[str, Option(f"{_PATH} For every command but rename.")] = ""
    view_range: Annotated[
        tuple[int, ...] | None, Option("For view of a file: the first and the last line; -1 for the last one there is.")
    ] = None
    file_text: Annotated[str, Option("For create: the whole text of the file.")] = ""
    old_str: Annotated[str, Option("For str_replace: the text as it stands there, once.")] = ""
    new_str: Annotated[str, Option("For str_replace: what takes its place.")] = ""
    insert_line: Annotated[int | None, Option("For insert: the line after which the text goes; 0 for the top.")] = None
    insert_text: Annotated[str, Option("For insert: the text.")] = ""
    old_path: Annotated[str, Option(f"For rename: the current path. {_PATH}")] = ""
    new_path: Annotated[str, Option(f"For rename: the new path. {_PATH}")] = ""


def _show(_: Runtime, __: MemoryToolRequest, answer: MemoryAnswer) -> Outcome:
    written = (Written("file", answer.path, answer.path, change=answer.change),) if answer.change else ()
    return Outcome(answer.text, failed=answer.failed, written=written, stamp=answer.source)


def _is_on(runtime: Runtime, scope: Scope) -> bool:
    return runtime.loaded.config.tools.memory and is_owner(scope)


@operation(
    MEMORY_TOOL,
    audience=Audience.AGENT,
    effect="write",
    command=False,
    tool=ToolOffer(
        "memory",
        "Keep files of your own beneath /memories that last beyond this conversation: view a file or a directory, create, str_replace, "
        "insert, delete, rename. You can change what you made with this tool; the rest is read-only.",
        sessions=OWNERS_SESSIONS,
        where=_is_on,
        show=_show,
    ),
)
def use_memory_tool(runtime: Runtime, caller: Caller, request: MemoryToolRequest) -> MemoryAnswer:
    """Run one command of Anthropic's memory tool.

    `/memories` is the agent's folder `memory/`, or that of the conversation's project. What it writes always counts as a model's words,
    trusted no more than what the conversation has read. If a program does not say what it has read, the words are trusted like a tool's.
    """
    from everself.operations.memory_tool.commands import MemoryCommands

    if not is_owner(caller.scope):
        raise RefusedByRule("Permission denied: the memory tool is only available in the owner's own conversations.")
    taint = taint_of((caller.taint, speaker_of(caller.scope), OWN if caller.is_model else TOOL))
    commands = MemoryCommands(runtime, caller.scope.project, taint, caller.message)
    try:
        return _run(commands, request)
    except CommandFailed as error:
        return MemoryAnswer(str(error), failed=True)
    except UnsafePath:
        named = request.old_path if request.command == "rename" else request.path
        return MemoryAnswer(f"Path {shown(named)} would escape {TOP} directory", failed=True)


def _run(commands: "MemoryCommands", request: MemoryToolRequest) -> MemoryAnswer:
    match request.command:
        case "view":
            return commands.view(request.path, request.view_range)
        case "create":
            return commands.create(request.path, request.file_text)
        case "str_replace":
            return commands.str_replace(request.path, request.old_str, request.new_str)
        case "insert":
            return commands.insert(request.path, request.insert_line, request.insert_text)
        case "delete":
            return commands.delete(request.path)
    return commands.rename(request.old_path, request.new_path)
