"""`everself memory forget`: shows what would go, asks, forgets, and proves it."""

import json
import sys
from datetime import date
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from everself.errors import Interrupted, NoEntryContains, NotFound, WrongUse
from everself.interfaces.cli.call import (
    agent_option,
    answer,
    json_option,
    opened,
    recovery_notices,
    show_lines,
    this_call,
)
from everself.interfaces.cli.command_types import Verb
from everself.interfaces.cli.parameters import DAY
from everself.interfaces.rendering.exit_codes import ExitCode

if TYPE_CHECKING:
    from everself.memory.forgetting.proof import ForgetPlan, Target


class Wanted(TypedDict):
    """What `forget` is given, as click hands it over."""

    identities: tuple[str, ...]
    words: str
    session: str
    person: str
    on: date | None
    since: date | None
    until: date | None
    dry_run: bool
    yes: bool
    agent: str


@click.command(
    "forget",
    cls=Verb,
    examples=[
        ("everself memory forget 7K3QX9M2ABCD --dry-run", "see what would go, and where it stands"),
        ('everself memory forget --words "5 Elm Street"', "every entry and place that contains these words"),
        ("everself memory forget --on 2026-03-19", "everything of one day"),
    ],
)
@click.argument("identities", metavar="[ID]...", nargs=-1)
@click.option("--words", metavar="TEXT", default="", help="Every entry and place that contains these words.")
@click.option("--session", metavar="ID", default="", help="Everything of one conversation.")
@click.option("--person", metavar="NAME", default="", help="Everything of one person.")
@click.option("--on", type=DAY, help="Everything of one day.")
@click.option("--since", type=DAY, help="Everything of this day and later.")
@click.option("--until", type=DAY, help="Everything of this day and earlier.")
@click.option("--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def forget(**given: Unpack[Wanted]) -> int:
    """Forget for good, and prove it: files, database and history lose the words.

    It cannot be undone. At a terminal you see first what would go and are asked; elsewhere --yes is needed.
    """
    target = _target(given)
    with opened(given["agent"]) as app:
        plan = app.forgetting.plan(target)
        if plan.empty:
            raise NoEntryContains(target.words) if target.words else NotFound("Nothing of it is remembered.")
        if given["dry_run"]:
            answer(plan, [*plan.lines(), "Nothing was changed."], recovery_notices(app))
            return ExitCode.DONE
        _ask(plan, given)
        proof = app.forgetting.carry_out(plan)
        notices = recovery_notices(app)
    answer(json.loads(proof.to_json()), proof.lines(), notices)
    return ExitCode.DEGRADED if proof.degraded else ExitCode.DONE


def _target(given: Wanted) -> "Target":
    from everself.memory.forgetting.proof import Target

    days = (given["since"], given["until"])
    if given["on"] is not None and any(days):
        raise WrongUse("--on is one day; --since and --until are a span.")
    since, until = days if given["on"] is None else (given["on"], given["on"])
    if not (given["identities"] or given["words"].strip() or given["session"] or given["person"] or since or until):
        raise WrongUse("Say what to forget.", mend="everself memory forget --help")
    return Target(given["identities"], given["words"], given["session"], given["person"], since, until)


def _ask(plan: "ForgetPlan", given: Wanted) -> None:
    if given["yes"]:
        return
    if this_call().json or not sys.stdin.isatty():
        if not this_call().json:
            show_lines(plan.lines())
        raise WrongUse("Nothing was changed: forgetting cannot be undone.", mend="Add --yes to forget this.")
    show_lines(plan.lines())
    # on stderr, where it is seen even when the rest goes into a file
    if not click.confirm("Forget it for good?", err=True):
        raise Interrupted("Nothing was changed.")
