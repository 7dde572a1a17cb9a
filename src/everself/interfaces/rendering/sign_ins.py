"""Output of `everself gateway sign-in` and `sign-out`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View, says

if TYPE_CHECKING:
    from everself.operations.sign_ins import LinkMade


def _made(done: "LinkMade", _: Look) -> Iterator[Line]:
    yield paint(done.link, bold=True)
    yield f"Open it in a browser within five minutes; it works once, and opens {done.agent} as {done.session}."


VIEWS: Final = {
    "gateway.sign-in": View(_made),
    "gateway.sign-out": View(says("Signed out: {0.count}. Unused links are cancelled.")),
}
