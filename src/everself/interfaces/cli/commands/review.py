"""`everself review`: decides pending items, one key each."""

import sys
from typing import TYPE_CHECKING, Final

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import (
    agent_option,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    show_notices,
    this_call,
)
from everself.interfaces.cli.operation_group import OperationGroup
from everself.interfaces.rendering.lines import count_of, paint
from everself.interfaces.rendering.review import decided, painted
from everself.interfaces.rendering.view import ExitCode
from everself.interfaces.repl.review import decide_by_key, one_by_one, waiting

if TYPE_CHECKING:
    from everself.operations.review_queue import Waiting
    from everself.runtime import Runtime

_KEYS: Final = "e edit · r refuse · s skip · q quit"


@click.group("review", cls=OperationGroup, prefix="review", order=("list", "accept", "edit", "refuse"))
@agent_option
@json_option
@click.pass_context
def review(context: click.Context, agent: str) -> int:
    """Decide on proposals, conflicts and quarantined entries, one key each.

    It also covers promotions and entries that were added outside Everself. At a terminal each item is shown in turn; elsewhere they are
    listed.

    $ everself review  # go through what waits for you, one key each
    $ everself review list  # only list it
    $ everself review accept 7K3QX9M2ABCD  # say yes to one
    """
    if context.invoked_subcommand is not None:
        return ExitCode.DONE
    if this_call().json or not sys.stdin.isatty():
        from everself.interfaces.cli.operation_command import find_command

        listed: int = context.invoke(find_command("review.list"), agent=agent)
        return listed
    with opened(agent) as app:
        _walk(app)
        show_notices(recovery_notices(app))
    return ExitCode.DONE


def _walk(app: "Runtime") -> None:
    found = waiting(app)
    for heading, one in one_by_one(app, found):
        show_lines([heading, *painted(one)])
        if not _ask(app, one):
            break
    show_lines(found.notes)
    left = len(waiting(app).waiting)
    show_lines([f"{count_of(left, 'thing')} still to decide." if left else "Nothing waits for you."])


def _ask(app: "Runtime", one: "Waiting") -> bool:
    """Whether to go on with the next."""
    yes = f"1–{len(one.answers)} answer" if len(one.answers) > 1 else "a accept"
    while True:
        show_lines([paint(f"{yes} · {_KEYS}", dim=True)])
        key = click.getchar()
        if key in "qQ\x1b":
            return False
        if key in "sS \r\n":
            return True
        try:
            done = decide_by_key(app, one, key.lower(), _edited(one) if key in "eE" else "")
        except EverselfError as error:
            show_lines([str(error)], err=True)
            return True
        if done is not None:
            show_lines([decided(done), ""])
            return True


def _edited(one: "Waiting") -> str:
    """The person's own text, empty if they cancel; long texts are edited in their editor."""
    if "\n" in one.words:
        text: str | None = click.edit(one.words)
        return text or ""
    typed: str = click.prompt("Your words", default="", show_default=False)
    return typed.strip()
