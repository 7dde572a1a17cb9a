"""How `everself soul` shows what it did."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import Line, paint_diff
from everself.interfaces.rendering.view import Look, View

if TYPE_CHECKING:
    from everself.identity.growth import Proposed


def _proposed(made: "Proposed", _: Look) -> Iterable[Line]:
    done = f"Proposed as {made.proposal.id}. To let it in: everself soul approve {made.proposal.id}"
    return [*paint_diff(made.diff), "", done]


VIEWS: Final = {"soul.propose": View(_proposed)}
