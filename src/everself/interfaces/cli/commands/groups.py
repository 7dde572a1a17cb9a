"""The command groups that contain only operations: their order, help line and examples."""

from inspect import cleandoc

import click

from everself.interfaces.cli.call import json_option
from everself.interfaces.cli.operation_group import OperationGroup
from everself.interfaces.cli.root import GROUPS


def group(prefix: str, order: str, examples: str, line: str = "") -> OperationGroup:
    """`order` is the order of the commands in the help."""

    def callback() -> None:
        context = click.get_current_context()
        if context.invoked_subcommand is None:
            click.echo(context.get_help())

    made = OperationGroup(
        prefix.rpartition(".")[2],
        prefix=prefix,
        order=order.split(),
        callback=callback,
        help=f"{line or GROUPS[prefix][0]}\n\n{cleandoc(examples)}",
    )
    json_option(made)
    return made


memory = group(
    "memory",
    "search get why list show contents status add edit correct supersede forget promote compact export import vouch release bank "
    "index rebuild eval",
    """
    $ everself memory search "green tea"  # what it knows about something
    $ everself memory list  # what it remembers
    $ everself memory add "Prefers green tea"  # tell it something
    $ everself memory correct "Lives in Berlin" "Lives in Oslo"  # put something right
    """,
)
memory.add_command(
    group(
        "memory.bank",
        "list show add",
        """
        $ everself memory bank list  # all pages
        $ everself memory bank add "Alice Chen" "Works on the parser"  # a person's page
        """,
        "Keep typed pages: world, experience, opinions, and one for each entity.",
    )
)
cron = group(
    "cron",
    "add list show rm enable disable run history tick",
    """
    $ everself cron list  # what runs when, and how it went
    $ everself cron add --name Review --cron "0 18 * * 5" --verb "memory promote --review" --announce  # every Friday at six
    $ everself cron tick  # run what is due; for the crontab of your system
    """,
)
keepers = group(
    "keepers",
    "list run history",
    """
    $ everself keepers list  # who looks after the memory, and when
    $ everself keepers run memory-miner --dry-run  # what it would do now
    $ everself keepers history  # what they did
    """,
)
model = group(
    "model",
    "list use test",
    """
    $ everself model list  # what can be used, for how much, and whose key is there
    $ everself model use anthropic/claude-sonnet-5-5  # talk through that one from now on
    $ everself model test  # what the model in use can and cannot do
    """,
)
config = group(
    "config",
    "get set unset show path",
    """
    $ everself config show  # what is set, and where
    $ everself config set agents.defaults.userTimezone Europe/Berlin  # set one
    """,
)
agents = group(
    "agents",
    "list show add remove",
    """
    $ everself agents list  # the agents and their workspaces
    $ everself agents add aria  # another agent with its own workspace
    """,
)
soul = group(
    "soul",
    "show history digest diff propose approve refuse rollback test verify",
    """
    $ everself soul show  # the soul, and what waits for your yes
    $ everself soul approve last  # let the newest proposal become part of it
    $ everself soul rollback last  # make it what it was before
    """,
)
sessions = group(
    "sessions",
    "list show search export delete",
    """
    $ everself sessions list  # the one that was spoken in last first
    $ everself sessions show last  # what was said in it
    $ everself sessions search harbour fee  # messages with all of these words
    """,
)
