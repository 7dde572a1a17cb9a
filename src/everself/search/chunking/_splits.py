"""Splits a long text into parts of a given token size, at natural boundaries. Knows no entries or speakers.

Works on bytes and reads every byte a bounded number of times, so that a line of fifty megabytes is split like any other.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from everself.text.markdown.lines import (
    closes_fence,
    delimiter_cells,
    fence_length,
    header_cells,
    heading_level,
    is_blank,
    marker_width,
    measure,
)

if TYPE_CHECKING:
    import re2

LIMIT = 400
_OVERLAP = 80
# a last part smaller than an eighth of the limit joins the part before it
_CRUMB = 8
# number of bytes of a line that are read to classify it
_GLANCE = 4096
# bytes per token in plain prose: the first guess for the end of a part
_STRIDE = 6
_PLAIN = b"abcdefghijklmnopqrstuvwxyz \t\r\n"
_HIGH = bytes(range(0x80, 0x100))
# First bytes of Greek and Cyrillic letters: their words have as many tokens as Latin ones, in twice the bytes.
_LIGHT = bytes(range(0xCE, 0xD4))


class TextPart(NamedTuple):
    """Bytes start..end. `header` is the header row of the table in which the part begins."""

    start: int
    end: int
    header: str


class _Kind(IntEnum):
    TEXT = 0
    FENCE = 1
    TABLE = 2


class _Block(NamedTuple):
    kind: _Kind
    start: int
    end: int
    header: str = ""


def tokens(raw: bytes) -> int:
    """An estimate close to `everself.text.tokens.estimate`, from bytes alone and ten times as fast."""
    rest = raw.translate(None, _PLAIN)
    high = len(rest) - len(rest.translate(None, _HIGH))
    words = raw.count(b" ") + raw.count(b"\n") + 1
    plain, signs = len(raw) - len(rest) - words, len(rest) - high
    light = len(rest) - len(rest.translate(None, _LIGHT)) if high else 0
    return int(0.43 * words + 0.13 * plain + 0.52 * signs + 0.26 * high - 0.29 * light) + 1


def parts(data: bytes, start: int, end: int, limit: int = LIMIT) -> list[TextPart]:
    """The parts of start..end, in order. They overlap only where running text was cut."""
    # a token has at least one byte
    if end - start <= limit or tokens(data[start:end]) <= limit:
        return [TextPart(start, end, "")]
    found: list[TextPart] = []
    first = last = size = 0
    header = ""
    for block in _blocks(data, start, end):
        cost = tokens(data[block.start : block.end])
        if size and size + cost > limit:
            found.append(TextPart(first, last, header))
            size = 0
        if not size:
            first, header = block.start, block.header
        last = block.end
        size += cost
        if size > limit:
            *whole, (first, last) = _windows(data, block.start, block.end, limit, block.kind is _Kind.FENCE)
            found += [TextPart(begin, stop, header) for begin, stop in whole]
            size = tokens(data[first:last])
    if size and found and size * _CRUMB < limit:
        found[-1] = found[-1]._replace(end=last)
    elif size:
        found.append(TextPart(first, last, header))
    return found


def fences(data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """The positions of fenced code."""
    if data.find(b"```", start, end) < 0 and data.find(b"~~~", start, end) < 0:
        return []
    return [(block.start, block.end) for block in _blocks(data, start, end) if block.kind is _Kind.FENCE]


def _lines(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    """The start, end and beginning of each line."""
    while start < end:
        stop = data.find(b"\n", start, end) + 1 or end
        yield start, stop, measure(data[start : min(stop, start + _GLANCE)], 0)[1]
        start = stop


def _blocks(data: bytes, start: int, end: int) -> Iterator[_Block]:
    """Paragraphs, list items, fences and table rows, without blank lines. An unclosed fence runs to the end."""
    begin = -1  # of the text or fence that is open
    mark, length = b"", 0
    before, above = -1, b""  # the line of text above, which may turn out to be a table's header
    header = ""
    for at, stop, line in _lines(data, start, end):
        if length:
            if closes_fence(line, mark, length):
                yield _Block(_Kind.FENCE, begin, stop)
                begin, length = -1, 0
            continue
        if header and b"|" in line:
            yield _Block(_Kind.TABLE, at, stop, header)
            continue
        header = ""
        if before >= 0 and (cells := delimiter_cells(line)) and cells == header_cells(above):
            if begin < before:
                yield _Block(_Kind.TEXT, begin, before)
            yield _Block(_Kind.TABLE, before, stop)
            header = " ".join(above.replace(b"|", b" ").decode("utf-8", "replace").split())
            begin = before = -1
            continue
        opens = line[:1] in (b"`", b"~") and fence_length(line)
        if begin >= 0 and (opens or is_blank(line) or _begins_block(line)):
            yield _Block(_Kind.TEXT, begin, at)
            begin = before = -1
        if opens:
            mark, length, begin = line[:1], opens, at
        elif not is_blank(line):
            begin = at if begin < 0 else begin
            before, above = at, line
    if begin >= 0:
        yield _Block(_Kind.FENCE if length else _Kind.TEXT, begin, end)


def _begins_block(line: bytes) -> bool:
    return marker_width(line) > 0 or (line[0] == 0x23 and heading_level(line) > 0)


def _windows(data: bytes, start: int, end: int, limit: int, code: bool) -> list[tuple[int, int]]:
    """The parts of a block that is too long for one. Code is cut between lines; running text overlaps, because a thought may span the
    cut."""
    found: list[tuple[int, int]] = []
    while True:
        reach = _reach(data, start, end, limit)
        if reach == end:
            return [*found, (start, end)]
        stop = _pause(data, start, reach, code)
        found.append((start, stop))
        back = 0 if code else (stop - start) * _OVERLAP // limit
        start = _resume(data, stop - back, stop) if back else stop


def _reach(data: bytes, start: int, end: int, limit: int) -> int:
    """The end of `limit` tokens, never inside a character."""
    stop = min(end, start + limit * _STRIDE)
    for _ in range(3):
        cost = tokens(data[start:stop])
        if cost <= limit * 1.1:
            break
        stop = start + (stop - start) * limit // cost
    return end if stop >= end else _boundary(data, stop)


def _boundary(data: bytes, at: int) -> int:
    """The first byte of the character at that position; the position itself in invalid UTF-8."""
    for back in range(4):
        if data[at - back] & 0xC0 != 0x80:
            return at - back
    return at


@cache
def _pauses() -> "tuple[re2._Regexp, ...]":
    """Patterns for the last boundary in a text, best kind first. Latin-1, so that invalid UTF-8 matches too."""
    import re2

    closing = _either("」』）】”’»").join((rb"(?:[\"')\]*_]|", rb")*"))
    sentence = rb"(?:(?:[.!?]|" + _either("…") + rb")" + closing + rb"\s|" + _either("。！？") + closing + rb")"
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    kinds = (
        sentence + rb"?[ \t]*\r?\n",
        sentence,
        rb"\n",
        rb"\s|" + _either("\u3000，、；："),
        rb"[^0-9A-Za-z_\x80-\xff]",
    )
    every = (rb"(?s).*(?:" + kind + rb")" for kind in kinds)
    return *(re2.compile(kind, options) for kind in every), re2.compile(sentence, options)


def _either(characters: str) -> bytes:
    return b"(?:" + b"|".join(b"".join(b"\\x%02x" % byte for byte in char.encode()) for char in characters) + b")"


def _pause(data: bytes, start: int, reach: int, code: bool) -> int:
    """The best boundary in the second half of start..reach."""
    half = start + (reach - start) // 2
    tail = data[half:reach]
    if code and b"\n" in tail:
        return half + tail.rindex(b"\n") + 1
    for kind in _pauses()[:-1]:
        found = kind.match(tail)
        if found is not None:
            return half + int(found.end())
    return reach


def _resume(data: bytes, earliest: int, stop: int) -> int:
    """The start of the next part: at a sentence, else a word, else a character, and not before `earliest`."""
    window = data[earliest:stop]
    found = _pauses()[-1].search(window)
    if found is not None and found.end() < len(window):
        return earliest + int(found.end())
    blank = next((at for at, byte in enumerate(window) if byte in b" \t\n"), -1)
    return earliest + blank + 1 if blank >= 0 else _boundary(data, earliest)
