"""Entries made from one message that state the same fact: a person's words and a model's note. Pure, except for the catalog.

Recall finds entries from other messages (`conversation/corrections.py`).
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
    """The open entries of the same scope that state the same fact and share a message with this one."""
    return [one for one in of_same_message(entry, catalog) if same_statement(entry.text, one.text)]


def of_same_message(entry: Entry, catalog: Catalog) -> list[Entry]:
    """The open entries of the same scope that share a message with this one."""
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
    """Whether two texts from one message state the same fact."""
    return same_fact(one, other, ordered=False)
