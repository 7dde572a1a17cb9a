"""Output of `everself review`."""

import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, paint, paint_diff
from everself.interfaces.rendering.view import Look, View
from everself.operations.review import Decided, Queue
from everself.operations.review_queue import Waiting, WaitingCount
from everself.text.normalise import one_line

_WIDE: Final = 400
_SAID: Final = {
    "accepted": "Accepted",
    "edited": "Accepted in your words",
    "refused": "Refused",
    "withdrawn": "Not refused any more: it waits again",
}


def _listed(found: Queue, _: Look) -> Iterator[Line]:
    if not found.waiting:
        yield "Nothing waits for you."
    for one in found.waiting:
        yield from painted(one)
        yield ""
    if found.waiting:
        yield f"{count_of(len(found.waiting), 'thing')} to decide: everself review"


def _counted(found: WaitingCount, _: Look) -> Iterator[Line]:
    if not found.total:
        yield "Nothing waits for you."
        return
    kinds = {
        "for the soul": found.soul,
        "questions of keepers": found.questions,
        "kept apart": found.quarantine,
        "added outside Everself": found.hand,
    }
    parts = ", ".join(f"{count} {words}" for words, count in kinds.items() if count)
    yield f"{count_of(found.total, 'thing')} to decide ({parts}): everself review"


def _pages(found: Queue) -> tuple[str, ...]:
    more = (f"There are more: --after {shlex.quote(found.after)}",) if found.after else ()
    return (*found.notes, *more)


def painted(one: Waiting) -> Iterator[Line]:
    first, *rest = lines_of(one)
    yield paint(first[: len(one.id)], "yellow") + first[len(one.id) :]
    for line in rest:
        diff = line[2:] if one.diff else ""
        yield next(iter(paint_diff(diff)), line) if diff.startswith(("+", "-", "@@")) else line


def lines_of(one: Waiting) -> Iterator[str]:
    yield f"{one.id}  {one.kind}, from {one.author}" + (f", {one.at[:10]}" if one.at else "")
    yield f"  {one_line(one.question, 3 * _WIDE)}"
    if one.diff:
        yield from (f"  {line}" for line in one.diff.splitlines()[2:])
    elif one.words and one_line(one.words, _WIDE)[:40] not in one.question:
        yield f"  “{one_line(one.words, _WIDE)}”"
    if one.reason:
        yield f"  because {one_line(one.reason, _WIDE)}"
    if one.changed:
        yield f"  {one.changed}"
    if len(one.answers) > 1:
        yield from (f"  {number}  {label}" for number, label in enumerate(one.answers, 1))


def decided(done: Decided, command: str = "everself undo") -> str:
    return f"{_SAID[done.verdict]}." + (f" To undo it: {command} {done.change}" if done.change else "")


def _decided(done: Decided, _: Look) -> Iterable[Line]:
    return [decided(done)]


VIEWS: Final = {
    "review.list": View(_listed, notices=_pages),
    "review.count": View(_counted),
    "review.accept": View(_decided),
    "review.edit": View(_decided),
    "review.refuse": View(_decided),
}
