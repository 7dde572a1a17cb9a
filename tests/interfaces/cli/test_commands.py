"""Every command is made from an operation, but for those of the command line itself."""

from collections import Counter
from collections.abc import Iterator

import click

from everself.interfaces.cli.root import everself
from everself.operations.registry import all_operations

# chat is a dialogue; the others are about the command line itself
BY_HAND = {
    "chat",
    "completion",
    "help",
    "gateway run",
    "gateway start",
    "gateway restart",
    "web",
    "mcp",
    "hook",
    "demo",
}


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from leaves(found, (*words, name))
    else:
        yield " ".join(words)


def test_every_operation_has_one_command_and_no_other_command_is_made_by_hand() -> None:
    declared = [one.name.replace(".", " ") for one in all_operations() if one.command]
    assert Counter([*declared, *BY_HAND]) == Counter(leaves(everself))
