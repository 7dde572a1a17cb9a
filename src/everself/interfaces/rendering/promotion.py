"""Output of `everself memory promote`."""

from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, count_of, entries_of, paint
from everself.interfaces.rendering.view import Look, View, degraded_if
from everself.operations.promotion import Asking, Promoted, Proposed

_WIDE = 400
_MAY = {
    "free": "",
    "confirm": "  added outside Everself: promoting makes it yours",
    "held": "  from outside: only by its id",
}


def _lines(found: Promoted | Asking, _: Look) -> Iterable[Line]:
    if isinstance(found, Asking):
        questions = f"{count_of(len(found.queued), 'question')} for you: everself review"
        return [questions if found.queued else "Nothing new."]
    if found.applied:
        return _done(found)
    return list(_listed(found)) or ["Nothing stands out."]


def _notices(found: Promoted | Asking) -> list[str]:
    if isinstance(found, Asking):
        return list(found.notes)
    if found.applied:
        return [f"{one.entry} stays: {one.reason}" for one in found.left]
    return ["Nothing was moved. To move them: everself memory promote --apply"] if found.candidates else []


def _data(found: Promoted | Asking) -> object:
    names = ("queued", "notes") if isinstance(found, Asking) else ("candidates", "moved", "left", "change")
    return {name: getattr(found, name) for name in names}


def _listed(found: Promoted) -> Iterator[Line]:
    for one in found.candidates:
        sure = paint(f"{one.confidence:.0%}", bold=True)
        yield f"{one.entry}  " + sure + f"  {one.category}  {one.citation} → {one.target}{_MAY[one.may]}"
        yield f"    {_short(one)}"
        yield f"    because {'; '.join(one.reasons) or 'you named it'}"


def _short(one: Proposed) -> str:
    text = " ".join(one.text.split())
    more = f" (with {entries_of(len(one.along))} of its section)" if one.along else ""
    return (text if len(text) <= _WIDE else f"{text[:_WIDE]}…") + more


def _done(found: Promoted) -> Iterator[Line]:
    for one in found.moved:
        along = f", with {entries_of(len(one.along))} of its section" if one.along else ""
        yours = ", now yours" if one.confirmed else ""
        yield f"{one.entry}  {one.source} → {one.target}{along}{yours}"
    if found.change:
        yield f"Promoted {entries_of(len(found.moved))} as change {found.change}."
    else:
        yield "Nothing was moved."


VIEWS: Final = {
    "memory.promote": View(
        _lines, code=degraded_if(lambda found: isinstance(found, Promoted) and found.left), data=_data, notices=_notices
    )
}
