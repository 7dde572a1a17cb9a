"""Markdown that swallows what follows it, and entry comments that do not say what they seem to say. Syntax only."""

from collections.abc import Iterator

from everself.app.doctor.case import Case
from everself.app.doctor.words import shown
from everself.values import Finding

_COMMENT = b"<!--"
_OURS = b"everself:"


def check_structure(case: Case) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for path, data in case.changed.items():
        if b"```" in data or b"~~~" in data or _COMMENT in data:
            yield from _check_open(path, data)
        if _OURS in data:
            yield from _check_comments(path, data, seen)


def _check_open(path: str, data: bytes) -> Iterator[Finding]:
    from everself.markdown.blocks import BlockKind, scan

    scanned = scan(data)
    if not scanned.closer:
        return
    last = next(block for block in reversed(scanned.blocks) if block.kind is not BlockKind.BLANK)
    line, closer = last.first_line, scanned.closer.decode("ascii", "replace")
    what = "code block" if last.kind is BlockKind.FENCE else "comment or HTML block"
    words = f"The {what} that opens at line {line} of {shown(path)} is never closed; it swallows the rest of the file."
    yield Finding("warning", "markdown-open", words, f"Close it with a line {closer} where it should end.", path)


def _check_comments(path: str, data: bytes, seen: dict[str, str]) -> Iterator[Finding]:
    from everself.markdown.blocks import BlockKind, scan
    from everself.markdown.comment import parse_comment
    from everself.markdown.entries import entries

    scanned = scan(data)
    spans = entries(scanned)
    standing = {span.comment.start for span in spans if span.comment is not None}
    for span in spans:
        identity = span.comment.comment.id if span.comment is not None else ""
        here = f"{shown(path)} line {span.first_line}"
        if identity and identity in seen:
            words = f"The entry id {shown(identity)} is used twice: {seen[identity]} and {here}."
            yield Finding(
                "warning", "entry-twice", words, "Remove the comment of the copy; it gets an id of its own.", path
            )
        elif identity:
            seen[identity] = here
    code = [(one.start, one.end) for one in scanned.blocks if one.kind in (BlockKind.FENCE, BlockKind.CODE)]
    for start in _openings(data):
        if start in standing or any(first <= start < end for first, end in code):
            continue
        end = data.find(b"-->", start)
        comment = parse_comment(data[start : end + 3]) if end >= 0 else None
        if comment is not None and comment.get("copy-of"):
            continue
        line = data.count(b"\n", 0, start) + 1
        if comment is None:
            words = (
                f"Line {line} of {shown(path)} has an everself comment that cannot be read; it counts as plain text."
            )
        else:
            words = f"Line {line} of {shown(path)} has an everself comment that ends no entry; it carries no authority."
        yield Finding("note", "comment-odd", words, f"Remove the comment in line {line}, or leave it.", path)


def _openings(data: bytes) -> Iterator[int]:
    """Where comments that begin like ours open."""
    at = data.find(_COMMENT)
    while at >= 0:
        if data[at + len(_COMMENT) : at + 64].lstrip(b" \t").startswith(_OURS):
            yield at
        at = data.find(_COMMENT, at + 1)
