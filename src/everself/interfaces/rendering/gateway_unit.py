"""How `everself gateway install` shows what it wrote, and what comes next."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import Line
from everself.interfaces.rendering.view import Look, View

if TYPE_CHECKING:
    from everself.operations.gateway_unit import UnitWritten


def _written(done: "UnitWritten", _: Look) -> Iterable[Line]:
    return [
        f"The unit is in {done.file}." if done.changed else f"The unit in {done.file} is as it should be.",
        "Start it now and with your session: systemctl --user daemon-reload && systemctl --user enable --now everself-gateway",
        "Keep it when you log out: loginctl enable-linger",
    ]


VIEWS: Final = {"gateway.install": View(_written)}
