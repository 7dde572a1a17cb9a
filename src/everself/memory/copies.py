"""Entries that were made of one message and tell the same: what a person said and what a model noted of it. Pure, but for the catalog.

What tells the same and comes from another message is found by recall (`conversation/corrections.py`).
"""

from datetime import timedelta
from typing import Final

from everself.classify.coverage import same_fact
from everself.memory.catalog import Catalog
from everself.memory.writing import CORE, log_in, scope_of
from everself.values import Entry
from everself.workspace.layout import place

MESSAGE: Final = "msg:"
_DAY: Final = timedelta(days=1)


def copies_of(entry: Entry, catalog: Catalog) -> list[Entry]:
    """The open entries of the same scope that rest on a message which this one rests on, and tell the same."""
    return [one for one in of_same_message(entry, catalog) if same_statement(entry.text, one.text)]


def of_same_message(entry: Entry, catalog: Catalog) -> list[Entry]:
    """The open entries of the same scope that rest on a message which this one rests on."""
    messages = {one for one in entry.lineage if one.startswith(MESSAGE)}
    if not messages:
        return []
    where = place(entry.path)
    scope = scope_of(where.person or "", where.project or "")
    days = {day for one in (entry.day, entry.seen) if one is not None for day in (one - _DAY, one, one + _DAY)}
    paths = (entry.path, f"{scope}{CORE}", *(log_in(scope, day) for day in sorted(days)))
    return [
        one
        for path in dict.fromkeys(paths)
        for one in catalog.of(path)
        if one.id != entry.id
        and not one.closed
        and not messages.isdisjoint(one.lineage)
        and place(one.path).scope == where.scope
    ]


def same_statement(one: str, other: str) -> bool:
    """Whether two texts of one message tell the same: each all that the other does."""
    return same_fact(one, other, ordered=False)
