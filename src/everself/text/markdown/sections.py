"""The tree of headings: position, title and sharing label of each section.

Headings inside list items and quotes are not sections. Does not know who may see what.
"""

from everself.frozen import Frozen
from everself.text.markdown.blocks import Block, BlockKind, Scan
from everself.text.markdown.lines import BOM


class Section(Frozen):
    """One heading and the text below it.

    `start..end` includes sub-sections, `start..own_end` excludes them; `body` is the end of the heading. `path` are the titles from the
    outermost section to this one. `share` is the label directly below the heading (ignoring blank lines); it applies up to `end`.
    """

    level: int
    title: str
    path: tuple[str, ...]
    start: int
    body: int
    own_end: int
    end: int
    first_line: int
    last_line: int
    share: tuple[str, ...] = ()


def sections(scan: Scan) -> tuple[Section, ...]:
    """All sections in the order of their headings."""
    blocks = scan.blocks
    heads = [at for at, block in enumerate(blocks) if block.kind is BlockKind.HEADING and block.depth == 0]
    ends = _ends([blocks[at].level for at in heads])
    found: list[Section] = []
    trail: list[tuple[int, str]] = []
    for order, at in enumerate(heads):
        head = blocks[at]
        title = heading_title(scan.data, head)
        while trail and trail[-1][0] >= head.level:
            trail.pop()
        trail.append((head.level, title))
        own_last = blocks[(heads[order + 1] if order + 1 < len(heads) else len(blocks)) - 1]
        last = blocks[(heads[ends[order]] if ends[order] < len(heads) else len(blocks)) - 1]
        section = Section(
            level=head.level,
            title=title,
            path=tuple(name for _, name in trail),
            start=head.start,
            body=head.end,
            own_end=own_last.end,
            end=last.end,
            first_line=head.first_line,
            last_line=last.last_line,
            share=_share(scan, at + 1),
        )
        found.append(section)
    return tuple(found)


def _ends(levels: list[int]) -> list[int]:
    """For each heading, the number of the next one that is not below it."""
    ends = [len(levels)] * len(levels)
    unfinished: list[int] = []
    for order, level in enumerate(levels):
        while unfinished and levels[unfinished[-1]] >= level:
            ends[unfinished.pop()] = order
        unfinished.append(order)
    return ends


def heading_title(data: bytes, head: Block) -> str:
    """The visible text of a heading: without marks and comments."""
    raw = data[head.start : head.end].removeprefix(BOM).strip()
    if head.first_line == head.last_line:
        raw = raw.lstrip(b"#")
        bare = raw.rstrip(b"#")
        if not bare or bare[-1] in b" \t":
            raw = bare
    else:
        raw = b" ".join(line.strip() for line in raw.splitlines()[:-1])
    raw = raw.strip()
    return raw[: before_comments(raw, 0, len(raw))].decode("utf-8", "replace")


def before_comments(data: bytes, start: int, end: int) -> int:
    """The end of data[start:end] without trailing comments and white space."""
    while True:
        while end > start and data[end - 1] in b" \t\r\n":
            end -= 1
        begin = data.rfind(b"<!--", start, end) if data.endswith(b"-->", start, end) else -1
        if begin < 0:
            return end
        end = begin


def _share(scan: Scan, at: int) -> tuple[str, ...]:
    while at < len(scan.blocks) and scan.blocks[at].kind is BlockKind.BLANK:
        at += 1
    if at == len(scan.blocks) or scan.blocks[at].kind is not BlockKind.COMMENT or scan.blocks[at].depth:
        return ()
    block = scan.blocks[at]
    return parse_share(scan.data[block.start : block.end].strip())


def parse_share(raw: bytes) -> tuple[str, ...]:
    """The names in `<!-- share: group, subagent -->`. Empty for anything else, so that it fails closed."""
    inner = raw.removeprefix(b"<!--").removesuffix(b"-->")
    if len(inner) + 7 != len(raw) or len(raw) > 1024:
        return ()
    label, colon, names = inner.partition(b":")
    found = tuple(name.strip() for name in names.split(b","))
    if label.strip() != b"share" or not colon or not all(name.isalnum() for name in found):
        return ()
    return tuple(name.decode("ascii") for name in found)
