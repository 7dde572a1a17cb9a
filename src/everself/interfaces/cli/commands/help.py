"""`everself help`: the help of a command, and the table of exit codes. `everself completion`: the script for shell completion by click."""

import click

from everself.interfaces.cli.call import answer, json_option
from everself.interfaces.cli.command_types import ExampleCommand, ExampleGroup
from everself.interfaces.rendering.view import MEANINGS

EXIT_CODES = "exit-codes"
_INSTALL = {
    "bash": 'eval "$(everself completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(everself completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "everself completion fish > ~/.config/fish/completions/everself.fish",
}


@click.command("help", cls=ExampleCommand)
@click.argument("topic", nargs=-1)
@json_option
@click.pass_context
def help_command(context: click.Context, topic: tuple[str, ...]) -> None:
    """Show the help of a command, or the exit codes.

    $ everself help undo  # the same as everself undo --help
    $ everself help exit-codes  # the table
    """
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


@click.command("completion", cls=ExampleCommand)
@click.argument("shell", type=click.Choice(sorted(_INSTALL)))
@json_option
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script for command completion in your shell.

    $ eval "$(everself completion bash)"  # complete in this bash; put the line into ~/.bashrc to keep it
    $ everself completion fish > ~/.config/fish/completions/everself.fish  # complete in every fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click does not complete in {shell}.")
    completer = kind(context.find_root().command, {}, "everself", "_EVERSELF_COMPLETE")
    # click's bash class would start a bash to get its version
    script = ShellComplete.source(completer).strip()
    lines = [f"# Install: {_INSTALL[shell]}", *script.split("\n")]
    answer({"shell": shell, "install": _INSTALL[shell], "script": script}, lines)
