"""The boundaries of entries. Syntax only: noise, transcripts and closed facts are included; other modules judge them.

The units that a person would call one entry:

* a section whose heading begins with a time (`## [09:30:00] decision`, `## 02:14 UTC - Heartbeat`, `## 14:30`), with
  its sub-sections and lists, up to its comment, or else to the next heading of its level or the next heading with a
  time (`log`);
* a list item at the left margin with its continuation lines, paragraphs, fences and sub-items (`item`);
* the text directly under a heading, up to its first list, `---` or sub-section, with its fences, tables and quotes
  (`section`); further text after a list or a `---` is a separate entry (`paragraph`), so that adding an item never
  splits an existing entry;
* without a heading, each paragraph with the fences, tables and quotes that follow it (`paragraph`);
* front matter (`front_matter`).

An entry of any kind ends at its comment: text below is another entry. A line that only refers to an entry by id also
ends its entry.

Headings without text, `---`, blank lines and comments that follow nothing are not entries. Two equal sections are two
entries. An unclosed fence runs to the end of the document, as in CommonMark.
"""

from collections.abc import Iterator
from enum import StrEnum

from everself.frozen import Frozen
from everself.text.markdown import lines as line_syntax
from everself.text.markdown.blocks import Block, BlockKind, Scan, scan
from everself.text.markdown.comment import FoundComment, find_comment
from everself.text.markdown.endings import divide, is_reference
from everself.text.markdown.lines import BOM
from everself.text.markdown.sections import Section, before_comments, sections


class EntryKind(StrEnum):
    LOG = "log"
    ITEM = "item"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    FRONT_MATTER = "front_matter"


class EntrySpan(Frozen):
    """One entry: whole lines `start..end` (removed with it), and its text `text_start..text_end`.

    The text excludes heading, list marker, our comment at its end, and line end. A section's span begins at its heading only if nothing
    else is under that heading. `path` are the titles above the entry, with its own heading. `time` is HH:MM:SS if the heading has one;
    `category` is what follows it in the bracketed form.
    """

    kind: EntryKind
    start: int
    end: int
    text_start: int
    text_end: int
    first_line: int
    last_line: int
    indent: int
    path: tuple[str, ...]
    comment: FoundComment | None
    struck: bool
    time: str = ""
    category: str = ""

    def text(self, data: bytes) -> bytes:
        """The text of the entry, without our comment in any position."""
        found = self.comment
        if found is None or not self.text_start <= found.start < self.text_end:
            return data[self.text_start : self.text_end]
        before = data[self.text_start : found.start].rstrip(b" \t")
        return before + data[found.end : self.text_end]


def entries(document: bytes | Scan) -> tuple[EntrySpan, ...]:
    """All entries in order; they do not overlap."""
    scanned = document if isinstance(document, Scan) else scan(document)
    return tuple(_Finder(scanned).find())


def heading_time(title: str) -> tuple[str, str, bool]:
    """The time at the beginning of a title as HH:MM:SS, the rest, and whether the time is in brackets. Empty without a time."""
    bracketed = title.startswith("[")
    rest = title[1:] if bracketed else title
    clock = rest[: len(rest) - len(rest.lstrip("0123456789:："))].replace("：", ":")
    rest = rest[len(clock) :]
    parts = clock.split(":")
    if len(parts) not in (2, 3) or not 1 <= len(parts[0]) <= 2 or any(len(part) != 2 for part in parts[1:]):
        return "", title, False
    hour, minute, second = (int(part) for part in (*parts, "0")[:3])
    half = rest.lstrip()[:2].lower()
    if half in ("am", "pm") and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
        rest = rest.lstrip()[2:]
    if hour > 23 or minute > 59 or second > 59 or (rest[:1].isalnum() and rest[:1] not in "Zzh"):
        return "", title, False
    if bracketed:
        inside, closed, rest = rest.partition("]")
        if not closed or len(inside) > 16:
            return "", title, False
    return f"{hour:02}:{minute:02}:{second:02}", rest.strip(), bracketed


