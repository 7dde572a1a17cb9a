"""`everself memory`: everything the agent remembers, entry by entry."""

import click

from everself.cli.call import json_option
from everself.cli.commands.memory.banking import bank
from everself.cli.commands.memory.compacting import compact
from everself.cli.commands.memory.evaluating import eval_command
from everself.cli.commands.memory.forgetting import forget
from everself.cli.commands.memory.indexing import index, rebuild, status
from everself.cli.commands.memory.looking import list_command, show
from everself.cli.commands.memory.moving import export, import_command
from everself.cli.commands.memory.promoting import promote
from everself.cli.commands.memory.searching import get, search, why
from everself.cli.commands.memory.vouching import release, vouch
from everself.cli.commands.memory.writing import add, correct, edit, supersede
from everself.cli.shapes import Family


@click.group(
    "memory",
    cls=Family,
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
    *(search, get, why, list_command, show, status, add, edit, correct, supersede, forget),
    *(promote, compact, export, import_command, vouch, release, bank, index, rebuild, eval_command),
)
for _command in _COMMANDS:
    memory.add_command(_command)
