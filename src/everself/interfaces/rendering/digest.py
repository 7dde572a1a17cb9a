"""How `everself soul digest` tells what the soul learned or gave up."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from everself.interfaces.rendering.lines import Line, count_of, paint
from everself.interfaces.rendering.view import Look, View

if TYPE_CHECKING:
    from everself.operations.digest import Digest, Step


def _lines(found: "Digest", look: Look) -> Iterable[Line]:
    steps = [line for one in (*found.grown, *found.waiting) for line in _step(one, look)]
    return steps or [f"The soul is what it was {count_of(found.days, 'day')} ago, and nothing waits."]


def _step(step: "Step", look: Look) -> Iterator[Line]:
    waits = f"  waits for you: everself soul approve {step.proposal}" if step.proposal else ""
    yield paint(f"{step.at.astimezone(look.zone):%Y-%m-%d %H:%M}  {step.who}: {step.reason}", bold=True) + waits
    yield from (f"  - {line.lstrip('-*+ ')}" for line in step.removed)
    yield from (f"  + {line.lstrip('-*+ ')}" for line in step.added)
    for one in step.evidence:
        yield f"  because of {one.reference}" + (f": {one.words}" if one.words else "")


VIEWS: Final = {"soul.digest": View(_lines)}
