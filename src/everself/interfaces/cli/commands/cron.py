"""`everself cron`: jobs at their times, and what came of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from everself.errors import WrongUse
from everself.interfaces.cli.call import agent_option, answer, json_option, opened, recovery_notices
from everself.interfaces.cli.command_types import Family, Verb
from everself.interfaces.rendering.exit_codes import ExitCode
from everself.interfaces.rendering.lines import Line, paint

if TYPE_CHECKING:
    from everself.clock import Clock
    from everself.operations.jobs import JobLine
    from everself.values import JobKind, JobRun

CRONTAB = "*/10 * * * * everself cron tick"
_MOST = 100_000
_SHOWN = 100
_COLOURS = {"done": "green", "failed": "red", "failing": "red", "due": "yellow", "running": "yellow"}


@click.group(
    "cron",
    cls=Family,
    examples=[
        ("everself cron list", "what runs when, and how it went"),
        (
            'everself cron add --name Review --cron "0 18 * * 5" --verb "memory promote --review" --announce',
            "every Friday at six",
        ),
        ("everself cron tick", "run what is due; for the crontab of your system"),
    ],
)
@json_option
@click.pass_context
def cron(context: click.Context) -> None:
    """Run jobs at their times: keepers, verbs, messages to the agent."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cron.command(
    "add",
    cls=Verb,
    examples=[
        (
            'everself cron add --name Review --cron "0 18 * * 5" --verb "memory promote --review" --announce',
            "every Friday at six",
        ),
        (
            'everself cron add --name Plan --cron "0 8 * * 1-5" --tz Asia/Seoul --message "What is on today?"',
            "a message",
        ),
        ('everself cron add --name Call --at "2026-04-01 09:00" --message "Remind me of the call." --announce', "once"),
    ],
)
@click.option("--name", metavar="NAME", required=True, help="How the job is called.")
@click.option("--cron", "fields", metavar="FIELDS", default="", help='Five fields: "minute hour day month weekday".')
@click.option("--at", "moment", metavar="TIME", default="", help='Once: "2026-04-01 09:00", or how long from now: 20m.')
@click.option("--every", "step", metavar="STEP", default="", help="Again and again: 30m, 1h30m, 2d.")
@click.option("--tz", "zone", metavar="ZONE", default="", help="Whose clock, such as Asia/Seoul; yours unless given.")
@click.option("--message", metavar="TEXT", default="", help="What is said to the agent.")
@click.option("--verb", metavar="VERB", default="", help='What is done instead, such as "memory promote".')
@click.option("--announce", is_flag=True, help="Tell what came of it when the next chat begins.")
@click.option(
    "--session",
    type=click.Choice(["isolated"]),
    default="isolated",
    help="A session of its own, which is the only kind.",
)
@agent_option
@json_option
def add(agent: str, name: str, zone: str, announce: bool, **given: str) -> None:
    """Add a job: when, and a message or a verb.

    What is said by a job is nobody's word: the agent may answer it and use its memory, but no fact of yours comes of it.
    """
    from everself.keepers.scheduler import JobRequest
    from everself.operations.jobs import add_job

    times: list[tuple[JobKind, str]] = [("cron", given["fields"]), ("at", given["moment"]), ("every", given["step"])]
    chosen = [(kind, said) for kind, said in times if said]
    if len(chosen) != 1:
        raise WrongUse("A job needs one of --cron, --at and --every.", mend='--cron "0 18 * * 5"')
    if bool(given["message"]) == bool(given["verb"]):
        raise WrongUse("A job needs either --message or --verb.", mend='--message "What is on today?"')
    kind, said = chosen[0]
    words = given["message"] or given["verb"]
    wish = JobRequest(name, kind, said, "message" if given["message"] else "verb", words, zone, announce)
    with opened(agent) as app:
        line = add_job(app, wish)
        told = f'Added "{line.job.name}"; it comes next at {_time(line.next_at)}.'
        answer(line, [told, *_hint([line])], recovery_notices(app))


@cron.command("list", cls=Verb, examples=[("everself cron list", "each with when it comes next and how it ended")])
@agent_option
@json_option
def list_command(agent: str) -> None:
    """List the jobs, those of the house first."""
    from everself.operations.jobs import list_jobs

    with opened(agent) as app:
        found = list_jobs(app)
        width = max((len(one.job.name) for one in found), default=0)
        answer(found, [_told(one, width, app.clock) for one in found], recovery_notices(app))


@cron.command(
    "show", cls=Verb, examples=[("everself cron show memory-miner", "its times, its words and its last runs")]
)
@click.argument("name", metavar="NAME|ID")
@agent_option
@json_option
def show(name: str, agent: str) -> None:
    """Show one job: its times, what it does, and its last runs."""
    from everself.operations.jobs import show_job

    with opened(agent) as app:
        view = show_job(app, name)
        lines = [*_described(view.line), *(_run(one, app.clock) for one in view.runs)]
        answer(view, lines, recovery_notices(app))


@cron.command("rm", cls=Verb, examples=[("everself cron rm Plan", "the job and its history")])
@click.argument("name", metavar="NAME|ID")
@agent_option
@json_option
def remove(name: str, agent: str) -> None:
    """Remove a job with its history; one of the house can only be disabled."""
    from everself.operations.jobs import remove_job

    with opened(agent) as app:
        gone = remove_job(app, name)
        answer(gone, [f'Removed "{gone.name}".'], recovery_notices(app))


