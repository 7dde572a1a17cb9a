"""`everself completion`: the script that teaches a shell. The completing itself is click's."""

import click

from everself.interfaces.cli.call import answer, json_option
from everself.interfaces.cli.command_types import ExampleCommand

_INSTALL = {
    "bash": 'eval "$(everself completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(everself completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "everself completion fish > ~/.config/fish/completions/everself.fish",
}


@click.command(
    "completion",
    cls=ExampleCommand,
    examples=[
        ('eval "$(everself completion bash)"', "complete in this bash; put the line into ~/.bashrc to keep it"),
        ("everself completion fish > ~/.config/fish/completions/everself.fish", "complete in every fish"),
    ],
)
@click.argument("shell", type=click.Choice(sorted(_INSTALL)))
@json_option
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what teaches your shell to complete commands."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click does not complete in {shell}.")
    completer = kind(context.find_root().command, {}, "everself", "_EVERSELF_COMPLETE")
    # the bash class would first start a bash to ask for its version
    script = ShellComplete.source(completer).strip()
    lines = [f"# Install: {_INSTALL[shell]}", *script.split("\n")]
    answer({"shell": shell, "install": _INSTALL[shell], "script": script}, lines)
