"""Edits as byte splices: changes one entry and leaves every other byte unchanged.

Keeps the document's line ends. New text cannot reach beyond its entry: headings in it are escaped, and an open fence or HTML block in it
is closed. If the document itself ends inside one, the closing line is added. Does not decide what may be edited, and knows no files.
"""

from bisect import bisect_left
from collections.abc import Sequence

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.text.markdown import lines as line_syntax
from everself.text.markdown.blocks import Block, BlockKind, Scan, scan
from everself.text.markdown.comment import EntryComment, FoundComment, render_comment
from everself.text.markdown.endings import divide
from everself.text.markdown.entries import EntryKind, EntrySpan, entries, heading_time
from everself.text.markdown.lines import BOM
from everself.text.markdown.sections import before_comments, heading_title, sections

_SILENT = frozenset({BlockKind.BLANK, BlockKind.BREAK})
# these blocks do not merge with what follows
_CLOSED = frozenset(
    {BlockKind.BLANK, BlockKind.HEADING, BlockKind.BREAK, BlockKind.FENCE, BlockKind.FRONT_MATTER, BlockKind.COMMENT}
)
_SEPARATOR = b"<!-- -->"


class Splice(Frozen):
    """Replace bytes start..end with `data`."""

    start: int
    end: int
    data: bytes


def apply_splice(data: bytes, splice: Splice) -> bytes:
    return data[: splice.start] + splice.data + data[splice.end :]


def newline(data: bytes) -> bytes:
    """The line end of the first line; LF if there is none."""
    at = data.find(b"\n")
    if at < 0:
        return b"\r" if b"\r" in data else b"\n"
    return b"\r\n" if data[at - 1 : at] == b"\r" else b"\n"


def append_item(document: Scan, heading: str, text: bytes, comment: EntryComment | None = None) -> Splice:
    """Add a list item at the end of the section `heading`, or under a new `## heading` at the end of the document."""
    nl = newline(document.data)
    section = next((found for found in sections(document) if found.title == heading), None)
    if section is None:
        body = b"## " + _one_line(heading) + nl + nl + _item(text, comment, b"-", nl)
        return Splice(len(document.data), len(document.data), lead_in(document) + body)
    at = bisect_left(document.blocks, section.own_end, key=lambda block: block.end)
    after = at + 1
    while document.blocks[at].kind in _SILENT:
        at -= 1
        after = at + 1
    last = document.blocks[at]
    listed = last.depth > 0 or last.kind is BlockKind.LIST_ITEM
    before = _break_off(document, last.end)
    item = _item(text, comment, _bullet(document, at) if listed else b"-", nl)
    gap = b"" if listed else nl
    ends = after == len(document.blocks) or document.blocks[after].kind is BlockKind.BLANK
    return Splice(last.end, last.end, before + gap + item + (b"" if ends else nl))


def append_log(document: Scan, clock: str, category: str, text: bytes, comment: EntryComment | None = None) -> Splice:
    """Append `## [clock] category` with its text to the document."""
    section = _log_section(document, clock, category, text, comment)
    return Splice(len(document.data), len(document.data), lead_in(document) + section)


def insert_log(document: Scan, clock: str, category: str, text: bytes, comment: EntryComment | None = None) -> Splice:
    """The same, but before later sections at the end: a log is in chronological order."""
    later: Block | None = None
    for block in reversed(document.blocks):
        if block.kind is not BlockKind.HEADING or block.level > 2:
            continue
        time, _, bracketed = heading_time(heading_title(document.data, block))
        if block.level < 2 or not bracketed or time <= clock:
            break
        later = block
    if later is None:
        return append_log(document, clock, category, text, comment)
    nl = newline(document.data)
    before = b"" if document.data[: later.start].endswith((b"\n\n", b"\n\r\n", b"\r\r")) else nl
    section = _log_section(document, clock, category, text, comment)
    return Splice(later.start, later.start, before + section + nl)


