"""Output of `everself memory contents` and `trends`."""

from collections.abc import Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.contents import Contents, Group, TrendDay, Trends


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


_HEADER: Final = (
    f"{'DAY':<10}  {'CORE':>5}  {'WORKING':>7}  {'OTHER':>5}  {'JUNK':>9}  {'SEARCHES':>8}  {'MISSED':>6}  SOURCES"
)


def _days_told(found: Trends, _: Look) -> Iterator[Line]:
    busy = [one for one in found.days if one.entries or one.searches]
    first = found.days[0].day
    if not busy:
        yield f"Nothing was remembered or searched for since {first}."
        return
    yield paint(_HEADER, bold=True)
    yield from map(_day_line, busy)
    idle = len(found.days) - len(busy)
    if idle:
        yield f"{idle} of {len(found.days)} days since {first} had neither an entry nor a search."
    searches, missed = sum(one.searches for one in busy), sum(one.missed for one in busy)
    if searches:
        yield f"{missed} of {searches} searches found nothing ({missed / searches:.0%})."
    yield found.junk.words if found.junk.mined else "Nothing was mined from conversations in the last 90 days."


def _day_line(one: TrendDay) -> Line:
    junk = f"{one.junk} of {one.mined}" if one.mined else "-"
    counts = f"{one.core:>5}  {one.working:>7}  {one.elsewhere:>5}  {junk:>9}  {one.searches:>8}  {one.missed:>6}"
    sources = ", ".join(f"{count} {name}" for name, count in one.sources)
    return paint(one.day.isoformat(), "yellow") + f"  {counts}  {sources}".rstrip()


VIEWS: Final = {
    "memory.contents": View(_told),
    "memory.trends": View(_days_told),
}
