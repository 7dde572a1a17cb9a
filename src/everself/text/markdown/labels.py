"""Reads and fills lines such as `- **Name:** Aria` without changing another byte.

IDENTITY.md and USER.md consist of such lines. Knows no particular labels or values.
"""

from collections.abc import Iterator, Mapping

from everself.frozen import Frozen
from everself.text.markdown.blocks import Block, BlockKind, scan
from everself.text.markdown.edit import newline
from everself.text.markdown.lines import marker_width
from everself.text.markdown.sections import before_comments

_LONGEST_LABEL = 40  # characters; what is longer before a colon is a sentence
_COLONS = (b":", "：".encode())
_MARKS = "*_` "
_PLACEHOLDERS = (("_(", ")_"), ("*(", ")*"), ("(", ")"), ("<", ">"))


class Label(Frozen):
    """`name` is in lower case. `start..end` are the bytes of the value, including a placeholder.

    `value` is the text, empty for a placeholder. `gap` goes between the colon and a new value. `line_start` and `line_end` enclose the
    lines of the label.
    """

    name: str
    value: str
    start: int
    end: int
    gap: bytes
    line_end: int
    line_start: int = 0


def read_labels(data: bytes) -> tuple[Label, ...]:
    """Every labelled line in order, except inside code, comments and quotes."""
    found: list[Label] = []
    for block in scan(data).blocks:
        if block.kind is BlockKind.LIST_ITEM and block.lead is BlockKind.PARAGRAPH:
            found += _of_lines(data, _lines(data, block), listed=True)
        elif block.kind is BlockKind.PARAGRAPH:
            found += _of_lines(data, _lines(data, block), listed=False)
    return tuple(found)


def fill_labels(data: bytes, values: Mapping[str, str]) -> bytes:
    """The document with these values; missing labels are added after the last one. Names are written as given."""
    known: dict[str, Label] = {}
    for label in read_labels(data):
        known.setdefault(label.name, label)
    splices = [
        (known[name.lower()].start, known[name.lower()].end, known[name.lower()].gap + value.encode())
        for name, value in values.items()
        if name.lower() in known and known[name.lower()].value != value
    ]
    missing = [f"- **{name}:** {value}".encode() for name, value in values.items() if name.lower() not in known]
    if missing:
        at = max((label.line_end for label in known.values()), default=len(data))
        splices.append((at, at, _new_lines(data, at, missing, apart=not known)))
    for start, end, new in sorted(splices, reverse=True):
        data = data[:start] + new + data[end:]
    return data


def _new_lines(data: bytes, at: int, lines: list[bytes], *, apart: bool) -> bytes:
    nl = newline(data)
    closing = nl if at and data[at - 1] not in b"\r\n" else b""
    return closing + (nl if apart and data else b"") + b"".join(line + nl for line in lines)


def _lines(data: bytes, block: Block) -> list[tuple[int, bytes]]:
    found, at = [], block.start
    for line in data[block.start : block.end].splitlines(keepends=True):
        found.append((at, line))
        at += len(line)
    return found


def _of_lines(data: bytes, lines: list[tuple[int, bytes]], *, listed: bool) -> Iterator[Label]:
    """The labels in the first line of a list item, or in lines of a paragraph with a bold label, because prose contains colons too."""
    for order, (at, line) in enumerate(lines):
        split = _split(line, listed=listed and order == 0)
        if split is None:
            continue
        name, offset = split
        start, end = _bare(data, at + offset, at + len(line))
        gap, line_end = b"" if start > at + offset else b" ", at + len(line)
        if start == end and listed and order + 1 < len(lines) and _split(lines[order + 1][1], listed=False) is None:
            # OpenClaw's template has the value below its label
            below, line = lines[order + 1]
            start, end = _bare(data, below, below + len(line))
            gap, line_end = b"", below + len(line)
        elif start == end:
            start = end = at + offset
            gap = b" "
        yield Label(name, _clean(data[start:end].decode("utf-8", "replace")), start, end, gap, line_end, at)


def _split(line: bytes, *, listed: bool) -> tuple[str, int] | None:
    """The label, and the position of its value in the line."""
    text = line.lstrip(b" \t")
    width = marker_width(text) if listed and text else 0
    rest = text[width:].lstrip(b" \t")
    bold = rest.startswith((b"**", b"__"))
    if not listed and not bold:
        return None
    places = [(rest.find(colon), len(colon)) for colon in _COLONS if colon in rest]
    if not places:
        return None
    colon, size = min(places)
    label = rest[:colon].decode("utf-8", "replace").strip(_MARKS)
    if not label or len(label) > _LONGEST_LABEL:
        return None
    after = colon + size
    if bold and rest[:2] not in rest[2:colon]:
        if not rest.startswith(rest[:2], after):
            return None
        after += 2
    return " ".join(label.lower().split()), len(line) - len(rest) + after


def _bare(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span without white space around it and comments after it."""
    end = before_comments(data, start, end)
    while start < end and data[start] in b" \t":
        start += 1
    return start, end


def _clean(text: str) -> str:
    """The value without placeholder and without marks around all of it."""
    for opening, closing in _PLACEHOLDERS:
        if text.startswith(opening):
            _, found, rest = text.partition(closing)
            # words typed after a placeholder count, but "(the) fox" is one value
            if found and (not rest or len(opening) == 2):
                text = rest.strip()
    for mark in ("**", "__", "*", "_", "`"):
        inner = text[len(mark) : -len(mark)]
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark) and mark not in inner:
            return inner.strip()
    return text
