"""`everself chat`: talk to the agent, at a terminal or through a pipe."""

import sys

import click

from everself.errors import WrongUse
from everself.interfaces.cli.call import agent_option, json_option, this_call
from everself.interfaces.cli.command_types import ExampleCommand
from everself.interfaces.cli.commands.conversation import awake, jobs_around
from everself.interfaces.cli.parameters import forgiving
from everself.interfaces.rendering.view import ExitCode


@click.command("chat", cls=ExampleCommand)
@click.option("--resume", metavar="ID|last", default="", help="Continue an earlier conversation.")
@agent_option
@json_option
def chat(resume: str, agent: str) -> int:
    """Talk to the agent.

    On first use, its workspace is created. Without a terminal, each line is one message.

    $ everself chat  # talk; /help lists what else can be typed
    $ everself chat --resume last  # go on where you stopped
    $ printf 'What did I decide?\\n' | everself chat  # each line of a pipe is one message
    """
    if this_call().json:
        raise WrongUse("A conversation cannot be printed as one JSON object.", mend="everself ask --json TEXT")
    with awake(agent) as app, jobs_around(app):
        session = app.chat.begin(channel="cli", resume=resume)
        if sys.stdin.isatty() and sys.stdout.isatty():
            from everself.interfaces.repl.terminal import Streams, talk_at_terminal

            well = talk_at_terminal(app, session, Streams(sys.stdout, colour=app.places.color))
        else:
            from everself.interfaces.repl.line_mode import talk_in_lines
            from everself.operations.conversation import embed_waiting

            well = talk_in_lines(app, session, (forgiving(sys.stdin), sys.stdout, sys.stderr))
            sys.stdout.flush()
            embed_waiting(app)
    return ExitCode.DONE if well else ExitCode.FAILED