def _log_section(document: Scan, clock: str, category: str, text: bytes, comment: EntryComment | None) -> bytes:
    nl = newline(document.data)
    head = b"## [" + _one_line(clock) + b"] " + _one_line(category) + nl + nl
    body = _indented(_section_lines(text), b"", nl) + nl
    return head + body + (render_comment(comment) + nl if comment is not None else b"")


def lead_in(document: Scan) -> bytes:
    """The bytes between the end of the document and a new section: line end, closing line, blank line."""
    if not document.blocks:
        return b""
    before = _break_off(document, len(document.data))
    blank = document.blocks[-1].kind is BlockKind.BLANK and not before
    return before if blank else before + newline(document.data)


def replace_text(document: Scan, span: EntrySpan, text: bytes) -> Splice:
    """Replace the text of an entry. Its heading or marker and the comments at its end stay."""
    data, nl = document.data, newline(document.data)
    item = span.kind is EntryKind.ITEM
    margin = b" " * span.indent
    lines = _item_lines(text) if item else _section_lines(text)
    if not item and span.kind is not EntryKind.LOG:
        lines = _undivided(lines, span)
    body = _indented(lines, margin, nl)
    words_end = before_comments(data, span.text_start, span.text_end)
    found = span.comment
    if found is not None and span.text_start <= found.start < words_end:
        body += _gap(lines, margin, nl) + data[found.start : found.end]
    elif words_end == span.text_start:
        before = b"" if item or data[: span.text_start].endswith((b"\n", b"\r")) else nl
        return Splice(span.text_start, span.text_start, before + body + (b" " if item else nl))
    comments = words_end
    while data[comments : comments + 1] in (b" ", b"\t"):
        comments += 1
    if data.startswith(b"<!--", comments) and not _ends_in_paragraph(lines):
        words_end = comments
        body += nl + margin
    return _kept_apart(document, span, lines, Splice(span.text_start, words_end, body))


def _kept_apart(document: Scan, span: EntrySpan, lines: list[bytes], splice: Splice) -> Splice:
    """The splice with blank lines where new text would merge with an adjacent block."""
    data, blocks, nl = document.data, divide(document), newline(document.data)
    first = bisect_left(blocks, span.start, key=lambda block: block.start)
    after = bisect_left(blocks, span.end, key=lambda block: block.start)
    fresh = scan(b"\n" + b"\n".join(lines)).blocks[1:]
    start, end, body = splice.start, splice.end, splice.data
    headed = first < after and blocks[first].kind is BlockKind.HEADING and not blocks[first].depth
    if first and not headed and span.kind is not EntryKind.ITEM and blocks[first - 1].kind not in _CLOSED:
        calm = blocks[first].lead is fresh[0].lead is BlockKind.PARAGRAPH
        body = body if calm else nl + body
    last = blocks[after - 1]
    if after < len(blocks) and blocks[after].kind is not BlockKind.BLANK and last.kind is not BlockKind.COMMENT:
        listed = span.kind is EntryKind.ITEM and blocks[after].kind is BlockKind.LIST_ITEM
        calm = listed or last.lead is fresh[-1].lead is BlockKind.PARAGRAPH
        if not calm:
            body += data[end : span.end] + nl
            end = span.end
    return Splice(start, end, body)


def set_comment(document: Scan, span: EntrySpan, comment: EntryComment | None) -> Splice:
    """Insert, replace or (with None) remove the entry's comment. The text stays."""
    if span.comment is not None:
        return _change_comment(document.data, span.comment, comment)
    if comment is None:
        return Splice(span.end, span.end, b"")
    raw = render_comment(comment)
    nl = newline(document.data)
    options: list[Splice] = []
    if span.kind is EntryKind.ITEM:
        options.extend(_line_ends(document, span, raw))
    ended = document.data[: span.end].endswith((b"\n", b"\r"))
    line = (b"" if ended else nl) + b" " * span.indent
    options.append(Splice(span.end, span.end, line + raw + nl))
    words = document.data[span.text_start : span.text_end]
    closer = scan(b"\n" + words).closer
    if closer:
        margin = b" " * span.indent
        options.append(Splice(span.end, span.end, line + closer + nl + margin + raw + nl))
    for option in options[:-1]:
        if _carries(document.data, span, option, comment):
            return option
    return options[-1]


