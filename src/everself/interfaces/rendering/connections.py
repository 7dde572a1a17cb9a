"""Output of `everself connect` and `everself disconnect`."""

from collections.abc import Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.connections import Connections


def _shown(found: Connections, _: Look) -> Iterator[Line]:
    for client in found.clients:
        where = f" in {client.project}" if client.project else ""
        yield paint(client.client, bold=True) + f"{where}: {'nothing was changed' if found.dry_run else client.state}"
        for one in client.files:
            changed = ("  would be changed" if found.dry_run else "  changed") if one.changed else f"  {one.state}"
            yield f"  {one.path}{changed}" + (f": {one.found}" if one.found else "")


VIEWS: Final = {"connect": View(_shown), "disconnect": View(_shown)}
