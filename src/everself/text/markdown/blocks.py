"""The one-pass line scanner: bytes in, blocks out, covering the document without a gap.

Nothing is decoded: the structure of Markdown is ASCII, so CRLF, NUL, a BOM and invalid UTF-8 are kept. Boundaries are those of CommonMark
with GFM tables, with these exceptions: front matter is a block, link reference definitions are paragraphs, and a quote is one block whose
content is not parsed. Does not know entries or sections.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from io import BytesIO
from typing import NamedTuple

from everself.frozen import Frozen
from everself.text.markdown import lines as line_syntax
from everself.text.markdown.lines import BOM, PLAIN, is_blank, measure


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    FENCE = "fence"
    CODE = "code"
    TABLE = "table"
    COMMENT = "comment"
    HTML = "html"
    FRONT_MATTER = "front_matter"
    BREAK = "thematic_break"
    QUOTE = "quote"
    BLANK = "blank"


class Block(NamedTuple):
    """Whole lines of one kind. A named tuple: it is immutable like a frozen dataclass and made five times as fast.

    A list item's block is its marker line with the first thing in it (`lead`: usually a paragraph, with its
    continuation lines); what else it holds follows as blocks of greater `depth`. `depth` counts the list items around
    a block, so a top-level item has 0 and its sub-items have 1. `level` is a heading's; `indent` is the column at
    which the content begins. Lines count from 1, the last one included.
    """

    kind: BlockKind
    start: int
    end: int
    first_line: int
    last_line: int
    level: int
    depth: int
    indent: int
    lead: BlockKind


class Scan(Frozen):
    """A document and its blocks. `closer` is the line that would close a fence or HTML block left open at the end."""

    data: bytes
    blocks: tuple[Block, ...]
    closer: bytes = b""


def scan(data: bytes) -> Scan:
    """The blocks of `data`; joined they are `data`. One pass, and no copy of the text beyond the current line."""
    machine = _Machine()
    head_lines, head_size = line_syntax.front_matter(_split(data, 0))
    if head_lines:
        machine.begin(BlockKind.FRONT_MATTER, 0, 1)
    rest = _split(data, head_size)
    start = head_size
    if not head_lines and data.startswith(BOM):
        first = next(rest)
        machine.step(first[len(BOM) :], 0, 1, skipped=len(BOM))
        start, head_lines = len(first), 1
    machine.run(rest, start, head_lines + 1)
    return Scan(data, tuple(machine.out), machine.closer)


def _split(data: bytes, start: int) -> Iterator[bytes]:
    if data.count(b"\r") != data.count(b"\r\n"):
        return iter(data[start:].splitlines(keepends=True))
    source = BytesIO(data)  # shares the bytes; iterating it holds one line at a time
    source.seek(start)
    return source


# the kind of open leaf; blocks of one line are never open
_NONE, _TEXT, _FENCE, _CODE, _HTML, _TABLE = range(6)
# Deeper nesting is read as text: a line of a million `>` must not open a million containers.
_DEEPEST = 64
_QUOTE = 0  # in the stack of containers; a list item is the width of its indentation, which is at least 2
_GT, _DASH, _HASH, _LT = b">-#<"
_make = tuple.__new__


class _Machine:
    """CommonMark's block algorithm: match open containers, open new ones, then give the rest to a leaf."""

    __slots__ = (
        "closer", "depth", "end", "ends", "first", "fresh", "header", "header_text", "hollow", "indent", "item", "kind",
        "lead", "leaf", "level", "mark", "mark_length", "matched", "number", "out", "pos", "quote", "stack", "start",
        "tail", "tail_line",
    )  # fmt: skip

    def __init__(self) -> None:
        self.out: list[Block] = []
        self.kind: BlockKind | None = None
        self.start = self.first = self.level = self.depth = self.indent = 0
        self.lead = BlockKind.BLANK
        self.stack: list[int] = []
        self.quote = -1  # where in the stack the outermost quote is; all inside belongs to its block
        self.hollow = False  # the innermost item has nothing in it yet, so a blank line ends it
        self.leaf = _NONE
        self.mark, self.mark_length = b"", 0
        self.ends: tuple[bytes, ...] = ()
        self.tail = self.tail_line = 0  # end of indented code without the blank lines that may follow
        self.header, self.header_text = -1, b""  # the paragraph line that a delimiter row would make a table
        # of the current line: its position, how many containers it continues, whether it opened any, and whether it is a list item
        self.pos = self.end = self.number = self.matched = 0
        self.fresh = self.item = False
        self.closer = b""

    def run(self, source: Iterable[bytes], start: int, first: int) -> None:
        """Process all lines. The lines that notes consist of (text, blank, top-level bullet, heading, code) are handled in this loop."""
        paragraph, item, blank = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.BLANK
        stack = self.stack
        pos, number = start, first - 1
        calm = self._calm()
        for line in source:
            number += 1
            byte = line[0]
            if calm:
                if PLAIN[byte]:
                    if self.leaf == _NONE:
                        stack.clear()
                        self.begin(paragraph, pos, number)
                        self.leaf = _TEXT
                    # a lazy line cannot be a table header
                    self.header = -1 if stack else pos
                    self.header_text = line
                    pos += len(line)
                    continue
                if line == b"\n" or line == b"\r\n":
                    if self.kind is not blank:
                        self.begin(blank, pos, number)
                        self.leaf = _NONE
                    pos += len(line)
                    continue
                if byte == _DASH and (
                    (line[1:2] == b" " and PLAIN[(line[2:3] or b" ")[0]])
                    or (line[1:4] == b" **" and PLAIN[(line[4:5] or b" ")[0]])
                ):
                    self.begin(item, pos, number)
                    stack[:] = (2,)
                    self.indent = 2
                    self.lead = paragraph
                    self.leaf = _TEXT
                    self.header = pos
                    self.header_text = line
                    pos += len(line)
                    continue
                if byte == _HASH and (level := line_syntax.heading_level(line)):
                    stack.clear()
                    self.begin(BlockKind.HEADING, pos, number)
                    self.level = level
                    self.leaf = _NONE
                    pos += len(line)
                    continue
            elif self.leaf == _FENCE and not stack and (PLAIN[byte] or line == b"\n"):
                pos += len(line)
                continue
            self.step(line, pos, number)
            pos += len(line)
            calm = self._calm()
        self._finish(pos, number)

    def _calm(self) -> bool:
        return self.leaf <= _TEXT and self.quote < 0 and not self.hollow

    def begin(self, kind: BlockKind, pos: int, number: int) -> None:
        """End the block before `pos` and begin another; the caller sets other fields if needed."""
        if self.kind is not None:
            self._emit(pos, number - 1)
        self.kind = self.lead = kind
        self.start, self.first = pos, number
        self.level = self.depth = self.indent = 0

    def _emit(self, end: int, last: int) -> None:
        block = (self.kind, self.start, end, self.first, last, self.level, self.depth, self.indent, self.lead)
        self.out.append(_make(Block, block))

    def step(self, line: bytes, pos: int, number: int, skipped: int = 0) -> None:
        """Process one line with the full algorithm; `skipped` bytes at `pos` belong to it but are not in `line`."""
        self.pos, self.end, self.number = pos, pos + skipped + len(line), number
        indent, text = measure(line, 0)
        indent, column, text = self._match(indent, text)
        self.hollow = False
        whole = self.matched == len(self.stack)
        if is_blank(text):
            if whole and (self.leaf == _FENCE or self.leaf == _CODE or (self.leaf == _HTML and self.ends)):
                return
            self._close()
            if self.quote < 0 and self.kind is not BlockKind.BLANK:
                self.begin(BlockKind.BLANK, pos, number)
        elif not (whole and self._continue(text, indent)):
            self._open(text, indent, column)

    def _match(self, indent: int, text: bytes) -> tuple[int, int, bytes]:
        """Count the open containers that the line continues, and return the rest of the line."""
        column = indent
        blank = is_blank(text)
        matched = 0
        for width in self.stack:
            if width:
                if blank:
                    if self.hollow and matched == len(self.stack) - 1:
                        break
                elif indent < width:
                    break
                else:
                    indent -= width
            else:
                if blank or indent > 3 or text[0] != _GT:
                    break
                indent, column, text = _past_quote_mark(text, column)
                blank = is_blank(text)
            matched += 1
        self.matched = matched
        return indent, column, text

    def _continue(self, text: bytes, indent: int) -> bool:
        """Whether the open leaf takes the line regardless of its content."""
        if self.leaf == _FENCE:
            if indent < 4 and line_syntax.closes_fence(text, self.mark, self.mark_length):
                self.leaf = _NONE
            return True
        if self.leaf == _HTML:
            self._end_html(text)
            return True
        if self.leaf == _CODE and indent >= 4:
            self.tail, self.tail_line = self.end, self.number
            return True
        return False

    def _close(self) -> None:
        """Close the open leaf and all containers that the line does not continue."""
        if self.leaf == _CODE and self.quote < 0 and self.tail < self.pos:
            self.begin(BlockKind.BLANK, self.tail, self.tail_line + 1)
        self.leaf = _NONE
        del self.stack[self.matched :]
        if self.quote >= self.matched:
            self.quote = -1

    def _open(self, text: bytes, indent: int, column: int) -> None:
        """Open the containers that begin on this line, and pass the rest to a leaf."""
        stack = self.stack
        under_text = self.leaf == _TEXT and self.matched == len(stack)
        fresh = item = False
        while indent < 4 and len(stack) < _DEEPEST:
            quoted = text[0] == _GT
            width = 0 if quoted or PLAIN[text[0]] else line_syntax.marker_width(text)
            if not quoted and (not width or line_syntax.is_thematic_break(text)):
                break
            if under_text and not fresh and width and not line_syntax.may_interrupt(text, width):
                break
            if not fresh:
                self._close()
                fresh = True
            if quoted:
                if self.quote < 0:
                    self._start(BlockKind.QUOTE, column, item)
                    self.quote = len(stack)
                stack.append(_QUOTE)
                indent, column, text = _past_quote_mark(text, column)
            else:
                if self.quote < 0 and not item:
                    self._start(BlockKind.LIST_ITEM, column, False)
                    item = True
                gap, text = measure(text[width:], column + width)
                self.hollow = is_blank(text)
                padding = 1 if self.hollow or gap > 4 else gap
                stack.append(indent + width + padding)
                column += width + gap
                indent = gap - padding
                if self.quote < 0:
                    self.indent = column - indent
            if is_blank(text):
                return
        self.fresh, self.item = fresh, item
        self._give(text, indent, column)

    def _start(self, kind: BlockKind, column: int, item: bool) -> None:
        """Begin a block, or set the lead of the list item that begins on this line."""
        if item:
            self.lead = kind
            return
        self.begin(kind, self.pos, self.number)
        self.depth = len(self.stack)
        self.indent = column

    def _give(self, text: bytes, indent: int, column: int) -> None:
        """Pass the rest of the line to the open leaf, or to a new one."""
        whole = self.matched == len(self.stack)
        stays = not self.fresh and (self.leaf == _TEXT or (self.leaf == _TABLE and whole and indent < 4))
        leaf = self.leaf if stays else _NONE
        if indent >= 4:
            found = None if leaf == _TEXT else (_CODE, BlockKind.CODE)
        elif PLAIN[text[0]]:
            found = None
        elif leaf == _TEXT and whole and self._reshape(text):
            return
        else:
            found = self._find_leaf(text, leaf)
        if found is None:
            if leaf == _TABLE:
                return
            if leaf == _TEXT:
                # neither a lazy line nor an indented one can be a table header
                self.header = self.pos if whole and indent < 4 else -1
                self.header_text = text
                return
            found = (_TEXT, BlockKind.PARAGRAPH)
        if not self.fresh:
            self._close()
        self.leaf, kind = found
        if self.quote < 0:
            self._start(kind, column - max(indent - 4, 0) if self.leaf == _CODE else column, self.item)
        self._set_up(kind, text)

    def _find_leaf(self, text: bytes, leaf: int) -> tuple[int, BlockKind] | None:
        """The leaf that begins with `text`, if allowed: a lone tag does not interrupt a paragraph or a table."""
        mark = text[0]
        if mark == _HASH:
            return (_NONE, BlockKind.HEADING) if line_syntax.heading_level(text) else None
        if mark in b"`~":
            return (_FENCE, BlockKind.FENCE) if line_syntax.fence_length(text) else None
        if mark == _LT:
            html = line_syntax.html_start(text)
            if html is None or not (html.interrupts or leaf == _NONE):
                return None
            self.ends = html.ends
            return _HTML, BlockKind.COMMENT if html.comment else BlockKind.HTML
        return (_NONE, BlockKind.BREAK) if line_syntax.is_thematic_break(text) else None

    def _set_up(self, kind: BlockKind, text: bytes) -> None:
        if self.leaf == _TEXT:
            self.header, self.header_text = self.pos, text
        elif self.leaf == _FENCE:
            self.mark, self.mark_length = text[:1], line_syntax.fence_length(text)
        elif self.leaf == _HTML:
            self._end_html(text)
        elif self.leaf == _CODE:
            self.tail, self.tail_line = self.end, self.number
        elif kind is BlockKind.HEADING and self.quote < 0:
            self.level = line_syntax.heading_level(text)

    def _end_html(self, text: bytes) -> None:
        if not self.ends or not line_syntax.ends_html(text, self.ends):
            return
        self.leaf = _NONE
        if self.quote < 0 and self.lead is BlockKind.COMMENT and line_syntax.text_after_comment(text):
            self._rename(BlockKind.HTML)

    def _reshape(self, text: bytes) -> bool:
        """Whether the line turns the paragraph above into a setext heading, or its last line into a table header."""
        if self.header >= 0:
            cells = line_syntax.delimiter_cells(text)
            if cells and cells == line_syntax.header_cells(self.header_text):
                self.leaf = _TABLE
                if self.quote < 0 and self.header != self.start:
                    indent = self.indent
                    self.begin(BlockKind.TABLE, self.header, self.number - 1)
                    self.depth, self.indent = len(self.stack), indent
                elif self.quote < 0:
                    self._rename(BlockKind.TABLE)
                return True
        level = line_syntax.underline_level(text) if text[0] in b"-=" else 0
        if not level:
            return False
        self.leaf = _NONE
        if self.quote < 0:
            self._rename(BlockKind.HEADING)
            self.level = level
        return True

    def _rename(self, kind: BlockKind) -> None:
        self.lead = kind
        if self.kind is not BlockKind.LIST_ITEM:
            self.kind = kind

    def _finish(self, end: int, number: int) -> None:
        if not self.stack:
            if self.leaf == _FENCE:
                self.closer = self.mark * self.mark_length
            elif self.leaf == _HTML and self.ends:
                self.closer = self.ends[0]
        self.pos, self.matched = end, 0
        self._close()
        if self.kind is not None:
            self._emit(end, number)


def _past_quote_mark(text: bytes, column: int) -> tuple[int, int, bytes]:
    """Indentation, column and text after `>` and its one space."""
    gap, text = measure(text[1:], column + 1)
    return gap - (gap > 0), column + 1 + gap, text
