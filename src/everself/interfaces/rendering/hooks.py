"""Output of `everself gateway hook`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View, says
from everself.operations.hooks import HookLine, HookMade
from everself.text.normalise import one_line

_SHOWN: Final = 60


def _made(done: HookMade, _: Look) -> Iterator[Line]:
    yield paint(done.key, bold=True)
    yield f"{done.agent} hears what is posted to {done.path}. The key is shown this once; it signs after Standard Webhooks."


def _listed(found: tuple[HookLine, ...], _: Look) -> Iterable[Line]:
    if not found:
        return ["There are no webhooks. Make one with: everself gateway hook add NAME"]
    width = max(len(one.path) for one in found)
    return [
        paint(f"{one.path:<{width}}", bold=True) + f"  {one.agent}  since {one.since}  {one_line(one.message, _SHOWN)}"
        for one in found
    ]


VIEWS: Final = {
    "gateway.hook.add": View(_made),
    "gateway.hook.list": View(_listed),
    "gateway.hook.rotate": View(_made),
    "gateway.hook.rm": View(says("What is posted to the hook {0.name} is refused from now on.")),
}
