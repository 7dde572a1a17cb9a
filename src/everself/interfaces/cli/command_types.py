"""The two kinds of click command: single commands and groups. Both show the examples from their help text.

Knows click and no command.
"""

from inspect import cleandoc
from typing import Any

import click

from everself.operations.examples import split_examples


class ExampleCommand(click.Command):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        named["help"], self.examples = split_examples(cleandoc(named.get("help") or ""))
        super().__init__(*arguments, **named)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Example commands with explanations. Written unwrapped, so that they can be copied."""
        if self.examples:
            with formatter.section("Examples"):
                for command, meaning in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{command}\n")
                    formatter.write(f"{'':>{formatter.current_indent + 4}}{meaning}\n")
        super().format_epilog(ctx, formatter)


class ExampleGroup(ExampleCommand, click.Group):
    """A group that suggests the nearest name for an unknown one. Without a name it prints the help."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.invoke_without_command = True
        self.no_args_is_help = False

    def list_commands(self, _: click.Context) -> list[str]:
        # in the order of declaration, not alphabetically
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            near = " or ".join(f'"{one}"' for one in self.near(ctx, name[:60]))
            hint = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"Unknown command: {name[:60]}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def near(self, ctx: click.Context, name: str) -> list[str]:
        """The commands that may be meant by a name that no command has."""
        import difflib

        return difflib.get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