@cron.command("enable", cls=Verb, examples=[("everself cron enable memory-miner", "from now on")])
@click.argument("name", metavar="NAME|ID")
@agent_option
@json_option
def enable(name: str, agent: str) -> None:
    """Let a job run again, from now on; its failures are forgiven."""
    from everself.operations.jobs import enable_job

    with opened(agent) as app:
        line = enable_job(app, name)
        answer(line, [f'"{line.job.name}" is enabled; it comes next at {_time(line.next_at)}.'], recovery_notices(app))


@cron.command("disable", cls=Verb, examples=[("everself cron disable memory-miner", "until it is enabled again")])
@click.argument("name", metavar="NAME|ID")
@agent_option
@json_option
def disable(name: str, agent: str) -> None:
    """Let a job rest until it is enabled again."""
    from everself.operations.jobs import disable_job

    with opened(agent) as app:
        line = disable_job(app, name)
        answer(line, [f'"{line.job.name}" is disabled.'], recovery_notices(app))


@cron.command("run", cls=Verb, examples=[("everself cron run memory-miner", "now, and at its times as well")])
@click.argument("name", metavar="NAME|ID")
@agent_option
@json_option
def run(name: str, agent: str) -> int:
    """Run a job now, whatever its times are. Exit code 1 when it failed."""
    from everself.operations.jobs import run_job

    with opened(agent) as app:
        done = run_job(app, name)
        answer(done, [_run(done, app.clock)], recovery_notices(app))
    return _code([done])


@cron.command("history", cls=Verb, examples=[("everself cron history Plan --limit 5", "its last five slots")])
@click.argument("name", metavar="[NAME|ID]", default="")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="How many at most.")
@agent_option
@json_option
def history(name: str, limit: int, agent: str) -> None:
    """List slots that ran, failed or were passed over, with the reason; the newest first."""
    from everself.operations.jobs import list_runs

    with opened(agent) as app:
        found = list_runs(app, name, limit)
        width = max((len(called) for called, _ in found), default=0)
        lines: list[Line] = [paint(f"{called:<{width}}  ", bold=True) + _run(one, app.clock) for called, one in found]
        data = [{"name": called, "run": one} for called, one in found]
        answer(data, lines or ["Nothing has run yet."], recovery_notices(app))


@cron.command(
    "tick",
    cls=Verb,
    examples=[("everself cron tick", "run what is due"), (f'(crontab -l; echo "{CRONTAB}") | crontab -', "by itself")],
)
@agent_option
@json_option
def tick(agent: str) -> int:
    """Run what is due, and say nothing where nothing is. Made for the crontab of your system.

    Several at once do no harm: one of them runs the jobs. Exit code 1 when a job failed.
    """
    from everself.operations.jobs import list_jobs
    from everself.operations.jobs import tick as run_due

    with opened(agent) as app:
        done = run_due(app)
        names = {one.job.id: one.job.name for one in list_jobs(app)} if done.runs else {}
        lines = [paint(f"{names.get(one.job, one.job)}  ", bold=True) + _run(one, app.clock) for one in done.runs]
        notices = ["Another process is running jobs just now."] if done.busy else []
        answer(done, lines, [*notices, *recovery_notices(app)])
    return _code(done.runs)


def _code(runs: "Sequence[JobRun]") -> ExitCode:
    return ExitCode.FAILED if any(one.state == "failed" for one in runs) else ExitCode.DONE


def _hint(lines: "Sequence[JobLine]") -> Iterator[Line]:
    if any(one.job.enabled for one in lines):
        yield paint(
            f"Jobs run when a chat begins or ends. To run them in between, put into your crontab: {CRONTAB}", dim=True
        )


def _told(one: "JobLine", width: int, clock: "Clock") -> Line:
    last = f"last {_time_of(one.last, clock)} {one.last.state}" if one.last is not None else "never ran"
    coming = _time(one.next_at) if one.next_at is not None else "-"
    name = paint(f"{one.job.name:<{width}}", bold=True)
    return name + f"  {one.job.spec}  next {coming}  " + _state(one.standing) + f"  {last}"


def _described(line: "JobLine") -> Iterator[Line]:
    from everself.text import one_line

    job = line.job
    yield paint(job.name, bold=True) + f" ({job.id}), " + _state(line.standing)
    yield f"  times     {job.kind} {job.spec}, {line.zone}"
    yield f"  next      {_time(line.next_at) if line.next_at is not None else '-'}"
    yield f"  {job.action:<8}  {one_line(job.words, _SHOWN)}"
    yield f"  announce  {'yes' if job.announce else 'no'}"
    if job.failures:
        yield f"  failed    {job.failures} in a row"


def _run(one: "JobRun", clock: "Clock") -> Line:
    from everself.text import one_line

    return f"{_time_of(one, clock)}  " + _state(one.state) + f"  {one_line(one.detail, 2 * _SHOWN)}"


def _state(word: str) -> Line:
    return paint(word, _COLOURS[word]) if word in _COLOURS else paint(word, dim=True)


def _time_of(run: "JobRun", clock: "Clock") -> str:
    return _time(datetime.fromisoformat(run.slot).astimezone(clock.zone))


def _time(moment: datetime | None) -> str:
    return "-" if moment is None else moment.strftime("%Y-%m-%d %H:%M")
