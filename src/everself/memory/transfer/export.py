"""Exports entries as JSON Lines: one line each, complete enough to recreate the entry. Pure, except `export_entries`.

Text between entries (references by id, template blanks, labels) is not exported.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory.memory import Memory
from everself.memory.provenance import check_source, known_source
from everself.text.markdown.comment import KEYS, parse_comment
from everself.text.markdown.entries import heading_time
from everself.text.redaction import redact
from everself.values import Entry, Tag

VERSION = 1
# upper bounds: a comment cannot hold more, and no person writes more
LONGEST_NAME, LONGEST_LINEAGE, LONGEST_LINE = 200, 4000, 4_000_000


class ExportedLine(Frozen):
    """An exported entry. `source` is the trusted source, `claimed` the claim of an unvouched entry; `extra` are unknown fields of its
    comment."""

    v: int
    id: str
    text: str
    path: str
    heading: list[str]
    kind: str
    day: str
    time: str
    category: str
    tag: str
    source: str
    vouched: bool
    claimed: str
    mentions: int
    seen: str
    until: str
    by: str
    lineage: list[str]
    who: str
    project: str
    struck: bool
    extra: dict[str, str]


class Export(Frozen):
    """The lines, and the number of those with redacted secrets."""

    lines: tuple[str, ...]
    redacted: int


def export_entries(memory: Memory) -> Export:
    """Every entry, document by document, with those in quarantine."""
    lines: list[str] = []
    redacted = 0
    entries = memory.catalog.all()
    extras = {path: _extras(memory, path) for path in sorted({entry.path for entry in entries})}
    for entry in entries:
        clean = redact(entry.text)
        redacted += bool(clean.found)
        lines.append(render_line(_line(entry, clean.text, extras[entry.path].get(entry.id, {}))))
    return Export(tuple(lines), redacted)


def render_line(line: ExportedLine) -> str:
    return json.dumps(asdict(line), ensure_ascii=False, separators=(",", ":"))


def parse_line(text: str) -> ExportedLine:
    """The inverse of `render_line`. Raises WrongUse with the problem of an invalid line."""
    import msgspec

    if len(text) > LONGEST_LINE:
        raise WrongUse(f"The line has {len(text)} characters, which is too long.")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise WrongUse("The line is not valid JSON.") from None
    if not isinstance(found, dict) or found.get("v") != VERSION:
        raise WrongUse(f"The line is not an entry of version {VERSION}.")
    try:
        line = msgspec.convert(found, ExportedLine)
    except msgspec.ValidationError as error:
        raise WrongUse(f"The line is not complete: {error}.") from None
    for problem in _problems(line):
        raise WrongUse(problem)
    return line


def _problems(line: ExportedLine) -> Iterator[str]:
    if not 0 < len(line.id) <= 64 or not line.id.isalnum() or not line.id.isascii():
        yield "The id is invalid."
    if not line.text.strip():
        yield "It says nothing."
    if line.tag not in Tag._value2member_map_:
        yield f'"{line.tag[:40]}" is not a valid tag.'
    if not 1 <= line.mentions <= 10_000:
        yield "The number of mentions is invalid."
    long = any(len(part) > 4 * LONGEST_NAME or len(part.splitlines()) > 1 for part in line.heading)
    if len(line.heading) > 6 or long:
        yield "The heading is invalid."
    times = [heading_time(part)[0] for part in line.heading]
    if (times[-1] if times else "") != line.time:
        yield "The heading names another time."
    if sum(map(len, line.lineage)) > LONGEST_LINEAGE or sum(map(len, line.extra.values())) > LONGEST_LINEAGE:
        yield "The comment would be too long."
    if any(len(one) > LONGEST_NAME for one in (line.who, line.project, line.by, line.category, line.claimed)):
        yield "A name is too long."
    try:
        check_source(line.source)
        for day in (line.day, line.seen, line.until):
            if day:
                date.fromisoformat(day)
    except (ValueError, WrongUse):
        yield "The source or a date is invalid."


def _line(entry: Entry, text: str, extra: dict[str, str]) -> ExportedLine:
    return ExportedLine(
        v=VERSION,
        id=entry.id,
        text=text,
        path=entry.path,
        heading=list(entry.heading),
        kind=entry.kind,
        day=_day(entry.day),
        time=entry.time,
        category=entry.category,
        tag=entry.tag.value,
        source=known_source(entry.source),
        vouched=entry.vouched,
        claimed="" if entry.vouched else entry.claimed,
        mentions=entry.mentions,
        seen=_day(entry.seen),
        until=_day(entry.until),
        by=entry.closed_by,
        lineage=list(entry.lineage),
        who=entry.who,
        project=entry.project,
        struck=entry.struck,
        extra=extra,
    )


def _extras(memory: Memory, path: str) -> dict[str, dict[str, str]]:
    """The unknown fields of comments in a document, by entry id."""
    document = memory.workspace.find(path)
    found: dict[str, dict[str, str]] = {}
    for piece in (document.data if document is not None else b"").split(b"<!--")[1:]:
        comment = parse_comment(b"<!--" + piece.partition(b"-->")[0] + b"-->")
        if comment is not None and any(key not in KEYS for key, _ in comment.fields):
            found.setdefault(comment.id, {key: value for key, value in comment.fields if key not in KEYS})
    return found


def _day(day: date | None) -> str:
    return day.isoformat() if day is not None else ""


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The non-empty lines with their numbers, from 1."""
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())
