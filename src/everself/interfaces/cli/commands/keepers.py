"""`everself keepers`: which look after the memory, run one now, what they did."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.cli.progress import progress
from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.words import count_of

if TYPE_CHECKING:
    from everself.keepers.keeper import Progress
    from everself.operations.keepers import Deed, KeeperLine, KeeperReport
    from everself.storage.state.reviews import KeeperRun

_MOST = 100_000
_SHOWN = 20
# a run that takes less is over before anybody wonders
_PATIENCE = 1.0


@click.group(
    "keepers",
    cls=Family,
    examples=[
        ("everself keepers list", "who looks after the memory, and when"),
        ("everself keepers run memory-miner --dry-run", "what it would do now"),
        ("everself keepers history", "what they did"),
    ],
)
@json_option
@click.pass_context
def keepers(context: click.Context) -> None:
    """See and run the keepers that look after memory."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@keepers.command("list", cls=Verb, examples=[("everself keepers list", "each with its time and its last run")])
@agent_option
@json_option
def list_command(agent: str) -> None:
    """List the keepers: when each runs, when it last did, and what of it waits for you."""
    from everself.operations.keepers import list_keepers

    with opened(agent) as app:
        found = list_keepers(app)
        answer(found, [line for one in found for line in _keeper(one)], recovery_notices(app))


@keepers.command(
    "run",
    cls=Verb,
    examples=[
        ("everself keepers run memory-miner", "now, instead of at its time"),
        ("everself keepers run memory-miner --dry-run", "only say what it would do"),
    ],
)
@click.argument("name", metavar="NAME")
@click.option("--dry-run", is_flag=True, help="Change nothing; only say what would be done.")
@agent_option
@json_option
def run(name: str, dry_run: bool, agent: str) -> None:
    """Run a keeper now.

    Each thing it does is a change of its own, which `everself undo` takes back. Where a model is set, it may be asked, within the
    limits of `spend`.
    """
    from everself.operations.keepers import run_keeper

    with opened(agent) as app, progress(name, after=_PATIENCE) as told:

        def tell(found: "Progress") -> None:
            if told is not None:
                told(found.done, found.total)

        report = run_keeper(app, name, dry_run=dry_run, tell=tell)
        answer(report, list(_report(report)), recovery_notices(app))


@keepers.command(
    "history", cls=Verb, examples=[("everself keepers history memory-miner --limit 5", "its last five runs")]
)
@click.argument("name", metavar="[NAME]", default="")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many at most.")
@agent_option
@json_option
def history(name: str, limit: int, agent: str) -> None:
    """List what keepers did, the newest run first."""
    from everself.operations.keepers import list_keeper_runs

    with opened(agent) as app:
        found = list_keeper_runs(app, name, limit)
        lines = [line for one in found for line in _run(one)]
        answer(found, lines or ["No keeper has run yet."], recovery_notices(app))


def _keeper(one: "KeeperLine") -> Iterator[Line]:
    when = f"at {one.time}" if one.time else "when it is needed"
    yield paint(f"{one.title} ({one.name})", bold=True)
    last = f"last {one.last.at[:16].replace('T', ' ')}" if one.last is not None else "never ran"
    waits = f"; {one.waiting} wait for you: everself review" if one.waiting else ""
    yield f"  {when}; {last}{waits}"
    yield f"  told by {one.prompt}"


def _report(report: "KeeperReport") -> Iterator[Line]:
    done, waits = ("Would do", "Would ask about") if report.dry_run else ("Did", "Waits for you")
    yield from _deeds(done, report.applied)
    yield from _deeds(waits, report.queued)
    yield from _deeds("Refused", report.refused)
    yield from report.notes
    if not (report.applied or report.queued or report.refused):
        yield "Nothing to do."
    tokens = f", {report.tokens:,} tokens" if report.tokens else ""
    yield f"{report.keeper}: {report.seconds:.1f} s{tokens}"


def _deeds(label: str, found: "tuple[Deed, ...]") -> Iterator[Line]:
    if not found:
        return
    yield paint(f"{label} ({len(found)}):", bold=True)
    for one in found[:_SHOWN]:
        ends = f" ({one.change})" if one.change else f" ({one.why})" if one.why else ""
        yield f"  {one.words}{ends}"
    if len(found) > _SHOWN:
        yield f"  and {len(found) - _SHOWN} more; --json shows all"


def _run(run: "KeeperRun") -> Iterator[Line]:
    counts = f"{run.applied} done, {run.queued} to review, {run.refused} refused"
    yield f"{run.at[:16].replace('T', ' ')}  {run.keeper}: {counts} ({count_of(round(run.seconds), 'second')})"
    yield from (f"  {note}" for note in run.notes)
