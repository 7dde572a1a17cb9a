"""Computes the chunks and lines that a scope may see. Fails closed; the rules are in `scopes`."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy

from everself.search.chunking.marks import Flag
from everself.search.scopes import Scope, sees, shared_lines, shares
from everself.values import Document

if TYPE_CHECKING:
    from everself.search.arrays import Bools
    from everself.search.index_file.view import Snapshot
    from everself.search.snippets import SnippetSource

    Mask = Bools | None

_MARK = b"share:"
_ALL = ((1, 2**31),)


# visible chunks by view and scope; a view never changes
_known: "WeakKeyDictionary[Snapshot, dict[Scope, tuple[Mask]]]" = WeakKeyDictionary()
_SCOPES_KEPT = 16


def visible_chunks(view: "Snapshot", scope: Scope, served: "SnippetSource") -> "Mask":
    """True for each chunk that may be found; None if all may."""
    kept = _known.setdefault(view, {})
    found = kept.get(scope)
    if found is None:
        if len(kept) >= _SCOPES_KEPT:
            kept.clear()
        found = kept[scope] = (_look(view, scope, served),)
    return found[0]


def _look(view: "Snapshot", scope: Scope, served: "SnippetSource") -> "Mask":
    columns = view.columns
    visible = numpy.zeros(len(columns), numpy.bool_)
    everything = True
    for number, document in view.documents.items():
        if not document.count:
            continue
        span = slice(document.first, document.first + document.count)
        imported = bool(columns["flags"][document.first] & Flag.IMPORTED)
        if sees(scope, document.path, imported=imported):
            visible[span] = True
            continue
        everything = False
        if shares(scope, document.path, imported=imported) and _MARK in (data := served.data(number)):
            lines = shared_lines(data, scope.kind)
            chunks = served.chunks(range(document.first, document.first + document.count))
            for chunk in chunks if lines else ():
                visible[chunk.number] = any(a <= chunk.first_line and chunk.last_line <= b for a, b in lines)
    visible.flags.writeable = False
    return None if everything else visible


def visible_lines(scope: Scope, document: Document, *, imported: bool) -> tuple[tuple[int, int], ...]:
    """The ranges of lines that may be read; empty if the document may not be known at all."""
    if sees(scope, document.path, imported=imported):
        return _ALL
    if shares(scope, document.path, imported=imported):
        return tuple(shared_lines(document.data, scope.kind))
    return ()
