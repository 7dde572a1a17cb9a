"""An agent that can be talked to: opened, and made first where this is the first time; what it hears, and what it does afterwards."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from everself.cli.call import opened, recovery_notices, show_lines, show_notices, this_call

if TYPE_CHECKING:
    from everself.app.app import App


def forgiving(stream: TextIO) -> TextIO:
    """What a pipe brings, whatever its bytes are: those that are no text are shown as such."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return stream


@contextmanager
def awake(agent: str) -> Iterator["App"]:
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
        if not this_call().json:
            show_notices(recovery_notices(app))
        yield app


def settle_down(app: "App") -> None:
    """After the answer: make what was said searchable by meaning, for whoever comes next. Where it cannot be now, it is then."""
    from everself.errors import EverselfError
    from everself.verbs.recalls import catch_up

    sys.stdout.flush()
    # only the waiting is broken off by Ctrl-C: each batch was kept
    with suppress(EverselfError, KeyboardInterrupt):
        if app.agent.search.enabled:
            app.index.sync()
            catch_up(app)
