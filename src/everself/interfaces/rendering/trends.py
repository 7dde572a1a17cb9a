"""How `everself memory trends` shows the days."""

from collections.abc import Iterator
from typing import Final

from everself.interfaces.rendering.lines import Line, paint
from everself.interfaces.rendering.view import Look, View
from everself.operations.trends import TrendDay, Trends

_HEADER: Final = (
    f"{'DAY':<10}  {'CORE':>5}  {'WORKING':>7}  {'OTHER':>5}  {'JUNK':>9}  {'SEARCHES':>8}  {'MISSED':>6}  SOURCES"
)


def _told(found: Trends, _: Look) -> Iterator[Line]:
    busy = [one for one in found.days if one.entries or one.searches]
    first = found.days[0].day
    if not busy:
        yield f"Nothing was remembered or searched for since {first}."
        return
    yield paint(_HEADER, bold=True)
    yield from map(_line, busy)
    idle = len(found.days) - len(busy)
    if idle:
        yield f"{idle} of {len(found.days)} days since {first} had neither an entry nor a search."
    searches, missed = sum(one.searches for one in busy), sum(one.missed for one in busy)
    if searches:
        yield f"{missed} of {searches} searches found nothing ({missed / searches:.0%})."
    yield found.junk.words if found.junk.mined else "Nothing was mined from conversations in the last 90 days."


def _line(one: TrendDay) -> Line:
    junk = f"{one.junk} of {one.mined}" if one.mined else "-"
    counts = f"{one.core:>5}  {one.working:>7}  {one.elsewhere:>5}  {junk:>9}  {one.searches:>8}  {one.missed:>6}"
    sources = ", ".join(f"{count} {name}" for name, count in one.sources)
    return paint(one.day.isoformat(), "yellow") + f"  {counts}  {sources}".rstrip()


VIEWS: Final = {"memory.trends": View(_told)}