def remove_entry(document: Scan, span: EntrySpan) -> Splice:
    """Remove an entry and one of the blank stretches around it; its neighbours never merge.

    The heading of a log entry stays if other text under it would otherwise belong to the entry above.
    """
    data, blocks = document.data, divide(document)
    first = bisect_left(blocks, span.start, key=lambda block: block.start)
    after = bisect_left(blocks, span.end, key=lambda block: block.start)
    if span.kind is not EntryKind.LOG or not _heads_more(data, blocks, first, after):
        return _remove(data, blocks, (first, after), (span.start, span.end))
    head = blocks[first]
    first += 1
    while first < after and blocks[first].kind is BlockKind.BLANK:
        first += 1
    start = blocks[first].start if first < after else span.end
    rest = _remove(data, blocks, (first, after), (start, span.end))
    others = [one.text(data) for one in entries(document) if one.start != span.start]
    made = apply_splice(data, rest)
    if [one.text(made) for one in entries(made)] == others:
        return rest
    # items and sub-sections would become one entry under a heading with a time
    title = _title_start(data, head)
    return Splice(title, rest.end, _BELOW + data[title : rest.start] + rest.data)


# escapes a title that starts with a time
_BELOW = b"Below "


def _title_start(data: bytes, head: Block) -> int:
    at = head.start + (len(BOM) if head.start == 0 and data.startswith(BOM) else 0)
    while data[at : at + 1] in (b" ", b"\t", b"#"):
        at += 1
    return at


def _remove(data: bytes, blocks: Sequence[Block], held: tuple[int, int], where: tuple[int, int]) -> Splice:
    """Remove the blocks `held`, which are the bytes `where`."""
    (first, after), (start, end) = held, where
    above = blocks[first - 1] if first else None
    blank_above = above is None or above.kind is BlockKind.BLANK
    spoken = first
    while spoken and blocks[spoken - 1].kind is BlockKind.BLANK:
        spoken -= 1
    listed = spoken > 0 and (blocks[spoken - 1].depth > 0 or blocks[spoken - 1].kind is BlockKind.LIST_ITEM)
    below = after
    if below < len(blocks) and blocks[below].kind is BlockKind.BLANK:
        below += 1
    if listed and below < len(blocks) and data[blocks[below].start] in b" \t":
        # an indented neighbour would become part of the list item above
        return Splice(start, end, _SEPARATOR + newline(data))
    if below > after:
        return Splice(start, blocks[after].end if blank_above else end, b"")
    if not blank_above and after < len(blocks) and not _stay_apart(above, blocks[after]):
        return Splice(start, end, newline(data))
    return Splice(start, end, b"")


def _heads_more(data: bytes, blocks: Sequence[Block], head: int, after: int) -> bool:
    """Whether the heading `head` has text below block `after` that is not part of its entry."""
    while after < len(blocks) and blocks[after].kind in (*_SILENT, BlockKind.COMMENT):
        after += 1
    if after == len(blocks):
        return False
    block = blocks[after]
    if block.kind is not BlockKind.HEADING or block.depth:
        return True
    return block.level > blocks[head].level and not heading_time(heading_title(data, block))[0]


def _stay_apart(above: Block | None, below: Block) -> bool:
    """Whether two blocks can be adjacent without merging or changing their kind."""
    if above is None or (below.kind is BlockKind.HEADING and below.first_line == below.last_line):
        return True
    if above.kind in _CLOSED and not above.depth:
        return True
    listed = above.kind is BlockKind.LIST_ITEM or above.depth > 0
    return listed and below.kind is BlockKind.LIST_ITEM


