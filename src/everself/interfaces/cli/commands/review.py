"""`everself review`: what waits for a human, and one key for each."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from everself.errors import EverselfError
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    this_call,
)
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.cli.parameters import words_of
from everself.interfaces.rendering.lines import Line, paint, paint_diff
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.operations.review import Decided, Queue, Waiting
    from everself.runtime import Runtime

_KEYS: Final = "a accept · e edit · r refuse · s skip · q quit"
_SAID: Final = {"accepted": "Accepted", "edited": "Accepted in your words", "refused": "Refused"}
_TEXT: Final = "Your words instead of what stands there; - reads them from standard input."
_seen = click.option("--seen", metavar="MARK", default="", help="Only if it is still what `review list --json` showed.")


@click.group(
    "review",
    cls=Family,
    examples=[
        ("everself review", "go through what waits for you, one key each"),
        ("everself review list", "only list it"),
        ("everself review accept 7K3QX9M2ABCD", "say yes to one"),
    ],
)
@agent_option
@json_option
@click.pass_context
def review(context: click.Context, agent: str) -> None:
    """Decide what waits for you, one key each.

    That is growth of the soul, conflicts, promotions, what was kept apart, and what a hand wrote. At a terminal each is shown in turn;
    elsewhere they are listed.
    """
    if context.invoked_subcommand is not None:
        return
    if this_call().json or not sys.stdin.isatty():
        _list(agent)
        return
    with opened(agent) as app:
        _walk(app)
        answer(None, [], recovery_notices(app))


@review.command("list", cls=Verb, examples=[("everself review list --json", "for a script, each with its mark")])
@agent_option
@json_option
def list_command(agent: str) -> None:
    """List what waits for you."""
    _list(agent)


@review.command(
    "accept",
    cls=Verb,
    examples=[
        ("everself review accept 7K3QX9M2ABCD", "yes, or the first of its answers"),
        ("everself review accept 7K3QX9M2ABCD --answer 2", "the second of its answers"),
    ],
)
@click.argument("identity", metavar="ID")
@click.option("--answer", "number", type=click.IntRange(1, 99), default=1, help="Which of its answers, from 1.")
@_seen
@agent_option
@json_option
def accept(identity: str, number: int, seen: str, agent: str) -> None:
    """Say yes to one thing that waits.

    What a hand wrote becomes yours at your own terminal only.
    """
    from everself.operations.review import Word, accept_waiting

    with opened(agent) as app:
        done = accept_waiting(app, identity, Word(answer=number - 1, seen=seen, present=sys.stdin.isatty()))
        answer(done, [_done(done)], recovery_notices(app))


@review.command(
    "edit",
    cls=Verb,
    examples=[('everself review edit 7K3QX9M2ABCD --text "The demo is in June."', "yes, but in your words")],
)
@click.argument("identity", metavar="ID")
@click.option("--text", metavar="TEXT", required=True, help=_TEXT)
@_seen
@agent_option
@json_option
def edit(identity: str, text: str, seen: str, agent: str) -> None:
    """Say yes in your own words: what stands there is replaced by them, then it is accepted."""
    from everself.operations.review import Word, edit_waiting

    present = sys.stdin.isatty()
    words = words_of(text)
    with opened(agent) as app:
        done = edit_waiting(app, identity, Word(text=words, seen=seen, present=present))
        answer(done, [_done(done)], recovery_notices(app))


@review.command("refuse", cls=Verb, examples=[("everself review refuse 7K3QX9M2ABCD", "no, and it is not asked again")])
@click.argument("identity", metavar="ID")
@click.option("--why", metavar="TEXT", default="", help="For a line of the soul: the reason, kept in CHANGELOG.md.")
@_seen
@agent_option
@json_option
def refuse(identity: str, why: str, seen: str, agent: str) -> None:
    """Say no to one thing that waits. The same is not asked again."""
    from everself.operations.review import Word, refuse_waiting

    with opened(agent) as app:
        done = refuse_waiting(app, identity, Word(why=why, seen=seen))
        answer(done, [_done(done)], recovery_notices(app))


def _list(agent: str) -> None:
    from everself.operations.review import list_waiting

    with opened(agent) as app:
        found = list_waiting(app)
        answer(found, list(_listed(found)), [*found.notes, *recovery_notices(app)])


def _listed(found: "Queue") -> Iterator[Line]:
    if not found.waiting:
        yield "Nothing waits for you."
    for one in found.waiting:
        yield from _shown(one)
        yield ""
    if found.waiting:
        yield f"{count_of(len(found.waiting), 'thing')} to decide: everself review"


def _shown(one: "Waiting") -> Iterator[Line]:
    from everself.operations.review import lines_of

    first, *rest = lines_of(one)
    yield paint(first[: len(one.id)], "yellow") + first[len(one.id) :]
    for line in rest:
        diff = line[2:] if one.diff else ""
        yield next(iter(paint_diff(diff)), line) if diff.startswith(("+", "-", "@@")) else line


def _walk(app: "Runtime") -> None:
    """One after the other, until all were seen or the person has had enough."""
    from everself.operations.review import find_waiting, list_waiting

    found = list_waiting(app)
    for number, listed in enumerate(found.waiting, 1):
        # what was decided just now may have changed it
        one = find_waiting(app, listed.id)
        if one is None:
            continue
        show_lines([f"{number} of {len(found.waiting)}", *_shown(one)])
        if not _ask(app, one):
            break
    show_lines(found.notes)
    left = len(list_waiting(app).waiting)
    show_lines([f"{count_of(left, 'thing')} still to decide." if left else "Nothing waits for you."])


def _ask(app: "Runtime", one: "Waiting") -> bool:
    """Whether to go on with the next."""
    numbers = f"1–{len(one.answers)} answer · " if len(one.answers) > 1 else ""
    while True:
        show_lines([paint(f"{numbers}{_KEYS}", dim=True)])
        key = click.getchar()
        if key in "qQ\x1b":
            return False
        if key in "sS \r\n":
            return True
        try:
            done = _obey(app, one, key)
        except EverselfError as error:
            show_lines([str(error)], err=True)
            return True
        if done is not None:
            show_lines([_done(done), ""])
            return True


def _obey(app: "Runtime", one: "Waiting", key: str) -> "Decided | None":
    """None for a key that means nothing here."""
    from everself.operations.review import Word, accept_waiting, edit_waiting, refuse_waiting

    if key in "aAyY":
        return accept_waiting(app, one.id, Word(seen=one.mark))
    if key in "rRnN":
        return refuse_waiting(app, one.id, Word(seen=one.mark))
    if key in "eE":
        text = _edited(one)
        return edit_waiting(app, one.id, Word(text=text, seen=one.mark)) if text else None
    if key.isascii() and key.isdigit() and 1 <= int(key) <= len(one.answers):
        return accept_waiting(app, one.id, Word(answer=int(key) - 1, seen=one.mark))
    return None


def _edited(one: "Waiting") -> str:
    """Their words, empty where they think better of it: in their editor where it is long, else on a line."""
    if "\n" in one.words:
        text: str | None = click.edit(one.words)
        return text or ""
    typed: str = click.prompt("Your words", default="", show_default=False)
    return typed.strip()


def _done(done: "Decided") -> str:
    undo = f", as change {done.change}. To undo it: everself undo {done.change}" if done.change else "."
    return f"{_SAID[done.verdict]}{undo}"
