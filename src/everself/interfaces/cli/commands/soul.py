"""`everself soul`: who the agent is at heart, how that grows, and the way back."""

import sys
from collections.abc import Iterator
from datetime import tzinfo
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
)
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.cli.parameters import words_of
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.lines import Line, paint, paint_diff
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.identity.growth import SoulChange
    from everself.identity.soul_tests import SoulTestResult
    from everself.identity.versions import Version
    from everself.operations.digest import Step
    from everself.operations.integrity import VerifyReport
    from everself.operations.soul import SoulReport
    from everself.storage.state.proposals import Proposal

_COLOURS = {"passed": "green", "failed": "red", "waiting": "yellow", "unclear": "yellow"}


@click.group(
    "soul",
    cls=Family,
    examples=[
        ("everself soul show", "the soul, and what waits for your yes"),
        ("everself soul approve last", "let the newest proposal become part of it"),
        ("everself soul rollback last", "make it what it was before"),
    ],
)
@json_option
@click.pass_context
def soul(context: click.Context) -> None:
    """Read the soul, decide how it grows, and take any step of it back."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@soul.command(
    "show",
    cls=Verb,
    examples=[
        ("everself soul show", "the soul of today, and what waits for your yes"),
        ("everself soul show 7K3QX9M2ABCD", "a proposal, and what it would change"),
        ("everself soul show last", "the newest earlier soul"),
    ],
)
@click.argument("name", metavar="[NAME]", default="current")
@agent_option
@json_option
def show(name: str, agent: str) -> None:
    """Show the soul of today, an earlier one, or a proposal."""
    from everself.operations.soul import show_soul

    with opened(agent) as app:
        report = show_soul(app, name)
        notices = recovery_notices(app)
    answer(report, list(_describe(report)), notices)


@soul.command("history", cls=Verb, examples=[("everself soul history", "every soul there was, the newest first")])
@agent_option
@json_option
def history(agent: str) -> None:
    """List the soul of today and the earlier ones, newest first."""
    from everself.operations.soul import list_souls

    with opened(agent) as app:
        found = list_souls(app)
        notices = recovery_notices(app)
        zone = app.clock.zone
    answer(found, [_version(one, zone) for one in found] or ["There is no soul yet."], notices)


@soul.command(
    "digest",
    cls=Verb,
    examples=[
        ("everself soul digest", "what grew in the last week, why, and in whose words"),
        ("everself soul digest --days 30", "in the last month"),
    ],
)
@click.option("--days", metavar="N", type=int, default=7, show_default=True, help="How far back.")
@agent_option
@json_option
def digest(days: int, agent: str) -> None:
    """Tell what the soul learned or gave up lately, and what waits for your yes."""
    from everself.operations.digest import digest_growth

    with opened(agent) as app:
        found = digest_growth(app, days)
        notices = recovery_notices(app)
        zone = app.clock.zone
    lines = [line for one in (*found.grown, *found.waiting) for line in _step(one, zone)]
    answer(found, lines or [f"The soul is what it was {count_of(days, 'day')} ago, and nothing waits."], notices)


@soul.command(
    "diff",
    cls=Verb,
    examples=[
        ("everself soul diff", "what the last step changed"),
        ("everself soul diff 2026-03-19T093000-1a2b3c4d", "what has changed since that one"),
        ("everself soul diff current 7K3QX9M2ABCD", "what a proposal would change"),
    ],
)
@click.argument("one", metavar="[FROM]", default="")
@click.argument("other", metavar="[TO]", default="")
@agent_option
@json_option
def diff(one: str, other: str, agent: str) -> None:
    """Compare two souls, line by line."""
    from everself.operations.soul import compare_souls

    with opened(agent) as app:
        found = compare_souls(app, one, other)
        notices = recovery_notices(app)
    answer(found, list(paint_diff(found.diff)) or ["They are the same."], notices)


@soul.command(
    "propose",
    cls=Verb,
    examples=[
        ('everself soul propose "Ask before you book." --reason "asked twice"', "one more line of what is learned"),
        ("everself soul propose --whole - < soul.md", "a whole soul, read from a file"),
    ],
)
@click.argument("text", metavar="TEXT")
@click.option("--whole", is_flag=True, help="TEXT is a whole soul, not a line of what is learned.")
@click.option("--reason", metavar="WORDS", default="", help="Why; it is noted in CHANGELOG.md.")
@click.option("--evidence", metavar="REF", multiple=True, help="What it rests on, such as entry:7K3QX9M2ABCD.")
@agent_option
@json_option
def propose(text: str, whole: bool, reason: str, evidence: tuple[str, ...], agent: str) -> None:
    """Propose a line of what is learned, or with --whole another soul.

    With - the text comes from standard input. Nothing changes until it is approved.
    """
    from everself.operations.soul import propose_soul

    with opened(agent) as app:
        made = propose_soul(app, words_of(text), reason, evidence, whole=whole)
        notices = [*recovery_notices(app), *made.notices]
    done = f"Proposed as {made.proposal.id}. To let it in: everself soul approve {made.proposal.id}"
    answer(made, [*paint_diff(made.diff), "", done], notices)


@soul.command(
    "approve",
    cls=Verb,
    examples=[
        ("everself soul approve last", "the newest proposal"),
        ("everself soul approve 7K3Q --yes", "the one whose id begins so, without being asked"),
    ],
)
@click.argument("name", metavar="ID")
@click.option("--force", is_flag=True, help="Even where soul tests fail.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def approve(name: str, force: bool, yes: bool, agent: str) -> None:
    """Let a proposal become part of the soul.

    Soul tests are run before. At a terminal you see it first and are asked.
    """
    from everself.operations.soul import approve_soul, show_soul

    with opened(agent) as app:
        name = app.growth.find(name).id
        if not yes:
            _ask(show_soul(app, name).diff, "Let it in?")
        grown = approve_soul(app, name, force=force)
        notices = [*recovery_notices(app), *_waiting(grown.results)]
    _tell(grown, "It is part of the soul now", notices)


@soul.command(
    "refuse",
    cls=Verb,
    examples=[('everself soul refuse last --why "that was one bad day"', "say no, and why")],
)
@click.argument("name", metavar="ID")
@click.option("--why", metavar="WORDS", default="", help="Why; it is noted in CHANGELOG.md.")
@agent_option
@json_option
def refuse(name: str, why: str, agent: str) -> None:
    """Say no to a proposal."""
    from everself.operations.soul import refuse_soul

    with opened(agent) as app:
        refused = refuse_soul(app, name, why)
        notices = recovery_notices(app)
    answer(refused, [f"Refused: {refused.id}."], notices)


@soul.command(
    "rollback",
    cls=Verb,
    examples=[
        ("everself soul rollback last", "what the soul was before"),
        ("everself soul rollback 2026-03-19T093000-1a2b3c4d", "one of those that history lists"),
        ('everself soul rollback --line "Ask before you book."', "take one learned line back"),
    ],
)
@click.argument("version", metavar="[VERSION]", default="")
@click.option("--line", metavar="TEXT", default="", help="Take this learned line back and leave the rest.")
@click.option("--force", is_flag=True, help="Even where somebody altered that copy.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def rollback(version: str, line: str, force: bool, yes: bool, agent: str) -> None:
    """Make the soul what it was, byte for byte, or take one learned line back.

    A rollback is a change of its own, and can be undone.
    """
    from everself.operations.soul import compare_souls, roll_back_soul

    with opened(agent) as app:
        if version and not line and not yes:
            version = app.growth.versions.find(version).name
            _ask(compare_souls(app, "current", version).diff, "Go back?")
        grown = roll_back_soul(app, version, line=line, force=force)
        notices = recovery_notices(app)
    _tell(grown, "Taken back", notices)


@soul.command(
    "test",
    cls=Verb,
    examples=[
        ("everself soul test", "the soul of today against SOUL_TESTS.md"),
        ("everself soul test 7K3QX9M2ABCD", "a proposal, before you approve it"),
    ],
)
@click.argument("name", metavar="[NAME]", default="current")
@agent_option
@json_option
def test(name: str, agent: str) -> ExitCode:
    """Hold a soul against the expectations in SOUL_TESTS.md.

    What only a model can judge is listed as waiting.
    """
    from everself.operations.soul import check_soul

    with opened(agent) as app:
        report = check_soul(app, name)
        notices = recovery_notices(app)
    if report.retreat:
        notices.append(f"To go back to the soul before: everself soul rollback {report.retreat}")
    lines = [_result(one) for one in report.results]
    answer(report, lines or ["SOUL_TESTS.md expects nothing yet."], notices)
    return ExitCode.DEGRADED if report.count("failed") else ExitCode.DONE


@soul.command(
    "verify",
    cls=Verb,
    examples=[
        ("everself soul verify", "was anything changed outside, and is the record of changes whole?"),
        ("everself soul verify --accept SOUL.md", "that was me: take it over"),
        ("everself soul verify --undo", "put back what was accepted before"),
    ],
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--accept", is_flag=True, help="Take over what was changed: these documents, or all.")
@click.option("--undo", is_flag=True, help="Put back what was accepted before: these documents, or all.")
@agent_option
@json_option
def verify(paths: tuple[str, ...], accept: bool, undo: bool, agent: str) -> ExitCode:
    """Look for what was changed outside Everself in the documents that only humans change."""
    from everself.operations.integrity import accept_outside, undo_outside, verify_identity

    if (accept and undo) or (paths and not (accept or undo)):
        raise WrongUse("Documents are named with --accept or with --undo.")
    done: list[Line] = []
    with opened(agent) as app:
        if accept:
            taken = accept_outside(app, paths)
            done = [f"Accepted: {', '.join(taken.paths) or 'all as it is'}."]
        elif undo:
            back = undo_outside(app, paths)
            said = f"Put back: {', '.join(back.paths)}, as change {back.change}." if back.change else ""
            done = [said or "There was nothing to put back.", *(f"{path}: {why}" for path, why in back.left)]
        report = verify_identity(app)
        notices = recovery_notices(app)
    answer(report, [*done, *_outside(report)], notices)
    return ExitCode.DONE if report.ok else ExitCode.DEGRADED


def _step(step: "Step", zone: tzinfo) -> Iterator[Line]:
    waits = f"  waits for you: everself soul approve {step.proposal}" if step.proposal else ""
    yield paint(f"{step.at.astimezone(zone):%Y-%m-%d %H:%M}  {step.who}: {step.reason}", bold=True) + waits
    yield from (f"  - {line.lstrip('-*+ ')}" for line in step.removed)
    yield from (f"  + {line.lstrip('-*+ ')}" for line in step.added)
    for one in step.evidence:
        yield f"  because of {one.reference}" + (f": {one.words}" if one.words else "")


def _outside(report: "VerifyReport") -> Iterator[Line]:
    for one in report.changed:
        yield paint(one.kind, "red") + f"  {one.path}" + (f"  {one.why}" if one.why else "")
        yield from paint_diff(one.diff)
    if report.ledger:
        yield paint("The record of changes is broken: ", "red") + report.ledger
    if report.ok:
        yield f"Nothing was changed outside; the record of {count_of(report.changes, 'change')} is whole."
    elif report.changed:
        yield "If that was you: everself soul verify --accept. To put it back: everself soul verify --undo"


def _ask(diff: str, question: str) -> None:
    """At a terminal a person sees what would change, and says so."""
    if this_call().json or not sys.stdin.isatty() or not diff:
        return
    show_lines(paint_diff(diff))
    if not click.confirm(question, err=True):
        raise Interrupted("Nothing was changed.")


def _tell(grown: "SoulChange", done: str, notices: list[str]) -> None:
    if not grown.change:
        answer(grown, ["It is so already; nothing was changed."], notices)
        return
    said = f"{done}, as change {grown.change}. To undo it: everself undo {grown.change}"
    answer(grown, [*paint_diff(grown.diff), "", said], notices)


def _waiting(results: "tuple[SoulTestResult, ...]") -> Iterator[str]:
    for one in results:
        if one.verdict == "failed":
            yield f"It fails a soul test: {one.expectation}: {one.why}"
        elif one.verdict != "passed":
            yield f"Not judged: {one.expectation}: {one.why}"


def _describe(report: "SoulReport") -> Iterator[Line]:
    if report.proposal is not None:
        one = report.proposal
        yield paint(f"proposal {one.id}", "yellow") + f"  {one.status}"
        yield f"when    {one.at}"
        yield f"author  {one.author}"
        yield f"reason  {one.reason or '–'}"
        if one.evidence:
            yield f"because {', '.join(one.evidence)}"
        yield ""
        yield from paint_diff(report.diff)
        return
    yield from report.text.rstrip("\n").split("\n")
    yield ""
    yield paint(f"{report.tokens} of {report.most} tokens, policy {report.policy}", dim=True)
    yield from (_proposal(one) for one in report.waiting)


def _proposal(one: "Proposal") -> Line:
    from everself.text import one_line

    return "waits for you: " + paint(one.id, "yellow") + f"  {one.author}  {one_line(one.reason, 60)}"


def _version(one: "Version", zone: tzinfo) -> Line:
    when = "" if one.at is None else one.at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    altered = paint("  altered since", "red") if one.altered else ""
    return paint(f"{one.name:<28}", "yellow") + f"{when:<21}{one.hash[:12]}  {one.size} bytes" + altered


def _result(one: "SoulTestResult") -> Line:
    return paint(f"{one.verdict:<8}", _COLOURS[one.verdict]) + one.expectation + (f"  ({one.why})" if one.why else "")
