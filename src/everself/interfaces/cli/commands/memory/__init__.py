"""`everself memory`: everything the agent remembers, entry by entry."""

import click

from everself.interfaces.cli.call import json_option
from everself.interfaces.cli.commands.memory.bank import bank
from everself.interfaces.cli.commands.memory.compact import compact
from everself.interfaces.cli.commands.memory.eval import eval_command
from everself.interfaces.cli.commands.memory.index import index, rebuild, status
from everself.interfaces.cli.commands.memory.listing import list_command, show
from everself.interfaces.cli.commands.memory.transfer import export, import_command
from everself.interfaces.cli.commands.memory.vouch import release, vouch
from everself.interfaces.cli.operation_group import OperationFamily

_ORDER = (
    *("search", "get", "why", "list", "show", "status", "add", "edit", "correct", "supersede", "forget"),
    *("promote", "compact", "export", "import", "vouch", "release", "bank", "index", "rebuild", "eval"),
)


@click.group(
    "memory",
    cls=OperationFamily,
    prefix="memory",
    order=_ORDER,
    examples=[
        ('everself memory search "green tea"', "what it knows about something"),
        ("everself memory list", "what it remembers"),
        ('everself memory add "Prefers green tea"', "tell it something"),
        ('everself memory correct "Lives in Berlin" "Lives in Oslo"', "put something right"),
    ],
)
@json_option
@click.pass_context
def memory(context: click.Context) -> None:
    """Search, add, correct, forget, export: what the agent remembers."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_COMMANDS: tuple[click.Command, ...] = (
    *(list_command, show, status),
    *(compact, export, import_command, vouch, release, bank, index, rebuild, eval_command),
)
for _command in _COMMANDS:
    memory.add_command(_command)
