"""A command group made from operations: listed from the generated index, each operation loaded when called."""

from collections.abc import Sequence
from typing import Any

import click

from everself.interfaces.cli.command_types import ExampleGroup
from everself.operations.registry import LISTED


class OperationGroup(ExampleGroup):
    """The commands of all operations whose names begin with `prefix`, and commands added by hand.

    `order` is the order in the help; others come last.
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
        # only the called command loads its operation
        from everself.interfaces.cli.operation_command import find_command

        return find_command(f"{self.start}{cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.line_of(ctx, name)) for name in self.list_commands(ctx)])

    def line_of(self, ctx: click.Context, name: str) -> str:
        # from the generated table if possible: asking each command would load them all
        if name in self.listed:
            return self.listed[name]
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(limit=200)
