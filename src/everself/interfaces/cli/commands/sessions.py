"""`everself sessions` and `everself simulate-compaction`: what was said, and what of it outlives a long conversation."""

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click

from everself.errors import Interrupted, WrongUse
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    this_call,
    write_out,
)
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of, entries_of

if TYPE_CHECKING:
    from everself.operations.sessions import Deletion, SessionLine, SessionView, Simulation, Spoken

_MOST = 100_000
_SHOWN = 100
_FORGET = "everself memory forget --session"
_FATES = {
    "new": "would be kept",
    "mention": "is known, would count as said again",
    "kept": "is kept",
    "forgotten": "was forgotten, stays so",
}


@click.group(
    "sessions",
    cls=Family,
    examples=[
        ("everself sessions list", "the one that was spoken in last first"),
        ("everself sessions show last", "what was said in it"),
        ("everself sessions search harbour fee", "messages with all of these words"),
    ],
)
@json_option
@click.pass_context
def sessions(context: click.Context) -> None:
    """Look at what was said, export it, delete it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@sessions.command("list", cls=Verb, examples=[("everself sessions list --limit 5", "the last five")])
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many at most.")
@agent_option
@json_option
def list_command(limit: int, agent: str) -> None:
    """List conversations, the one that was spoken in last first."""
    from everself.operations.sessions import list_sessions

    with opened(agent) as app:
        found = list_sessions(app, limit)
        answer(found, [_session(one) for one in found] or ["Nothing was said yet."], recovery_notices(app))


@sessions.command(
    "show",
    cls=Verb,
    examples=[
        ("everself sessions show last", "the newest conversation"),
        ("everself sessions show 7K3Q --limit 10", "the last ten messages of the one whose id begins so"),
    ],
)
@click.argument("name", metavar="[ID]", default="last")
@click.option("--limit", type=click.IntRange(1, _MOST), default=None, help="Only so many of the last messages.")
@agent_option
@json_option
def show(name: str, limit: int | None, agent: str) -> None:
    """Show what was said in a conversation."""
    from everself.operations.sessions import show_session

    with opened(agent) as app:
        view = show_session(app, name, limit or 0)
        answer(view, list(_view(view)), recovery_notices(app))


@sessions.command(
    "search", cls=Verb, examples=[("everself sessions search harbour fee", "in any conversation, the newest first")]
)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many at most.")
@agent_option
@json_option
def search(words: tuple[str, ...], limit: int, agent: str) -> None:
    """Find messages that hold all of these words.

    It looks for the words themselves; `everself memory search` looks for what is remembered, by meaning too.
    """
    from everself.operations.sessions import search_messages

    with opened(agent) as app:
        found = search_messages(app, " ".join(words), limit)
        lines = [line for one in found for line in _found(one)]
        answer(found, lines or ["No message holds all of these words."], recovery_notices(app))


@sessions.command(
    "export", cls=Verb, examples=[("everself sessions export last > talk.jsonl", "one line for each message")]
)
@click.argument("name", metavar="[ID]", default="last")
@agent_option
@json_option
def export(name: str, agent: str) -> None:
    """Print a conversation as JSON Lines: one about the session, then one for each message."""
    from everself.operations.sessions import export_session

    with opened(agent) as app:
        text = export_session(app, name)
    if this_call().json:
        # not `splitlines`, which also cuts at characters that may stand in what was said
        answer([json.loads(line) for line in text.split("\n") if line], [])
        return
    write_out(text.removesuffix("\n"))


@sessions.command(
    "delete",
    cls=Verb,
    examples=[
        ("everself sessions delete 7K3Q --dry-run", "what would go"),
        ("everself sessions delete 7K3Q --yes", "without being asked"),
    ],
)
@click.argument("name", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def delete(name: str, dry_run: bool, yes: bool, agent: str) -> None:
    """Delete a conversation: its messages, its transcript and what was searched for in it.

    What was remembered from it stays. To take that out as well, run `everself memory forget --session ID` instead. It cannot be undone.
    """
    from everself.operations.sessions import delete_session, plan_deletion

    with opened(agent) as app:
        plan = plan_deletion(app, name)
        if dry_run:
            answer(plan, [*_deletion(plan), "Nothing was changed."], recovery_notices(app))
            return
        if not yes:
            _ask(plan)
        done = delete_session(app, plan.session.id)
        answer(done, [f"Deleted {done.session.id}.", *_deletion(done)], recovery_notices(app))


@click.command(
    "simulate-compaction",
    cls=Verb,
    examples=[("everself simulate-compaction", "what survives if the last conversation were made shorter now")],
)
@click.argument("name", metavar="[SESSION]", default="last")
@agent_option
@json_option
def simulate_compaction(name: str, agent: str) -> None:
    """Show what survives if a conversation were made shorter now.

    Changes nothing and asks no model; a model would word the summary in its own way.
    """
    from everself.operations.sessions import simulate_compaction as simulate

    with opened(agent) as app:
        found = simulate(app, name)
        answer(found, list(_simulation(found)), recovery_notices(app))


def _ask(plan: "Deletion") -> None:
    if this_call().json or not sys.stdin.isatty():
        raise WrongUse("Deleting cannot be undone, so it wants to be meant.", mend="--dry-run shows it, --yes does it.")
    show_lines(_deletion(plan))
    if not click.confirm("Delete it for good?", err=True):
        raise Interrupted("Nothing was changed.")


def _session(one: "SessionLine") -> Line:
    who = f"{one.kind}/{one.person}" if one.person else one.kind
    told = f"  {_time(one.last_at)}  {who}, {one.channel}, {count_of(one.messages, 'message')}"
    return paint(one.id, bold=True) + told + (", ended" if one.ended else "") + f"  {one.title}"


def _view(view: "SessionView") -> Iterator[Line]:
    yield _session(view.session)
    if view.summarised:
        yield paint(f"{count_of(view.summarised, 'message')} went on as a summary:", dim=True)
        yield from (paint(f"  {line}", dim=True) for line in view.summary.splitlines())
    for one in view.messages:
        yield from _said(one)


def _said(one: "Spoken") -> Iterator[Line]:
    called = f"  calls {', '.join(one.calls)}" if one.calls else ""
    yield paint(f"{_time(one.at)}  {one.person or one.role}", bold=True) + paint(f"  {one.id}{called}", dim=True)
    yield from (f"  {line}" for line in one.text.splitlines())


def _found(one: "Spoken") -> Iterator[Line]:
    from everself.text import one_line

    yield paint(f"{_time(one.at)}  {one.person or one.role}", bold=True) + paint(f"  {one.session}", dim=True)
    yield f"  {one_line(one.text, _SHOWN)}"


def _deletion(plan: "Deletion") -> Iterator[Line]:
    searches = "1 search" if plan.searches == 1 else f"{plan.searches} searches"
    yield f"What goes: {count_of(plan.messages, 'message')}, the transcript, {searches}."
    if plan.entries:
        yield f"What stays: {entries_of(plan.entries)} that came of it. To take these too: {_FORGET} {plan.session.id}"


def _simulation(found: "Simulation") -> Iterator[Line]:
    yield _session(found.session)
    yield f"Of {count_of(found.dropped + found.kept, 'message')}, {found.kept} would stay and {found.dropped} become a summary."
    yield paint(
        "What you stated since the last checkpoint:" if found.statements else "You stated nothing new.", bold=True
    )
    yield from (f"  {_FATES[one.fate]}: {one.text}" for one in found.statements)
    if found.dropped:
        yield paint("The summary, without a model:", bold=True)
        yield from (f"  {line}" for line in found.summary.splitlines())
    yield f"Read anew at every turn, and whole: {', '.join(found.stands)}"


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")
