"""Output of `everself cron`."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import ExitCode, Look, View, says
from everself.keepers.scheduler import HEARTBEAT
from everself.operations.jobs import CRONTAB, JobLine, JobView, NamedRun, TickReport
from everself.text.normalise import one_line
from everself.values import JobRun

_SHOWN: Final = 100
# of a time: "2026-03-19 09:00"
_MINUTES: Final = 16
_COLOURS: Final = {"done": "green", "failed": "red", "failing": "red", "due": "yellow", "running": "yellow"}


def _added(line: JobLine, _: Look) -> Iterator[Line]:
    yield f'Added "{line.job.name}"; it runs next at {_time(line.next_at)}.'
    hint = f"Jobs run when a chat begins or ends. To run them in between, put into your crontab: {CRONTAB}"
    yield paint(hint, dim=True)


def _listed(found: tuple[JobLine, ...], look: Look) -> Iterator[Line]:
    rows = [(one.job.name, _times(one)) for one in found]
    names, times = (max(map(len, column)) for column in zip(("NAME", "TIMES"), *rows, strict=True))
    yield f"{'NAME':<{names}}  {'TIMES':<{times}}  {'NEXT':<{_MINUTES}}  STATE     LAST"
    for one, (name, spec) in zip(found, rows, strict=True):
        last = f"{_time_of(one.last, look.zone)} {one.last.state}" if one.last is not None else "never ran"
        told = f"  {spec:<{times}}  {_time(one.next_at):<{_MINUTES}}  "
        yield paint(f"{name:<{names}}", bold=True) + told + _state(f"{one.standing:<8}") + f"  {last}"


def _times(line: JobLine) -> str:
    """When a job runs; of one that runs once, the column of the next run says it in the person's time zone."""
    return {"at": "once", "every": f"every {line.job.spec}"}.get(line.job.kind, line.job.spec)


def _shown(view: JobView, look: Look) -> Iterable[Line]:
    return [*_described(view.line), *(_run(one, look.zone) for one in view.runs)]


def _enabled(line: JobLine, _: Look) -> Iterable[Line]:
    return [f'"{line.job.name}" is enabled; it runs next at {_time(line.next_at)}.']


def _history(found: tuple[NamedRun, ...], look: Look) -> Iterable[Line]:
    width = max((len(one.name) for one in found), default=0)
    lines: list[Line] = [paint(f"{one.name:<{width}}  ", bold=True) + _run(one.run, look.zone) for one in found]
    return lines or ["Nothing has run yet."]


def _ticked(found: TickReport, look: Look) -> Iterable[Line]:
    """Skipped heartbeats are omitted: they would fill the crontab's mail."""
    named = [(found.names.get(one.job, one.job), one) for one in found.done.runs]
    told = [(name, one) for name, one in named if name != HEARTBEAT or one.state != "skipped"]
    return [paint(f"{name}  ", bold=True) + _run(one, look.zone) for name, one in told]


def _busy(found: TickReport) -> list[str]:
    return ["Another process is running jobs just now."] if found.done.busy else []


def _code(runs: Sequence[JobRun]) -> ExitCode:
    return ExitCode.FAILED if any(one.state == "failed" for one in runs) else ExitCode.DONE


def _described(line: JobLine) -> Iterator[Line]:
    job = line.job
    yield paint(job.name, bold=True) + f" ({job.id}), " + _state(line.standing)
    yield f"  times     {job.kind} {job.spec}, {line.zone}"
    yield f"  next      {_time(line.next_at)}"
    yield f"  {job.action:<8}  {one_line(job.words, _SHOWN)}"
    yield f"  announce  {'yes' if job.announce else 'no'}"
    if job.failures:
        yield f"  failed    {job.failures} in a row"


def _run(one: JobRun, zone: tzinfo) -> Line:
    return f"{_time_of(one, zone)}  " + _state(one.state) + f"  {one_line(one.detail, 2 * _SHOWN)}"


def _state(word: str) -> Line:
    colour = _COLOURS.get(word.strip())
    return paint(word, colour) if colour else paint(word, dim=True)


def _time_of(run: JobRun, zone: tzinfo) -> str:
    return _time(datetime.fromisoformat(run.slot).astimezone(zone))


def _time(moment: datetime | None) -> str:
    return "-" if moment is None else moment.strftime("%Y-%m-%d %H:%M")


VIEWS: Final = {
    "cron.add": View(_added),
    "cron.list": View(_listed),
    "cron.show": View(_shown),
    "cron.rm": View(says('Removed "{0.name}".')),
    "cron.enable": View(_enabled),
    "cron.disable": View(says('"{0.job.name}" is disabled.')),
    "cron.run": View(lambda run, look: [_run(run, look.zone)], code=lambda run: _code([run])),
    "cron.history": View(_history),
    "cron.tick": View(_ticked, code=lambda found: _code(found.done.runs), data=lambda found: found.done, notices=_busy),
}
