"""`everself help`: the help of a command by name, and the table of exit codes."""

import click

from everself.interfaces.cli.call import answer, json_option
from everself.interfaces.cli.command_types import ExampleCommand, ExampleGroup
from everself.interfaces.rendering.view import MEANINGS

EXIT_CODES = "exit-codes"


@click.command(
    "help",
    cls=ExampleCommand,
    examples=[("everself help undo", "the same as everself undo --help"), ("everself help exit-codes", "the table")],
)
@click.argument("topic", nargs=-1)
@json_option
@click.pass_context
def help_command(context: click.Context, topic: tuple[str, ...]) -> None:
    """Explain a command, or the exit codes."""
    if topic == (EXIT_CODES,):
        lines = [f"{code:>4}  {words}" for code, words in MEANINGS.items()]
        answer([{"code": int(code), "meaning": words} for code, words in MEANINGS.items()], lines)
        return
    place = context.find_root()
    for name in topic:
        holder = place.command
        if not isinstance(holder, ExampleGroup):
            raise click.UsageError(f'"{place.command_path}" holds no command "{name[:60]}".', context)
        _, command, _ = holder.resolve_command(place, [name])
        if command is None:
            raise click.UsageError(f"Unknown command: {name[:60]}.", context)
        place = click.Context(command, parent=place, info_name=name)
    text = place.get_help()
    answer({"command": place.command_path, "help": text}, text.split("\n"))
