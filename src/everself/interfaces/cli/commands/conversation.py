"""Opens an agent for a conversation, and creates it on first use; reports and runs due jobs before and after."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from everself.errors import EverselfError
from everself.interfaces.cli.call import opened, recovery_notices, show_lines, show_notices, this_call
from everself.interfaces.cli.spawn import spawn
from everself.operations.caller import Audience, Caller
from everself.text.normalise import one_line

if TYPE_CHECKING:
    from everself.runtime import Runtime

_NEWS = 300


@contextmanager
def awake(agent: str) -> Iterator["Runtime"]:
    """The opened agent, created on first use. An agent that existed and is missing is not created again, because that would hide a loss."""
    with opened(agent) as app:
        new = not os.path.lexists(app.agent.workspace) and not os.path.lexists(app.agent.state)
        where = app.agent.workspace
    if new:
        from everself.operations.home import Home
        from everself.operations.setup import SetupRequest, set_up_agent

        # a folder with notes is not taken over here
        set_up_agent(Home(), Caller(Audience.OWNER_AT_TERMINAL), SetupRequest(agent=agent))
        show_lines(_welcome(where), err=True)
    with opened(agent) as app:
        app.workspace  # noqa: B018 what a dead process left half done is completed before anybody speaks
        if not this_call().json:
            show_notices(recovery_notices(app))
            _tell_unpacking(app)
        yield app


def _welcome(where: str) -> list[str]:
    lives = f"Your agent's files are in {where}: plain Markdown that you can read and edit."
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return [lives]
    from everself.interfaces.repl.markdown import wrapped
    from everself.interfaces.repl.screens import width_of

    lines = [
        "Everself remembers what you tell it. It runs on this machine and needs no account and no key.",
        lives,
        "Three things to try:",
        "  Tell it something, leave with Ctrl-D, start everself again and ask about it.",
        "  Correct it: “No, the demo is on Friday, not on Thursday.”",
        "  Type /memory to see what it wrote down, and /undo to take back the last change.",
        "",
    ]
    return [row for line in lines for row in wrapped(line, width_of(sys.stderr)).split("\n")]


def _tell_unpacking(app: "Runtime") -> None:
    """Announce the one-time unpacking of the model at a terminal. A log does not need it."""
    from everself.models.embedding.local.prepared_arrays import is_prepared

    if sys.stderr.isatty() and not is_prepared(app.models_folder):
        show_lines(["Unpacking the search model, once: the first reply takes a few seconds longer …"], err=True)


@contextmanager
def jobs_around(app: "Runtime") -> Iterator[None]:
    """Report the results of jobs, and run due jobs at the start and end of a chat.

    They run in a separate process, so that neither the first prompt nor the exit waits for them.
    """
    _tell_news(app)
    looking = threading.Thread(target=_start_due, args=(app,), name="jobs")
    looking.start()
    try:
        yield
    finally:
        looking.join()
        _start_due(app)


def _tell_news(app: "Runtime") -> None:
    from everself.operations.jobs import tell_news

    with suppress(EverselfError):
        for one in tell_news(app):
            off = (
                ""
                if one.job.enabled or one.job.kind == "at"
                else f" It is disabled now: everself cron enable {one.job.id}"
            )
            show_notices([f"{one.job.name} ({one.run.state}): {one_line(one.run.detail, _NEWS)}{off}"])


def _start_due(app: "Runtime") -> None:
    """Start due jobs in another process. Errors of jobs are reported by `everself cron` and the doctor, not in a conversation."""
    from everself.operations.jobs import is_anything_due

    with suppress(EverselfError, OSError):
        if is_anything_due(app):
            spawn(sys.executable, "-P", "-m", "everself", "cron", "tick", "--agent", app.agent.id)
