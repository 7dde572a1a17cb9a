"""The end of an entry written by Everself: its comment, or a line that refers to an entry by id. Pure.

Text that a person writes below is a separate entry, even if CommonMark would join both in one paragraph or list item. Knows lines and
blocks, not which blocks form an entry.
"""

from collections.abc import Iterable, Iterator

from everself.text.markdown.blocks import Block, BlockKind, Scan
from everself.text.markdown.comment import find_comment

REFERENCE = "→ "
_REFERENCE, _NAMED = REFERENCE.encode(), b"(entry:"
# what may precede a reference in a list
_MARKS = b" \t-*+"


def divide(document: Scan) -> tuple[Block, ...]:
    """The document's blocks, split where a person's lines follow the end of our entry."""
    data = document.data
    if b"everself:" not in data and _NAMED not in data:
        return document.blocks
    return tuple(part for block in document.blocks for part in _divided(data, block))


def is_reference(data: bytes, start: int, end: int) -> bool:
    """Whether the text is one line that refers to an entry by id: `→ MEMORY.md (entry:ID)`."""
    text = data[start:end].strip().lstrip(_MARKS)
    return (
        text.startswith(_REFERENCE)
        and text.endswith(b")")
        and _NAMED in text
        and b"\n" not in text
        and b"\r" not in text
    )


def _divided(data: bytes, block: Block) -> Iterator[Block]:
    if block.lead is not BlockKind.PARAGRAPH or block.first_line == block.last_line:
        yield block
        return
    marked = data.find(b"everself:", block.start, block.end) >= 0
    part = block
    for number, start, end in _lines(data, block):
        if end == block.end:
            break
        opening = start == block.start
        if (marked and find_comment(data, start, end) is not None) or (opening and is_reference(data, start, end)):
            yield part._replace(end=end, last_line=number)
            # below a list item the text is still parsed as part of that item
            depth = block.depth + (block.kind is BlockKind.LIST_ITEM)
            part = block._replace(
                kind=BlockKind.PARAGRAPH, start=end, end=block.end, first_line=number + 1, depth=depth, level=0
            )
    yield part


def _lines(data: bytes, block: Block) -> Iterable[tuple[int, int, int]]:
    at = block.start
    for number, line in enumerate(data[block.start : block.end].splitlines(keepends=True), block.first_line):
        yield number, at, at + len(line)
        at += len(line)
