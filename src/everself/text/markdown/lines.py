"""Classifies a single line by its bytes without indentation. Knows CommonMark and GFM tables, no containers.

Every check is linear in the line. Lines may end with LF, CRLF or CR.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re2

BOM = b"\xef\xbb\xbf"
SPACE, LF, CR = 0x20, 0x0A, 0x0D
_SPACES = b" \t\r\n"
_DIGITS = frozenset(b"0123456789")
_BREAKS = frozenset(b"*-_")
_LONGEST_NUMBER = 9  # digits; CommonMark's limit for list markers
_SPECIAL = b" \t\r\n#>-+*_=`~<|:0123456789"
# PLAIN[byte] is 1 if a line that begins with the byte can only be text
PLAIN = bytes(0 if byte in _SPECIAL else 1 for byte in range(256))

_RAW_NAMES = (b"script", b"pre", b"style", b"textarea")
_RAW_ENDS = (b"</script>", b"</pre>", b"</style>", b"</textarea>")
_BLOCK_NAMES = frozenset(
    b"address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    b"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    b"main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    b"title tr track ul".split()
)
_LONGEST_NAME = 16


def measure(text: bytes, column: int) -> tuple[int, bytes]:
    """The width of the leading white space in columns (tab stops at multiples of four), and the rest of the text."""
    rest = text.lstrip(b" ")
    indent = len(text) - len(rest)
    if rest[:1] == b"\t":
        rest = text.lstrip(b" \t")
        reached = column
        for byte in text[: len(text) - len(rest)]:
            reached += 1 if byte == SPACE else 4 - reached % 4
        indent = reached - column
    return indent, rest


def is_blank(text: bytes) -> bool:
    """Whether the text is only a line end. `text` has no indentation."""
    return not text or text[0] == LF or text[0] == CR


def heading_level(text: bytes) -> int:
    """The level (1 to 6) of an ATX heading, else 0."""
    level = 1
    while text[level : level + 1] == b"#":
        level += 1
        if level > 6:
            return 0
    return level if len(text) == level or text[level] in _SPACES else 0


def underline_level(text: bytes) -> int:
    """The level (1 or 2) of a setext underline, else 0."""
    bare = text.rstrip(_SPACES)
    mark = text[:1]
    if bare.strip(mark):
        return 0
    return 1 if mark == b"=" else 2


def is_thematic_break(text: bytes) -> bool:
    mark = text[0]
    if mark not in _BREAKS:
        return False
    second = text[1:3].lstrip(b" \t")
    if second and second[0] != mark:
        return False
    marks = text.translate(None, _SPACES)
    return len(marks) >= 3 and marks.count(marks[:1]) == len(marks)


def fence_length(text: bytes) -> int:
    """The length of an opening fence, else 0. A backtick fence has no backtick after it."""
    mark = text[:1]
    length = len(text) - len(text.lstrip(mark))
    if length < 3 or (mark == b"`" and b"`" in text[length:]):
        return 0
    return length


def closes_fence(text: bytes, mark: bytes, length: int) -> bool:
    if not text.startswith(mark * length):
        return False
    return not text.strip(_SPACES).strip(mark)


def marker_width(text: bytes) -> int:
    """The bytes of a list marker with its delimiter, else 0."""
    first = text[0]
    if first in b"-+*":
        width = 1
    elif first in _DIGITS:
        width = 1
        while width <= _LONGEST_NUMBER and text[width : width + 1].isdigit():
            width += 1
        if width > _LONGEST_NUMBER or text[width : width + 1] not in (b".", b")"):
            return 0
        width += 1
    else:
        return 0
    return width if len(text) == width or text[width] in _SPACES else 0


def may_interrupt(text: bytes, width: int) -> bool:
    """Whether a list can begin right below a paragraph: not with an empty item, and counting from one."""
    if is_blank(text[width:].lstrip(b" \t")):
        return False
    return width == 1 or int(text[: width - 1]) == 1


class HtmlStart(NamedTuple):
    """The start of an HTML block: `ends` close it (if empty, a blank line does)."""

    ends: tuple[bytes, ...]
    comment: bool = False
    interrupts: bool = True


_COMMENT = HtmlStart((b"-->",), comment=True)
_UNTIL_BLANK = HtmlStart(())
_LONE_TAG = HtmlStart((), interrupts=False)


def html_start(text: bytes) -> HtmlStart | None:
    if text.startswith(b"<!--"):
        return _COMMENT
    if text.startswith(b"<?"):
        return HtmlStart((b"?>",))
    if text.startswith(b"<![CDATA["):
        return HtmlStart((b"]]>",))
    if text.startswith(b"<!"):
        return HtmlStart((b">",)) if text[2:3].isalpha() else None
    closing = text[1:2] == b"/"
    begin = 2 if closing else 1
    head = text[begin : begin + _LONGEST_NAME]
    name = head[
        : len(head) - len(head.lstrip(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
    ].lower()
    after = text[begin + len(name) : begin + len(name) + 2]
    if not closing and name in _RAW_NAMES and (not after or after[:1] in (b">", b" ", b"\t", b"\r", b"\n")):
        return HtmlStart(_RAW_ENDS)
    if name in _BLOCK_NAMES and (not after or after[0] in b" \t\r\n>" or after == b"/>"):
        return _UNTIL_BLANK
    return _LONE_TAG if name and _lone_tag().match(text) else None


def ends_html(text: bytes, ends: tuple[bytes, ...]) -> bool:
    if ends is _RAW_ENDS:
        text = text.lower()
    return any(end in text for end in ends)


def text_after_comment(line: bytes) -> bool:
    """Whether the line has other text than comments and white space after the first end of a comment."""
    at = line.find(b"-->") + 3
    while True:
        while line[at : at + 1] in (b" ", b"\t", b"\r", b"\n"):
            at += 1
        if at >= len(line):
            return False
        if not line.startswith(b"<!--", at):
            return True
        end = line.find(b"-->", at + 2)
        if end < 0:
            return True
        at = end + 3


@cache
def _lone_tag() -> "re2._Regexp":
    """An opening or closing tag alone on its line. RE2, because the attributes of foreign text may repeat."""
    import re2

    name = rb"[A-Za-z][A-Za-z0-9-]*"
    value = rb"""(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*")"""
    attribute = rb"(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*" + value + rb")?)"
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    pattern = rb"^(?:<" + name + attribute + rb"*\s*/?>|</" + name + rb"\s*>)\s*$"
    return re2.compile(pattern, options)


def delimiter_cells(text: bytes) -> int:
    """The number of columns in a table's delimiter row (`|---|:-:|`), else 0."""
    row = text.rstrip(_SPACES)
    if len(row) < 2 or row[:1] not in (b"|", b"-", b":") or (row[0] == 0x2D and row[1] in b" \t"):
        return 0
    if row.translate(None, b"|-: \t"):
        return 0
    cells = row.split(b"|")
    count = 0
    for at, cell in enumerate(cells):
        bare = cell.strip(b" \t")
        if not bare:
            if at not in (0, len(cells) - 1):
                return 0
            continue
        dashes = bare.removeprefix(b":").removesuffix(b":")
        if not dashes or dashes.strip(b"-"):
            return 0
        count += 1
    return count


def header_cells(text: bytes) -> int:
    """The number of cells in a table's header row, else 0. A pipe after a backslash is not a separator."""
    row = text.strip(_SPACES)
    if b"|" not in row:
        return 0
    bare = row.replace(b"\\|", b"")
    count = bare.count(b"|") + 1
    if row[:1] == b"|":
        count -= 1
    if row[-1:] == b"|" and row[-2:] != b"\\|":
        count -= 1
    return count


def front_matter(lines: Iterator[bytes]) -> tuple[int, int]:
    """The lines and bytes of the front matter at the beginning, else zeros.

    `---` opens it only if `key: value` follows at once and a closing `---` comes before anything but keys, their indented or listed
    values, comments and blank lines: in real workspaces `---` on the first line is mostly a separator.
    """
    first = next(lines, b"")
    if first.removeprefix(BOM).rstrip(_SPACES) != b"---":
        return 0, 0
    count, size = 1, len(first)
    for line in lines:
        count += 1
        size += len(line)
        bare = line.rstrip(_SPACES)
        if count > 2:
            if bare == b"---" or bare == b"...":
                return count, size
            if not bare or bare[0] in b" \t#" or bare == b"-" or bare.startswith(b"- "):
                continue
        if not _is_key(bare):
            return 0, 0
    return 0, 0


_KEY_BYTES = bytes(byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_-.")


def _is_key(line: bytes) -> bool:
    key, colon, value = line.partition(b":")
    return bool(colon and key) and not key.translate(None, _KEY_BYTES) and (not value or value[0] in b" \t")
