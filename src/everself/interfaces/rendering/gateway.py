"""Output of `everself gateway`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import ExitCode, Look, View
from everself.operations.gateway import GatewayStatus, LogLines, Stopped, UnitWritten


def _status(found: GatewayStatus, _: Look) -> Iterator[Line]:
    if not found.running:
        yield "The gateway does not run. Start it with: everself gateway start"
    else:
        yield paint("The gateway runs", "green") + f": process {found.pid}, since {found.since}."
        yield f"  address  {found.url or '-'}"
        yield f"  socket   {found.socket or '-'}"
        yield f"  version  {found.version or '-'}"
    more = "" if found.tokens else " (everself gateway token add NAME --as main)"
    yield f"  tokens   {found.tokens}{more}"
    yield f"  log      {found.log}"


def _stopped(done: Stopped, _: Look) -> Iterable[Line]:
    return [f"The gateway has ended (process {done.pid})." if done.pid else "The gateway does not run."]


def _logs(found: LogLines, _: Look) -> Iterable[Line]:
    return found.lines or [f"There are no lines in {found.file} yet."]


def _written(done: UnitWritten, _: Look) -> Iterable[Line]:
    return [
        f"The unit is in {done.file}." if done.changed else f"The unit in {done.file} is as it should be.",
        "Start it now and with your session: systemctl --user daemon-reload && systemctl --user enable --now everself-gateway",
        "Keep it when you log out: loginctl enable-linger",
    ]


VIEWS: Final = {
    "gateway.status": View(_status, code=lambda found: ExitCode.DONE if found.running else ExitCode.NOT_FOUND),
    "gateway.stop": View(_stopped),
    "gateway.logs": View(_logs),
    "gateway.install": View(_written),
}