def _change_comment(data: bytes, found: FoundComment, comment: EntryComment | None) -> Splice:
    if comment is not None:
        return Splice(found.start, found.end, render_comment(comment))
    start, end = found.start, found.end
    while start and data[start - 1] in b" \t":
        start -= 1
    own_line = start == 0 or data[start - 1] in b"\r\n"
    if own_line:
        stop = end
        while data[stop : stop + 1] in (b" ", b"\t"):
            stop += 1
        if data.startswith(b"\r\n", stop):
            return Splice(start, stop + 2, b"")
        if data[stop : stop + 1] in (b"\n", b"\r", b""):
            return Splice(start, min(stop + 1, len(data)), b"")
        start = found.start
    return Splice(start, end, b"")


def _line_ends(document: Scan, span: EntrySpan, raw: bytes) -> list[Splice]:
    """The positions for an item's comment, best first: the end of its last line, else of its last paragraph."""
    data, blocks = document.data, divide(document)
    first = bisect_left(blocks, span.start, key=lambda block: block.start)
    after = bisect_left(blocks, span.end, key=lambda block: block.start)
    for block in reversed(blocks[first:after]):
        if block.lead is BlockKind.PARAGRAPH:
            end = block.end
            while end > block.start and data[end - 1] in b"\r\n":
                end -= 1
            return [Splice(end, end, (b"" if data[end - 1] in b" \t" else b" ") + raw)]
    return []


def _carries(data: bytes, span: EntrySpan, splice: Splice, comment: EntryComment) -> bool:
    """Whether the entry, parsed alone after the splice, has the comment and its old text."""
    own = data[span.start : splice.start] + splice.data + data[splice.end : span.end]
    found = entries(b"\n" + own)
    if len(found) != 1 or found[0].comment is None:
        return False
    return dict(found[0].comment.comment.fields) == dict(comment.fields)


def _break_off(document: Scan, at: int) -> bytes:
    """The bytes that end the last line and, at the end of the document, close an open fence or HTML block."""
    nl = newline(document.data)
    before = b"" if document.data[:at].endswith((b"\n", b"\r")) else nl
    if document.closer and at == len(document.data):
        before += document.closer + nl
    return before


def _bullet(document: Scan, at: int) -> bytes:
    """The bullet of the list of block `at`; a dash for a numbered list."""
    while at and (document.blocks[at].kind is not BlockKind.LIST_ITEM or document.blocks[at].depth):
        at -= 1
    mark = document.data[document.blocks[at].start :][:4].lstrip(b" ")[:1]
    return mark if mark in (b"-", b"*", b"+") else b"-"


def _one_line(text: str) -> bytes:
    words = " ".join(text.split())
    if not words:
        raise WrongUse("a heading needs words")
    return words.encode("utf-8", "surrogatepass")


def _lines(text: bytes) -> list[bytes]:
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise WrongUse("an entry needs text")
    lines[0] = lines[0].lstrip()
    return lines


def _item(text: bytes, comment: EntryComment | None, bullet: bytes, nl: bytes) -> bytes:
    lines = _item_lines(text)
    body = _indented(lines, b"  ", nl)
    if comment is not None:
        body += _gap(lines, b"  ", nl) + render_comment(comment)
    return bullet + b" " + body + nl


def _item_lines(text: bytes) -> list[bytes]:
    """The lines for a list item: not a thematic break with any bullet, and with open blocks closed."""
    lines = [_without_tabs(line) for line in _lines(text)]
    if any(line_syntax.is_thematic_break(mark + b" " + lines[0]) for mark in (b"-", b"*")):
        lines[0] = b"\\" + lines[0]
    return _closed(lines)


def _without_tabs(line: bytes) -> bytes:
    """Indentation in spaces: a tab would change its width when the line is moved to the right."""
    rest = line.lstrip(b" \t>-*+.)0123456789")
    head = line[: len(line) - len(rest)]
    return head.expandtabs(4) + rest if b"\t" in head else line


def _closed(lines: list[bytes]) -> list[bytes]:
    closer = scan(b"\n" + b"\n".join(lines)).closer
    return [*lines, closer] if closer else lines


def _indented(lines: list[bytes], margin: bytes, nl: bytes) -> bytes:
    return nl.join([lines[0], *(margin + line if line else b"" for line in lines[1:])])


