"""The root command `everself`: its global options, and access to the commands."""

import importlib
import sys
from typing import Final

import click

from everself import __version__
from everself.errors import EverselfError
from everself.interfaces.cli.call import Call, agent_option, json_option, print_json
from everself.interfaces.cli.operation_group import OperationGroup
from everself.operations.registry import LISTED

_EPILOG = 'Every command takes --json. "everself help exit-codes" lists the exit codes.'
_MOST_NEAR: Final = 3
_ORDER: Final = (
    *("setup", "chat", "ask", "demo", "doctor", "config", "identity", "soul", "memory", "context", "sessions"),
    *("simulate-compaction", "model", "spend", "cron", "keepers", "review", "agents", "log", "show", "why", "undo"),
    *("connect", "disconnect", "hook", "web", "gateway", "mcp", "backup", "restore", "completion", "help"),
)
# Commands that are not a single operation: the line of help, and the module and name to import when called.
GROUPS: Final[dict[str, tuple[str, str]]] = {
    "setup": ("Create an agent's workspace, or its missing parts.", "setup:setup"),
    "chat": ("Talk to the agent.", "chat:chat"),
    "config": ("Read and change settings.", "groups:config"),
    "soul": ("Read the soul, decide on proposals, and undo changes of it.", "groups:soul"),
    "memory": ("Search, add, correct, forget, export: what the agent remembers.", "groups:memory"),
    "sessions": ("List, show, search, export and delete conversations.", "groups:sessions"),
    "model": ("Choose the model that answers, and try what it can do.", "groups:model"),
    "cron": ("Schedule jobs: keepers, operations, messages to the agent.", "groups:cron"),
    "keepers": ("See and run the keepers that look after memory.", "groups:keepers"),
    "review": ("Decide on proposals, conflicts and quarantined entries, one key each.", "review:review"),
    "agents": ("List, add and remove agents.", "groups:agents"),
    "gateway": ("Run the HTTP gateway for other programs, and manage its tokens.", "gateway:gateway"),
    "hook": ("Answer an event of a coding agent; the client calls it, not you.", "hook:hook"),
    "demo": ("Play an invented month of an agent's life, with each step explained.", "demo:demo"),
    "mcp": ("Serve memory to an MCP client, over stdin and stdout.", "mcp:mcp"),
    "web": ("Open the web page in a browser, signed in.", "web:web"),
    "completion": ("Print the script for command completion in your shell.", "help:completion"),
    "help": ("Show the help of a command, or the exit codes.", "help:help_command"),
}


class Root(OperationGroup):
    def list_commands(self, _: click.Context) -> list[str]:
        return self.in_order([*dict.fromkeys((*self.listed, *GROUPS))])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in GROUPS:
            return super().get_command(ctx, cmd_name)
        module, _, name = GROUPS[cmd_name][1].partition(":")
        found: click.Command = getattr(importlib.import_module(f"everself.interfaces.cli.commands.{module}"), name)
        return found

    def near(self, ctx: click.Context, name: str) -> list[str]:
        """A command of a group ("status" for "memory status") or of a chat ("persona" for "identity") before one that is spelt alike."""
        inner = [one.name.replace(".", " ") for one in LISTED if name in (one.name.rpartition(".")[2], one.slash[1:])]
        return inner[:_MOST_NEAR] or super().near(ctx, name)

    def line_of(self, ctx: click.Context, name: str) -> str:
        return GROUPS[name][0] if name in GROUPS else super().line_of(ctx, name)


def _tell_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    call = context.find_object(Call)
    if call is not None and call.json:
        print_json({"ok": True, "data": {"version": __version__}, "notices": []})
    else:
        click.echo(f"everself {__version__}")
    context.exit()


@click.group("everself", cls=Root, order=_ORDER, epilog=_EPILOG)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_tell_version, help="Print the version."
)
@click.option("-v", "--verbose", count=True, help="Log to stderr what is done; -vv logs more.")
@agent_option
@json_option
@click.pass_context
def everself(context: click.Context, /, verbose: int, agent: str, **_: str) -> int:
    """A lasting identity and memory for AI agents, in plain Markdown files.

    Without a command, at a terminal, it starts a conversation.

    $ everself chat  # talk to your agent; the first time, it is made
    $ everself doctor  # see whether all is well, and what to do if not
    $ everself undo last  # take the last change back
    $ everself --agent aria log  # the same for another agent
    """
    call = context.find_object(Call)
    talks = sys.stdin.isatty() and sys.stdout.isatty() and not (call is not None and call.json)
    if context.invoked_subcommand is None and not talks:
        click.echo(context.get_help())
        return 0
    context.color = None if _colour_welcome() else False
    _start_log(context, verbose)
    if context.invoked_subcommand is None:
        from everself.interfaces.cli.commands.chat import chat

        code: int = context.invoke(chat, resume="", agent=agent)
        return code
    return 0


def _start_log(context: click.Context, verbose: int) -> None:
    from everself.config import environment
    from everself.config.log_levels import read_log_levels

    levels = read_log_levels(environment(), verbose)
    if levels:
        from everself.interfaces.cli.log_output import log_to_stderr

        context.with_resource(log_to_stderr(levels))


def _colour_welcome() -> bool:
    from everself.config import find_places

    try:
        return find_places().color
    except EverselfError:
        # errors of the environment are reported by the command that needs it
        return False
