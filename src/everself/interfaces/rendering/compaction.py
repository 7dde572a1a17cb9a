"""Output of `everself memory compact`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from everself.interfaces.rendering.lines import count_of, entries_of
from everself.interfaces.rendering.view import Look, View, without
from everself.operations.compaction import Compaction

_SHOWN: Final = 20


def _lines(found: Compaction, _: Look) -> Iterable[str]:
    if found.applied:
        return _told(found)
    return list(_listed(found)) or [f"No day is older than {count_of(found.age, 'day')}."]


def _notices(found: Compaction) -> Iterator[str]:
    yield from (f"{one.path} stays: {one.why}." for one in found.held[:_SHOWN])
    if found.days and not found.applied:
        yield "Nothing was changed: --apply copies them, --apply --remove moves them."


def _listed(found: Compaction) -> Iterator[str]:
    for one in found.days[:_SHOWN]:
        yield f"{one.path}  {entries_of(one.entries)}  → {one.to}{'  copied already' if one.copied else ''}"
    if len(found.days) > _SHOWN:
        yield f"and {len(found.days) - _SHOWN} more."
    for archive, count in sorted(Counter(one.to for one in found.days).items()):
        yield f"{archive}: {count_of(count, 'day')}"


def _told(found: Compaction) -> Iterator[str]:
    if not found.changes:
        yield "Nothing was left to do."
        return
    did = "Moved" if found.removed else "Copied"
    yield f"{did} {count_of(len(found.done), 'day')} to {', '.join(found.archives[:_SHOWN])}."
    named = f"change {found.changes[0]}" if len(found.changes) == 1 else f"{len(found.changes)} changes"
    yield f"It is {named}, told in COMPACTION_LOG.md."


VIEWS: Final = {"memory.compact": View(_lines, data=without("age", "applied"), notices=_notices)}
