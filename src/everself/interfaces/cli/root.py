"""The command `everself` itself: what it takes before the name of a command, and the way to the commands."""

import click

from everself import __version__
from everself.interfaces.cli.call import Call, agent_option, json_option, print_json
from everself.interfaces.cli.command_types import Family
from everself.interfaces.cli.table import COMMANDS

_EXAMPLES = (
    ("everself chat", "talk to your agent; the first time, it is made"),
    ("everself doctor", "see whether all is well, and what to do if not"),
    ("everself undo last", "take the last change back"),
    ("everself --agent aria log", "the same for another agent"),
)
_EPILOG = 'Every command takes --json. "everself help exit-codes" lists what is told to the shell.'


class Root(Family):
    def list_commands(self, _: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        found = COMMANDS.get(cmd_name)
        return found[1]() if found else None

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        # from the table: asking each command for its line would load them all
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (summary, _) in COMMANDS.items()])


def _tell_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    call = context.find_object(Call)
    if call is not None and call.json:
        print_json({"ok": True, "data": {"version": __version__}, "notices": []})
    else:
        click.echo(f"everself {__version__}")
    context.exit()


@click.group("everself", cls=Root, examples=_EXAMPLES, epilog=_EPILOG)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_tell_version, help="Print the version."
)
@click.option("-v", "--verbose", count=True, help="Log to stderr what is done; -vv logs more.")
@agent_option
@json_option
@click.pass_context
def everself(context: click.Context, /, verbose: int, **_: str) -> None:
    """A self that lasts for AI agents: identity and memory in plain Markdown files."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        return
    context.color = None if _colour_welcome() else False
    _start_log(context, verbose)


def _start_log(context: click.Context, verbose: int) -> None:
    from everself.config import environment
    from everself.config.log_levels import read_log_levels

    levels = read_log_levels(environment(), verbose)
    if levels:
        from everself.interfaces.cli.log_output import log_to_stderr

        context.with_resource(log_to_stderr(levels))


def _colour_welcome() -> bool:
    from everself.config import find_places
    from everself.errors import EverselfError

    try:
        return find_places().color
    except EverselfError:
        # whatever is wrong with the environment is told by the command that needs it
        return False
