"""`everself hook`: the command for events of coding agents. Their real calls are handled in `interfaces.cli.main`."""

import sys

import click

from everself.errors import WrongUse
from everself.interfaces.cli.call import answer, json_option, this_call
from everself.interfaces.cli.command_types import ExampleCommand


@click.command("hook", cls=ExampleCommand)
@click.argument("event")
@click.option("--client", metavar="NAME", default="claude-code", help="claude-code, codex, cursor or gemini.")
@click.option("--agent", metavar="NAME", default="", help="The agent to use, if there are several.")
@click.option("--deadline", metavar="MS", type=click.IntRange(1, 600_000), help="Instead of hooks.deadlineMs.")
@json_option
def hook(event: str, client: str, agent: str, deadline: int | None) -> None:
    """Answer an event of a coding agent; the client calls it, not you.

    EVENT is SessionStart, UserPromptSubmit, Stop, PreCompact or SessionEnd. It reads the client's JSON from stdin, answers within
    hooks.deadlineMs of its start or not at all, and always ends with exit code 0.

    $ everself connect claude-code  # lets a coding agent call it
    $ everself hook UserPromptSubmit --client codex < event.json  # what its model would be told
    """
    from everself.interfaces.client_hooks.entry import Hook

    asked = Hook([event, "--client", client, "--agent", agent, "--deadline", str(deadline or "")])
    if not asked.event or not asked.client:
        raise WrongUse(f'"{event[:40]}" of "{client[:40]}" is not a known event.', mend="everself hook --help")
    asked.work()
    if this_call().json:
        answer({"text": asked.text}, ())
        return
    sys.stdout.write(asked.answer.decode())
