"""The kinds of command: one that does something, one that holds others, and one that holds commands made from operations. All show the
examples that their help text holds. Operations are listed from the generated index, and each is loaded when it is called.
"""

from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

import click

from everself.operations.examples import split_examples
from everself.operations.registry import LISTED


class ExampleCommand(click.Command):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        named["help"], self.examples = split_examples(cleandoc(named.get("help") or ""))
        super().__init__(*arguments, **named)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands to copy, each with what it does. Written raw: a wrapped command is no longer a command."""
        if self.examples:
            with formatter.section("Examples"):
                for command, meaning in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{command}\n")
                    formatter.write(f"{'':>{formatter.current_indent + 4}}{meaning}\n")
        super().format_epilog(ctx, formatter)


class ExampleGroup(ExampleCommand, click.Group):
    """A name it does not hold is answered with the nearest one that it does. Its callback prints the help where no name is given."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.invoke_without_command = True
        self.no_args_is_help = False

    def list_commands(self, _: click.Context) -> list[str]:
        # in the order in which a person meets them, not of the alphabet
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            import difflib

            shown = name[:60]
            near = difflib.get_close_matches(name[:60], self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f' Did you mean "{near[0]}"?' if near else ""
            raise click.UsageError(f"Unknown command: {shown}.{hint}", ctx)
        return super().resolve_command(ctx, args)


class OperationGroup(ExampleGroup):
    """Holds the commands of all operations whose names begin with `prefix`, beside those that were added by hand.

    `order` is the order in which a person meets them; what is not named there comes last.
    """

    def __init__(self, *arguments: Any, prefix: str = "", order: Sequence[str] = (), **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.order = tuple(order)
        start = f"{prefix}." if prefix else ""
        names = {one.name: one.help for one in LISTED if one.name.startswith(start)}
        self.listed = {name[len(start) :]: line for name, line in names.items() if "." not in name[len(start) :]}
        self.start = start

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.in_order([*self.listed, *super().list_commands(ctx)])

    def in_order(self, names: Sequence[str]) -> list[str]:
        known = {name: at for at, name in enumerate(self.order)}
        return sorted(names, key=lambda name: known.get(name, len(known)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.listed:
            return super().get_command(ctx, cmd_name)
        # only the command that is called loads its operation
        from everself.interfaces.cli.operation_command import find_command

        return find_command(f"{self.start}{cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.line_of(ctx, name)) for name in self.list_commands(ctx)])

    def line_of(self, ctx: click.Context, name: str) -> str:
        # from the table where that knows it: asking each command for its line would load them all
        if name in self.listed:
            return self.listed[name]
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(limit=200)
