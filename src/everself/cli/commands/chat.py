"""`everself chat` and `everself ask`: talk to the agent, at a terminal, through a pipe, or with one message."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from everself.cli.call import (
    agent_option,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    show_notices,
    this_call,
)
from everself.cli.exit_codes import ExitCode
from everself.cli.shapes import Verb
from everself.errors import WrongUse

if TYPE_CHECKING:
    from everself.app.app import App


@click.command(
    "chat",
    cls=Verb,
    examples=[
        ("everself chat", "talk; /help lists what else can be typed"),
        ("everself chat --resume last", "go on where you stopped"),
        ("printf 'What did I decide?\\n' | everself chat", "each line of a pipe is one message"),
    ],
)
@click.option("--resume", metavar="ID|last", default="", help="Go on with an earlier conversation.")
@agent_option
@json_option
def chat(resume: str, agent: str) -> int:
    """Talk to the agent.

    The first time, its workspace is made. Where there is no terminal, each line is one message.
    """
    if this_call().json:
        raise WrongUse("A conversation is no JSON object.", mend="everself ask --json TEXT")
    with _awake(agent) as app:
        session = app.chat.begin(channel="cli", resume=resume)
        if sys.stdin.isatty() and sys.stdout.isatty():
            from everself.faces.repl.terminal import Streams, talk_at_terminal

            well = talk_at_terminal(app, session, Streams(sys.stdout, colour=app.places.color))
        else:
            from everself.faces.repl.line_mode import talk_in_lines

            well = talk_in_lines(app, session, (sys.stdin, sys.stdout, sys.stderr))
    return ExitCode.DONE if well else ExitCode.FAILED


@contextmanager
def _awake(agent: str) -> Iterator["App"]:
    """The agent, made first where this is the first time. One that was there and is gone is not made anew: that would hide a loss."""
    with opened(agent) as app:
        new = not os.path.lexists(app.agent.workspace) and not os.path.lexists(app.agent.state)
        where = app.agent.workspace
    if new:
        from everself.verbs.agents import settle

        settle(agent)
        show_lines([f"Your agent lives in {where}: plain files, yours to read and edit."], err=True)
    with opened(agent) as app:
        app.workspace  # noqa: B018 what a dead process left half done is completed before anybody speaks
        show_notices(recovery_notices(app))
        yield app