def _gap(lines: list[bytes], margin: bytes, nl: bytes) -> bytes:
    """The bytes between an item's text and its comment."""
    return b" " if _ends_in_paragraph(lines) else nl + margin


def _ends_in_paragraph(lines: list[bytes]) -> bool:
    """Whether text can be appended to the last line without changing its kind."""
    return scan(b"\n" + b"\n".join(lines)).blocks[-1].lead is BlockKind.PARAGRAPH


def _section_lines(text: bytes) -> list[bytes]:
    """Lines that do not end the section: headings escaped, open blocks closed."""
    lines = _lines(text)
    if line_syntax.is_thematic_break(lines[0]):
        # a rule above the text would be read as a separator
        lines[0] = b"\\" + lines[0]
    body = b"\n".join(lines)
    for _ in range(_PASSES):
        heads = [block for block in scan(b"\n" + body).blocks if block.kind is BlockKind.HEADING and not block.depth]
        if not heads:
            break
        for block in reversed(heads):
            body = _escape_heading(body, block.start - 1, block.end - 1)
    else:
        body = b"\n".join(_escape_line(line) for line in body.split(b"\n"))
    return _closed(body.split(b"\n"))


def _undivided(lines: list[bytes], span: EntrySpan) -> list[bytes]:
    """The text as one entry: lines that would begin another entry are escaped, or lose the blank line before them."""
    # without a heading, a block that is not a paragraph would belong to the one above
    above = b"# -\n\n" if span.kind is EntryKind.SECTION else b"# -\n\n---\n\n" if span.path else b"x\n\n"
    for _ in range(_PASSES):
        if _is_one(above, lines):
            return lines
        lines = _flattened(lines, headed=bool(span.path))
    return [_escape_mark(line) for line in lines if line]


def _is_one(above: bytes, lines: list[bytes]) -> bool:
    data = above + b"\n" + b"\n".join(lines) + b"\n"
    document = scan(data)
    found = [span for span in entries(document) if span.end > len(above)]
    return (
        not document.closer
        and len(found) == 1
        and found[0].text_start == len(above) + 1
        and found[0].text_end == len(data) - 1
    )


def _flattened(lines: list[bytes], *, headed: bool) -> list[bytes]:
    found: list[bytes] = []
    for block in scan(b"\n" + b"\n".join(lines)).blocks[1:]:
        held = lines[block.first_line - 2 : block.last_line - 1]
        if block.kind is BlockKind.BLANK:
            found += held if headed else []
        elif block.kind in _DIVIDING or not (found or headed):
            found += (
                [_escape_mark(held[0]), *held[1:]] if block.kind is not BlockKind.FENCE else map(_escape_mark, held)
            )
        else:
            found += held
    return found


# blocks that end a paragraph's entry
_DIVIDING = frozenset({BlockKind.LIST_ITEM, BlockKind.BREAK, BlockKind.HTML, BlockKind.COMMENT})


def _escape_mark(line: bytes) -> bytes:
    """A backslash before a mark that could begin a block; after a number, before the list delimiter."""
    text = line.lstrip(b" \t")
    at = line_syntax.marker_width(text) - 1 if text[:1].isdigit() else 0
    if not text or at < 0 or text[0] == 0x5C or text[at] >= 0x80 or text[at : at + 1].isalnum():
        return line
    return line[: len(line) - len(text)] + text[:at] + b"\\" + text[at:]


# Escaping one underline can make the next line one; after this many rounds all similar lines are escaped.
_PASSES = 4


def _escape_heading(body: bytes, start: int, end: int) -> bytes:
    """A backslash before the mark: of the only line, or of the underline."""
    end -= body[start:end].endswith(b"\n")
    line = max(start, body.rfind(b"\n", start, end) + 1)
    return body[:line] + _escape_line(body[line:end]) + body[end:]


def _escape_line(line: bytes) -> bytes:
    text = line.lstrip(b" \t")
    if text[:1] not in (b"#", b"=", b"-") or (text[:1] != b"#" and not line_syntax.underline_level(text)):
        return line
    return line[: len(line) - len(text)] + b"\\" + text
