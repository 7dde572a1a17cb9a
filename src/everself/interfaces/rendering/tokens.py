"""Output of `everself gateway token`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View, says
from everself.operations.token_file import TokenLine
from everself.operations.tokens import TokenMade


def _may(one: TokenLine | TokenMade) -> str:
    who = f"guests named by {one.people}" if one.people else one.session
    return f"{one.agent} as {who}{', reading only' if one.read else ''}"


def _made(done: TokenMade, _: Look) -> Iterator[Line]:
    yield paint(done.token, bold=True)
    yield f"The token {done.name} opens {_may(done)}. It is shown this once; send it as: Authorization: Bearer …"


def _listed(found: tuple[TokenLine, ...], _: Look) -> Iterable[Line]:
    if not found:
        return ["There are no tokens. Make one with: everself gateway token add NAME --as main"]
    width = max(len(one.name) for one in found)
    return [paint(f"{one.name:<{width}}", bold=True) + f"  {_may(one)}  since {one.since}" for one in found]


VIEWS: Final = {
    "gateway.token.add": View(_made),
    "gateway.token.list": View(_listed),
    "gateway.token.rotate": View(_made),
    "gateway.token.rm": View(says("The token {0.name} is refused from now on.")),
}
