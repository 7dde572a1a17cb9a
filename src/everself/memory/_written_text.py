"""From an entry without a record of its own to the sources from which a tool wrote the same words."""

from collections.abc import Callable, Iterable
from typing import Final

from everself.storage.state.entries import EntryRow
from everself.storage.state.provenance import FileOrigins
from everself.workspace.layout import Kind, Place

# where a tool may write documents of its own, and where copies of them land
_WRITABLE: Final = frozenset({Kind.TOPIC, Kind.PROJECT_MEMORY, Kind.ARCHIVE})


def sources_by_text(known: FileOrigins) -> Callable[[EntryRow, Place], Iterable[str]]:
    if not known.refresh():
        return lambda *_: ()
    return lambda row, where: known.of_text(row.text_mac) if where.kind in _WRITABLE else ()
