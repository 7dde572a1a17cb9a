"""`everself soul`: who the agent is at heart, how that grows, and the way back."""

import click

from everself.interfaces.cli.call import json_option
from everself.interfaces.cli.operation_group import OperationFamily


@click.group(
    "soul",
    cls=OperationFamily,
    prefix="soul",
    order=("show", "history", "digest", "diff", "propose", "approve", "refuse", "rollback", "test", "verify"),
    examples=[
        ("everself soul show", "the soul, and what waits for your yes"),
        ("everself soul approve last", "let the newest proposal become part of it"),
        ("everself soul rollback last", "make it what it was before"),
    ],
)
@json_option
@click.pass_context
def soul(context: click.Context) -> None:
    """Read the soul, decide how it grows, and take any step of it back."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
