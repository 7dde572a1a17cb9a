"""`everself sessions`: what was said."""

import click

from everself.interfaces.cli.call import json_option
from everself.interfaces.cli.operation_group import OperationFamily


@click.group(
    "sessions",
    cls=OperationFamily,
    prefix="sessions",
    order=("list", "show", "search", "export", "delete"),
    examples=[
        ("everself sessions list", "the one that was spoken in last first"),
        ("everself sessions show last", "what was said in it"),
        ("everself sessions search harbour fee", "messages with all of these words"),
    ],
)
@json_option
@click.pass_context
def sessions(context: click.Context) -> None:
    """Look at what was said, export it, delete it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
