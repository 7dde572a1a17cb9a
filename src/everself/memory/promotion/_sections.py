"""Determines what moves together: an entry, or a section with everything under its heading. Pure."""

from collections.abc import Sequence

from everself.errors import ChangedMeanwhile
from everself.frozen import Frozen
from everself.memory.drafts import find_span
from everself.text.markdown.blocks import BlockKind, Scan
from everself.text.markdown.entries import EntryKind, EntrySpan
from everself.text.markdown.sections import sections
from everself.values import Entry

_SILENT = (BlockKind.BLANK, BlockKind.BREAK)


class Stretch(Frozen):
    """The bytes to move. `level` is the level of their first heading, 0 if there is none."""

    start: int
    end: int
    level: int = 0


def stretch_of(document: Scan, span: EntrySpan) -> Stretch:
    """The bytes of an entry or of its whole section, sub-sections included; a document's title is not moved."""
    if span.kind not in (EntryKind.SECTION, EntryKind.LOG):
        return Stretch(span.start, span.end)
    found = sections(document)
    if span.kind is EntryKind.LOG:
        return Stretch(span.start, span.end, next((one.level for one in found if one.start == span.start), 0))
    section = next((one for one in found if one.start <= span.text_start < one.own_end), None)
    if section is None:
        return Stretch(span.start, span.end)
    if section.level < 2:
        return Stretch(max(span.start, section.body), span.end)
    held = [
        block for block in document.blocks if section.start <= block.start < section.end and block.kind not in _SILENT
    ]
    return Stretch(section.start, held[-1].end, section.level)


def headed_alike(entry: Entry, neighbours: Sequence[Entry]) -> list[Entry]:
    """The other entries under the same heading or below it. Only these can move along."""
    below = len(entry.heading)
    return [one for one in neighbours if one.id != entry.id and one.heading[:below] == entry.heading]


def moving_along(document: Scan, entry: Entry, neighbours: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that move with this one, itself first. `neighbours` are the entries of its document."""
    if entry.kind != EntryKind.SECTION.value:
        return (entry,)
    stretch = stretch_of(document, find_span(document, entry))
    found = [entry]
    for one in headed_alike(entry, neighbours):
        try:
            span = find_span(document, one)
        except ChangedMeanwhile:
            continue
        if stretch.start <= span.start < stretch.end:
            found.append(one)
    return tuple(found)
