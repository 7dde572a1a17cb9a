"""How `everself memory contents` shows what there is."""

from collections.abc import Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.contents import Contents, Group


def _told(found: Contents, _: Look) -> Iterator[Line]:
    if not (found.days or found.topics or found.people or found.projects or found.apart):
        yield "Nothing is remembered yet: everself memory add TEXT, or everself chat"
        return
    yield from _groups("DAYS", found.days)
    if found.older:
        yield f"  and {found.older:,} more days"
    yield from _groups("TOPICS", found.topics)
    yield from _groups("PEOPLE", found.people)
    yield from _groups("PROJECTS", found.projects)
    if found.apart:
        yield f"In quarantine: {found.apart:,} entries. everself memory list --path quarantine"


def _groups(title: str, groups: tuple[Group, ...]) -> Iterator[Line]:
    if groups:
        yield paint(title, bold=True)
    for one in groups:
        yield f"{one.entries:>7,}  {one.name}" + (f"  ({one.path})" if title == "TOPICS" else "")


VIEWS: Final = {"memory.contents": View(_told)}
