"""Splits a document into chunks: entries, turns of a conversation, parts of long texts. Pure.

A chunk is a range of the document's bytes; its text excludes our comments. Knows no index and no terms.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from everself.memory.entries import ParsedEntry, parse_day, read_document
from everself.search.chunking._flags import asks, day_in, is_timed
from everself.search.chunking._speakers import Turn, find_turns
from everself.search.chunking._splits import LIMIT, parts
from everself.search.chunking.marks import Flag
from everself.text.markdown.comment import LONGEST_COMMENT, parse_comment
from everself.text.markdown.copies import origins
from everself.text.markdown.entries import heading_time
from everself.workspace.layout import Kind, Place, place
from everself.workspace.layout.dates import find_day

# Part of an index's identity: increase it whenever the same document would give other chunks.
CHUNKING_VERSION = 7

# A correction is one chunk with the wrong and the right text, unless it is very long.
_CORRECTION_LIMIT = 10 * LIMIT
# Maximum number of chunks in a group, which share their context.
_GROUP = 64
_TINY = 4
# A title longer than this is cut, because it is stored with every chunk below it.
_TITLE_LENGTH = 400
# Words that add nothing to a title, because every log has them.
_IDLE_TITLE = frozenset({"memory", "log"})
# Plain integers while a chunk is made: combining enums is slow.
_ASKS, _TIMED, _CORRECTION = int(Flag.ASKS), int(Flag.TIMED), int(Flag.CORRECTION)
_CLOSED, _SPOKEN = int(Flag.CLOSED), int(Flag.SPOKEN)
_FLAGS = [Flag(number) for number in range(2 * max(Flag))]


class Chunk(NamedTuple):
    """Bytes start..end of a document. `entry` is the ordinal of its entry, `group` the number of its group."""

    entry: int
    start: int
    end: int
    first_line: int
    last_line: int
    text: str
    speaker: str
    title: tuple[str, ...]
    day: date | None
    flags: Flag
    group: int
    # the last day that the entry held, from its comment
    until: date | None = None


class _Stretch(NamedTuple):
    read: ParsedEntry
    start: int
    said: int
    end: int
    speaker: str
    header: str


def chunk_document(path: str, data: bytes, *, imported: bool = False) -> tuple[Chunk, ...]:
    """The chunks of a document, in order. Accepts any bytes."""
    reads = read_document(data)
    where = place(path)
    corrections = _holds_corrections(path, where)
    turns = {} if corrections else find_turns(data, reads)
    limit = _CORRECTION_LIMIT if corrections else LIMIT
    stretches = [
        stretch
        for read in reads
        for stretch in _stretches(data, read, turns.get(read.ordinal, ()), limit)
        if stretch.start < stretch.end
    ]
    common = int(Flag.IMPORTED) * imported | _CORRECTION * corrections
    return tuple(_Maker(path, where, data, common).make(stretches))


def chunk_text(data: bytes, start: int, end: int) -> str:
    """The text at start..end of a document, without our comments and common indentation."""
    raw = data[start:end]
    if b"everself:" in raw:
        raw = _without_comments(raw)
    text = raw.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip()
    return _outdented(text) if "\n " in text or "\n\t" in text else text


def _without_comments(raw: bytes) -> bytes:
    kept = []
    done = at = 0
    while (at := raw.find(b"<!--", at)) >= 0:
        end = raw.find(b"-->", at, at + LONGEST_COMMENT) + 3
        if end > 3 and parse_comment(raw[at:end]) is not None:
            kept.append(raw[done:at].rstrip(b" \t"))
            done = at = end
        else:
            at += 4
    return b"".join((*kept, raw[done:]))


def _outdented(text: str) -> str:
    first, *rest = text.split("\n")
    by = min(len(line) - len(line.lstrip(" \t")) for line in rest if line.strip())
    return "\n".join((first, *(line[by:] for line in rest))) if by else text


def _holds_corrections(path: str, where: Place) -> bool:
    return where.kind is Kind.CORRECTIONS or path.startswith("Archive/Corrections/")


def _stretches(data: bytes, read: ParsedEntry, turns: Sequence[Turn], limit: int) -> Iterator[_Stretch]:
    begin, end = read.words[:2]
    if not turns or turns[0].start > begin:
        turns = (Turn(begin, begin, ""), *turns)
    for order, turn in enumerate(turns):
        stop = turns[order + 1].start if order + 1 < len(turns) else end
        start = turn.start
        while stop > start and data[stop - 1] in b" \t\r\n":
            stop -= 1
        for part in parts(data, start, stop, limit):
            said = turn.said if part.start == start else part.start
            yield _Stretch(read, part.start, min(said, part.end), part.end, turn.speaker, part.header)


class _Maker:
    """Makes the chunks of one document from its stretches."""

    def __init__(self, path: str, where: Place, data: bytes, common: int) -> None:
        self._data = data
        self._common = common
        # line ends that are all LF or CRLF are counted faster
        self._returns = data.count(b"\r") != data.count(b"\r\n")
        stem = path.rpartition("/")[2].rpartition(".")[0]
        named = find_day(stem)
        exact = where.day if where.day is not None and where.day.isoformat() in path else named
        self._exact, self._span = exact, where.day
        self._many = where.span
        self._origin = origins(data if where.span else b"")
        self._idle = _IDLE_TITLE | frozenset(_words(stem))
        self._titles: dict[tuple[str, ...], tuple[str, ...]] = {}

    def make(self, stretches: Sequence[_Stretch]) -> Iterator[Chunk]:
        read: ParsedEntry | None = None
        at = line = 0
        day: date | None = None
        until: date | None = None
        flags = 0
        for stretch, group in zip(stretches, _groups(stretches), strict=True):
            if stretch.read is not read:
                read = stretch.read
                at, line = read.start, read.first_line
                claims = dict(read.claims)
                day, flags = self._day(read, claims), self._common | _claimed(read, claims)
                until = parse_day(claims.get("until", ""))
            line += self._line_ends(at, stretch.start)
            at = stretch.start
            text = chunk_text(self._data, at, stretch.end)
            if not text:
                continue
            yield Chunk(
                entry=read.ordinal,
                start=at,
                end=stretch.end,
                first_line=line,
                last_line=line + self._line_ends(at, stretch.end),
                text=text,
                speaker=stretch.speaker,
                title=self._title(read.heading) + ((stretch.header[:_TITLE_LENGTH],) if stretch.header else ()),
                day=day,
                flags=_FLAGS[flags | self._seen(stretch, text)],
                group=group,
                until=until,
            )

    def _line_ends(self, start: int, end: int) -> int:
        count = self._data.count(b"\n", start, end)
        if self._returns:
            count += self._data.count(b"\r", start, end) - self._data.count(b"\r\n", start, end)
        return count

    def _seen(self, stretch: _Stretch, text: str) -> int:
        # the time before a speaker's name says when they spoke, not what they spoke about
        said = self._data[stretch.said : stretch.end] if stretch.said > stretch.start else text
        return _TIMED * is_timed(said) | _ASKS * asks(text) | _SPOKEN * bool(stretch.speaker)

    def _day(self, read: ParsedEntry, claims: dict[str, str]) -> date | None:
        """The day of an entry: of its file, else when it was written or last mentioned; the file of a month or quarter comes last.
        Archived entries keep their day."""
        return (
            self._exact
            or place(self._origin(read.start)).day
            or parse_day(claims.get("at", "")[:10])
            or (self._many and next((day for title in read.heading if (day := find_day(title[:_TITLE_LENGTH]))), None))
            or parse_day(claims.get("seen", ""))
            or next((day for title in reversed(read.heading) if (day := day_in(title[:_TITLE_LENGTH]))), None)
            or self._span
        )

    def _title(self, heading: tuple[str, ...]) -> tuple[str, ...]:
        known = self._titles.get(heading)
        if known is None:
            titles = (heading_time(title)[1][:_TITLE_LENGTH] for title in heading)
            # the outermost title often repeats the file name, which every chunk has anyway
            known = tuple(title for at, title in enumerate(titles) if title and (at or not self._repeats(title)))
            self._titles[heading] = known
        return known

    def _repeats(self, title: str) -> bool:
        return all(word in self._idle or word.isdecimal() for word in _words(title))


def _claimed(read: ParsedEntry, claims: dict[str, str]) -> int:
    closed = read.struck or parse_day(claims.get("until", "")) is not None
    return _CLOSED * closed | _CORRECTION * (claims.get("tag") == "correction")


def _groups(stretches: Sequence[_Stretch]) -> Iterator[int]:
    """The group number of each stretch."""
    sizes = [len(stretches)] if len(stretches) <= _GROUP else _merged(_sections(stretches, 0))
    for number, size in enumerate(sizes):
        yield from (number for _ in range(size))


def _sections(stretches: Sequence[_Stretch], depth: int) -> Iterator[int]:
    """The sizes of the sections from `depth` on; sections that are too big are split further."""
    for title, held in groupby(stretches, lambda one: one.read.heading[depth : depth + 1]):
        section = list(held)
        if len(section) <= _GROUP:
            yield len(section)
        elif title:
            yield from _sections(section, depth + 1)
        else:
            yield from (min(_GROUP, len(section) - at) for at in range(0, len(section), _GROUP))


def _merged(sizes: Iterator[int]) -> Iterator[int]:
    """Merge neighbouring tiny sections into one group."""
    held = 0
    for size in sizes:
        if held and (size >= _TINY or held + size > _GROUP):
            yield held
            held = 0
        if size < _TINY:
            held += size
        else:
            yield size
    if held:
        yield held


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.casefold()).split()