# blocks that may end with our comment; in others it would be part of code, a table or a quotation
_SPEAKING = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.COMMENT, BlockKind.HTML})
_SILENT = frozenset({BlockKind.BLANK, BlockKind.BREAK})


class _Finder:
    def __init__(self, scanned: Scan) -> None:
        self.data = scanned.data
        self.blocks = divide(scanned)
        self.sections = sections(scanned)
        self.commented = b"everself:" in self.data
        self.referring = b"(entry:" in self.data

    def find(self) -> Iterator[EntrySpan]:
        blocks = self.blocks
        heads = [at for at, block in enumerate(blocks) if block.kind is BlockKind.HEADING and block.depth == 0]
        times = [heading_time(section.title) for section in self.sections]
        first = heads[0] if heads else len(blocks)
        yield from self._part(0, first, None)
        order = 0
        while order < len(heads):
            section, (time, rest, bracketed) = self.sections[order], times[order]
            following = order + 1
            if time:
                while (
                    following < len(heads)
                    and blocks[heads[following]].level > section.level
                    and not times[following][0]
                ):
                    following += 1
            end = heads[following] if following < len(heads) else len(blocks)
            if not time:
                yield from self._part(heads[order] + 1, end, section)
                order = following
                continue
            stop = self._log_end(heads[order], end)
            yield self._log(heads[order], stop, section, (time, rest if bracketed else ""))
            # text below the comment is not part of the log entry, including sub-sections
            order += 1
            while order < len(heads) and heads[order] < stop:
                order += 1
            below = heads[order] if order < len(heads) else len(blocks)
            yield from self._part(stop, min(below, end), section, below=True)

    def _log_end(self, head: int, end: int) -> int:
        """The end of the entry whose heading is block `head`, at most `end`."""
        text = False
        for at in range(head + 1, end):
            if self._ends(at, EntryKind.LOG, first=not text):
                return at + 1
            text = text or self.blocks[at].kind not in _SILENT
        return end

    def _ends(self, at: int, kind: EntryKind, *, first: bool) -> bool:
        """Whether an entry of that kind ends with block `at`; `first`: it is the first block with text."""
        block = self.blocks[at]
        if block.kind is BlockKind.HEADING:
            return False
        if first and self.referring and is_reference(self.data, block.start, block.end):
            return True
        return self.commented and self._comment(kind, range(at, at + 1)) is not None

    def _log(self, head: int, end: int, section: Section, clock: tuple[str, str]) -> EntrySpan:
        while self.blocks[end - 1].kind in _SILENT:
            end -= 1
        return self._span(EntryKind.LOG, range(head, end), head + 1, section.path, clock)

    def _part(self, begin: int, end: int, section: Section | None, *, below: bool = False) -> Iterator[EntrySpan]:
        """The entries in blocks begin..end, which contain no heading at the margin. `below`: an entry is above them."""
        blocks = self.blocks
        path = section.path if section else ()
        units: list[tuple[EntryKind, range]] = []
        kind, first, last = EntryKind.PARAGRAPH, -1, -1
        direct = section is not None and not below
        ended = False
        for at in range(begin, end):
            block = blocks[at]
            what = block.kind
            if what is BlockKind.BLANK:
                continue
            if first >= 0 and not ended and self._joins(block, kind, first, at == last + 1, section is not None):
                last = at
                ended = self._ends(at, kind, first=False)
                continue
            if first >= 0:
                units.append((kind, range(first, last + 1)))
                first = -1
            if what is BlockKind.LIST_ITEM:
                kind, first, last, direct = EntryKind.ITEM, at, at, False
            elif what is BlockKind.BREAK:
                direct = False
            elif what is BlockKind.FRONT_MATTER:
                kind, first, last = EntryKind.FRONT_MATTER, at, at
            elif what is not BlockKind.COMMENT:
                kind, first, last, direct = EntryKind.SECTION if direct else EntryKind.PARAGRAPH, at, at, False
            ended = first >= 0 and self._ends(at, kind, first=True)
        if first >= 0:
            units.append((kind, range(first, last + 1)))
        if (
            section is not None
            and len(units) == 1
            and units[0][0] is EntryKind.SECTION
            and section.end == section.own_end
        ):
            held = units[0][1]
            yield self._span(EntryKind.SECTION, range(begin - 1, held.stop), held.start, path)
            return
        for kind, held in units:
            yield self._span(kind, held, held.start, path)

    def _joins(self, block: Block, kind: EntryKind, first: int, adjacent: bool, headed: bool) -> bool:
        """Whether the block belongs to the unit that begins with block `first`."""
        around = self.blocks[first].depth
        if block.depth != around:
            return block.depth > around
        what = block.kind
        if what is BlockKind.BREAK or what is BlockKind.LIST_ITEM or kind is EntryKind.FRONT_MATTER:
            return False
        if kind is EntryKind.ITEM:
            # a comment on the next line belongs to the item even if it lost its indentation
            return adjacent and what is BlockKind.COMMENT
        return headed or (what is not BlockKind.PARAGRAPH and what is not BlockKind.HTML)

    def _span(
        self, kind: EntryKind, held: range, lead: int, path: tuple[str, ...], clock: tuple[str, str] = ("", "")
    ) -> EntrySpan:
        """`held` are the entry's blocks, `lead` is the first one with text."""
        first, last = self.blocks[held[0]], self.blocks[held[-1]]
        found = self._comment(kind, held) if self.commented else None
        start, end = self._text(kind, held, lead, found)
        return EntrySpan(
            kind,
            first.start,
            last.end,
            start,
            end,
            first.first_line,
            last.last_line,
            first.indent if kind is EntryKind.ITEM else 0,
            path,
            found,
            self._struck(start, end),
            *clock,
        )

    def _comment(self, kind: EntryKind, held: range) -> FoundComment | None:
        if self.data.find(b"everself:", self.blocks[held[0]].start, self.blocks[held[-1]].end) < 0:
            return None
        item = kind is EntryKind.ITEM
        for at in reversed(held):
            block = self.blocks[at]
            if block.lead in _SPEAKING and (item or not (block.depth or block.kind is BlockKind.LIST_ITEM)):
                found = find_comment(self.data, block.start, block.end)
                if found is not None:
                    return found
        return None

    def _text(self, kind: EntryKind, held: range, lead: int, found: FoundComment | None) -> tuple[int, int]:
        data, blocks = self.data, self.blocks
        end = blocks[held[-1]].end
        while lead < held.stop and blocks[lead].kind in _SILENT:
            lead += 1
        if lead == held.stop:
            start = blocks[held[0]].end
        else:
            start = blocks[lead].start
            if start == 0 and data.startswith(BOM):
                start = len(BOM)
            start = _skip_space(data, start, end)
            if kind is EntryKind.ITEM:
                width = 1 if data[start] in b"-*+" else line_syntax.marker_width(data[start : start + 12])
                start = _skip_space(data, start + width, end)
        end = _trim(data, start, end)
        if found is not None and found.end == end:
            end = _trim(data, start, max(start, found.start))
        return start, end

    def _struck(self, start: int, end: int) -> bool:
        """Whether the whole text, except comments at its end, is struck through."""
        data = self.data
        if data[start : start + 3] in (b"[ ]", b"[x]", b"[X]"):
            start = _skip_space(data, start + 3, end)
        if not data.startswith(b"~~", start, end):
            return False
        end = before_comments(data, start, end)
        closing = data.find(b"~~", start + 2, end)
        return start + 2 < closing == end - 2


def _skip_space(data: bytes, start: int, end: int) -> int:
    while start < end and data[start] in b" \t":
        start += 1
    return start


def _trim(data: bytes, start: int, end: int) -> int:
    while end > start and data[end - 1] in b" \t\r\n":
        end -= 1
    return end
