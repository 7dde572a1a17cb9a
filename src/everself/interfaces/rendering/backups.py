"""Output of `everself backup` and `everself restore`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import count_of
from everself.interfaces.rendering.view import Look, View, degraded_if
from everself.operations.backup.create import BackupReport
from everself.operations.backup.restore import RestoreReport
from everself.operations.backups import BroughtBack


def _saved(report: BackupReport, _: Look) -> Iterable[str]:
    return [f"Saved {_contents(report)} ({_size(report.bytes)}) in {report.path}"]


def _left_out(report: BackupReport) -> list[str]:
    return [*report.notices, *(f"Left out: {one.path} ({one.reason})" for one in report.left_out)]


def _restored(done: BroughtBack, _: Look) -> Iterator[str]:
    report = done.report
    did = "The backup is whole. It would restore" if report.dry_run else "Restored"
    yield f"{did} {_contents(report)} in {report.workspace}"
    keeps = "What is there would be kept in" if report.dry_run else "What was there is kept in"
    yield from (f"{keeps} {folder}" for folder in report.kept_beside)


def _notices(done: BroughtBack) -> Iterator[str]:
    yield from done.report.notices
    if done.remembered:
        yield f"Remembered in {done.host_file}: {', '.join(done.remembered)}"


def _contents(report: BackupReport | RestoreReport) -> str:
    return f"{count_of(report.files, 'file')} and {count_of(report.changes, 'change')}"


def _size(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{max(count // 1000, 1)} kB"


VIEWS: Final = {
    "backup": View(_saved, code=degraded_if(_left_out), notices=_left_out),
    "restore": View(
        _restored, code=degraded_if(lambda done: done.report.notices), data=lambda done: done.report, notices=_notices
    ),
}
