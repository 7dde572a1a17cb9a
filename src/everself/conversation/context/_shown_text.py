"""The text of a document that a model is shown: without comments, unfilled template fields and bookkeeping. Pure.

The text keeps its number of lines, because citations use them. Everself's own comments stay for now, because they mark where an entry ends;
they are removed when the document is laid out. Does not know budgets or who may see what.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from everself.conversation.context.provenance import unlabelled
from everself.text.markdown.blocks import Block, BlockKind, scan
from everself.text.markdown.endings import is_reference
from everself.text.markdown.labels import read_labels
from everself.text.markdown.sections import sections
from everself.workspace.layout import Kind, place
from everself.workspace.setup import templates

_OPEN: Final = b"<!--"
_CLOSE: Final = b"-->"
_OURS: Final = b"<!-- everself:"
# in these blocks a comment is ordinary text
_LITERAL: Final = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.FRONT_MATTER, BlockKind.BLANK})
# OpenClaw marks a superseded entry of USER.md by a comment before it
_SUPERSEDED: Final = b"status:superseded"
# files whose template has fields to fill in
_FORMS: Final = frozenset({"USER.md", "IDENTITY.md"})
_BLANKS: Final = (("_(", ")_"), ("*(", ")*"))
# labels for Everself only: how a correction was noticed, and whether it was embedded again
_RECORDS: Final = frozenset({"trigger", "entries", "re-embedded"})
# files whose template has headings to be filled in
_TEMPLATED: Final = frozenset({"USER.md", "AGENTS.md"})
_FENCES: Final = ("```", "~~~")


# cached: sessions start with the same documents
@lru_cache(maxsize=64)
def shown_text(path: str, data: bytes) -> bytes:
    """The document as a model is shown it, with the same number of lines."""
    edits = [*_comments(data)] if _OPEN in data else []
    name = path.rpartition("/")[2]
    if name in _FORMS:
        edits += _blanks(data)
    elif name == "CORRECTIONS.md":
        edits += [(one.line_start, one.line_end, b"") for one in read_labels(data) if one.name in _RECORDS]
    elif place(path).kind is Kind.DAILY_LOG:
        edits += _references(data)
    return _without_hollow(path, _edited(data, edits))


def _without_hollow(path: str, data: bytes) -> bytes:
    """Remove template headings with nothing below them."""
    if path not in _TEMPLATED:
        return data
    known = _template_headings(path)
    hollow = [
        (one.start, one.body, b"")
        for one in sections(scan(data))
        if one.level > 1 and data[one.start : one.body].strip() in known and not data[one.body : one.end].strip()
    ]
    return _edited(data, hollow)


@cache
def _template_headings(path: str) -> frozenset[bytes]:
    text = dict(templates()).get(path, b"")
    return frozenset(text[one.start : one.body].strip() for one in sections(scan(text)))


def beyond_template(path: str, data: bytes) -> bytes:
    """What was added to a file of the workspace: its text without the blocks of its template, with the same number of lines."""
    known = _template_blocks(path)
    return _edited(
        data,
        [(one.start, one.end, b"") for one in scan(data).blocks if data[one.start : one.end].strip() in known],
    )


@cache
def _template_blocks(path: str) -> frozenset[bytes]:
    text = dict(templates()).get(path, b"")
    text = shown_text(path, text)
    return frozenset(text[one.start : one.end].strip() for one in scan(text).blocks) - {b""}


def without_gaps(text: str) -> str:
    """The text without repeated blank lines, except inside a fence."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        opening = next((mark for mark in _FENCES if line.lstrip().startswith(mark)), "")
        if opening and not fence:
            fence = opening
        elif opening and opening == fence:
            fence = ""
        if line.strip() or fence or not lines or lines[-1].strip():
            lines.append(line)
    return "\n".join(lines)


def _edited(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for start, end, new in sorted(edits):
        if start < done:
            continue
        # a comment at the end of a line is removed together with the space before it
        before = data[done:start]
        parts += [before.rstrip(b" \t") if not new and data[end : end + 1] in (b"\n", b"\r", b"") else before]
        parts += [new, b"\n" * data.count(b"\n", start, end)]
        done = end
    return b"".join(parts) + data[done:] if edits else data


def _comments(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    for block in scan(data).blocks:
        if block.kind not in _LITERAL and block.lead not in (BlockKind.FENCE, BlockKind.CODE):
            yield from _comments_in(data, block)


def _comments_in(data: bytes, block: Block) -> Iterator[tuple[int, int, bytes]]:
    """The comments that are closed within the block. An unclosed one hides nothing."""
    at = block.start
    while (start := data.find(_OPEN, at, block.end)) >= 0:
        ticks = data.find(b"`", at, start)
        if ticks >= 0 and (closed := _code_end(data, ticks, block.end)) >= 0:
            # inside a code span it is text
            at = closed
            continue
        end = data.find(_CLOSE, start + len(_OPEN), block.end)
        if end < 0:
            return
        end += len(_CLOSE)
        if not data.startswith(_OURS, start):
            told = _SUPERSEDED in b"".join(data[start:end].split())
            yield start, end, b"(superseded)" if told else b""
        at = end


def _code_end(data: bytes, ticks: int, end: int) -> int:
    """The end of the code span that begins with these backticks; -1 if it is not closed."""
    width = 1
    while data[ticks + width : ticks + width + 1] == b"`":
        width += 1
    at = ticks + width
    while (at := data.find(b"`", at, end)) >= 0:
        run = 1
        while data[at + run : at + run + 1] == b"`":
            run += 1
        if run == width:
            return at + run
        at += run
    # not a span: the backticks are text, and the text after them is still searched
    return -1


def _blanks(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Replace unfilled labels by one line that names them, so that the model may ask for them."""
    found = [one for one in read_labels(data) if _is_blank(data[one.start : one.end].decode("utf-8", "replace"))]
    if not found:
        return
    names = ", ".join(one.name for one in found)
    for one in found:
        yield one.line_start, one.line_end, b"" if one is not found[-1] else f"(Not known yet: {names}.)".encode()


def _is_blank(value: str) -> bool:
    said = unlabelled(value).strip()
    return any(said.startswith(opening) and said.endswith(closing) for opening, closing in _BLANKS)


def _references(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Lines of a log that only say where an entry was moved, and headings with nothing else below them."""
    lines: list[tuple[int, int]] = []
    at = 0
    for line in data.splitlines(keepends=True):
        lines += [(at, at + len(line))] if line.strip() else []
        at += len(line)
    for order, (start, end) in enumerate(lines):
        if not is_reference(data, start, end):
            continue
        yield start, end, b""
        above, below = lines[order - 1 : order], lines[order + 1 : order + 2]
        if all(data.startswith(b"## [", one) for one, _ in (*above, *below)):
            yield from ((*one, b"") for one in above)
