"""Which parts of a document go into a prompt when not all of it fits, and the names of those that do not.

A piece is an entry, whole or not at all; a heading comes along with the first piece below it that is kept. Bookkeeping comments,
rules between sections and comments that belong to no entry are no pieces: nobody reads them as words. Knows no slot and no file.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from everself.text import tokens as tokens_of_text
from everself.text.markdown.blocks import BlockKind, Scan, scan
from everself.text.markdown.entries import EntryKind, EntrySpan, entries
from everself.text.markdown.sections import Section, sections

Count = Callable[[str], int]
# bytes beyond which the pieces of a document are estimated
_LARGE: Final = 100_000
Reason = Literal[
    "larger than all the room there is", "less important than what was kept", "from outside; it can be recalled"
]


@dataclass(frozen=True, slots=True)
class Head:
    """A heading line above a piece, and where it stands."""

    line: int
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry. `heading` is the titles above it, `above` those headings as they stand; the lines are the entry's own.

    `tight`: no blank line stands before it, as in most lists.
    """

    text: str
    tokens: int
    importance: float
    heading: tuple[str, ...]
    path: str
    first_line: int
    last_line: int
    above: tuple[Head, ...] = ()
    tight: bool = False


@dataclass(frozen=True, slots=True)
class Omission:
    """What was left out, so that it can be named and looked up."""

    path: str
    heading: tuple[str, ...]
    lines: tuple[int, int]
    tokens: int
    reason: Reason

    @property
    def reference(self) -> str:
        first, last = self.lines
        return f"{self.path}#L{first}" + (f"-L{last}" if last > first else "")


@dataclass(frozen=True, slots=True)
class Packed:
    """`tokens` is what `text` costs as a whole; kept and omitted pieces stand in the order of the document."""

    text: str
    tokens: int
    kept: tuple[Piece, ...]
    omitted: tuple[Omission, ...] = ()


Importance = Callable[[Piece], float]


def flat(_: Piece) -> float:
    """All pieces matter alike, so that the first ones stay."""
    return 0.0


def pieces_of(
    path: str, data: bytes, importance: Importance = flat, count: Count = tokens_of_text.count
) -> list[Piece]:
    """The pieces in the order of the document. `importance` sees each with the importance 0; the largest stays longest."""
    scanned = scan(data)
    heads = sections(scanned)
    trail = _Trail(data, heads, count)
    blank = {block.last_line + 1 for block in scanned.blocks if block.kind in (BlockKind.BLANK, BlockKind.BREAK)}
    found: list[Piece] = []
    for span in _spans(scanned, heads):
        text = _words(data, span)
        if span.end == len(data) and scanned.closer:
            text = _closed(text, scanned.closer)
        if not text.strip():
            continue
        tight = span.first_line not in blank
        lines = (span.first_line, span.last_line)
        piece = Piece(text, count(text + "\n"), 0.0, span.path, path, *lines, trail.above(span.start), tight)
        found.append(replace(piece, importance=importance(piece)))
    return found


def pack(pieces: Sequence[Piece], tokens: int, count: Count = tokens_of_text.count) -> Packed:
    """The most important pieces that fit, in the order in which they were given. The joined text is counted, and never exceeds."""
    ranks = sorted(range(len(pieces)), key=lambda at: (-pieces[at].importance, at))
    kept: list[int] = []
    heads: set[tuple[str, int]] = set()
    used = 0
    for at in ranks:
        piece = pieces[at]
        cost = piece.tokens + sum(head.tokens for head in piece.above if (piece.path, head.line) not in heads)
        if used + cost <= tokens:
            kept.append(at)
            heads.update((piece.path, head.line) for head in piece.above)
            used += cost
    text, size = _counted(pieces, kept, count)
    while kept and size > tokens:
        # pieces counted apart, or only estimated: let go of the least important until it should fit, then count again
        excess = size - tokens
        while kept and excess > 0:
            excess -= max(1, pieces[kept.pop()].tokens)
        text, size = _counted(pieces, kept, count)
    stays = set(kept)
    return Packed(
        text,
        size,
        tuple(piece for at, piece in enumerate(pieces) if at in stays),
        tuple(_omission(piece, tokens) for at, piece in enumerate(pieces) if at not in stays),
    )


def fit(
    path: str, data: bytes, tokens: int, importance: Importance = flat, count: Count = tokens_of_text.count
) -> Packed:
    """A document as it stands, without our comments, where it fits; its most important pieces where not."""
    large = len(data) > _LARGE
    text = readable(data)
    if not large or tokens_of_text.estimate(text) <= 2 * tokens:
        size = count(text)
        if size <= tokens:
            return Packed(text, size, ())
    # counting megabytes takes seconds; what is kept is counted in any case
    return pack(pieces_of(path, data, importance, tokens_of_text.estimate if large else count), tokens, count)


def readable(data: bytes) -> str:
    """The document without the comments in which Everself keeps its books, a fence left open at its end closed."""
    scanned = scan(data)
    parts: list[bytes] = []
    done = 0
    for span in entries(scanned):
        if span.comment is not None:
            parts.append(data[done : span.comment.start].rstrip(b" \t"))
            done = span.comment.end
    text = _decode(b"".join(parts) + data[done:])
    return _closed(text, scanned.closer) + "\n" if scanned.closer else text


def prioritize_unverified(corrections: Iterable[Piece]) -> list[Piece]:
    """Ranks corrections: those not embedded again yet before the others, then the newest, which is the lowest in the file.

    Where a record does not say that it was embedded again, it was not.
    """
    ordered = sorted(corrections, key=lambda piece: (is_verified(piece.text), -piece.first_line))
    ranked = (replace(piece, importance=float(len(ordered) - at)) for at, piece in enumerate(ordered))
    return sorted(ranked, key=lambda piece: piece.first_line)


def is_verified(text: str) -> bool:
    """Whether a correction's record says that it was embedded again, so that search finds it."""
    return any(
        "".join(line.split()).casefold().lstrip("-*+").replace("*", "").replace("`", "").startswith("re-embedded:true")
        for line in text.splitlines()
    )


def _spans(scanned: Scan, heads: Sequence[Section]) -> list[EntrySpan]:
    """Entries, and the headings with nothing below them: titles are words too."""
    found = list(entries(scanned))
    starts = [span.start for span in found]
    hollow: list[EntrySpan] = []
    for section in heads:
        at = bisect_right(starts, section.start)
        inside = at > 0 and found[at - 1].end > section.start
        if inside or section.own_end < section.end or (at < len(starts) and starts[at] < section.end):
            continue
        where = (section.start, section.end, section.start, section.end, section.first_line, section.last_line)
        hollow.append(EntrySpan(EntryKind.SECTION, *where, indent=0, path=section.path, comment=None, struck=False))
    return sorted([*found, *hollow], key=lambda span: span.start)


class _Trail:
    """The headings above a place that moves down the document; each is decoded and counted once."""

    def __init__(self, data: bytes, heads: Sequence[Section], count: Count) -> None:
        self._data, self._count = data, count
        self._left = list(reversed(heads))
        self._around: list[tuple[Section, Head]] = []

    def above(self, start: int) -> tuple[Head, ...]:
        """An entry that begins with a heading carries that itself."""
        while self._left and self._left[-1].start < start:
            section = self._left.pop()
            if start < section.end:
                line = _decode(self._data[section.start : section.body]).strip("\r\n")
                self._around.append((section, Head(section.first_line, line, self._count(line + "\n\n"))))
        self._around = [(section, head) for section, head in self._around if start < section.end]
        return tuple(head for _, head in self._around)


def _words(data: bytes, span: EntrySpan) -> str:
    found = span.comment
    cut, resume = (found.start, found.end) if found else (span.end, span.end)
    return _decode(data[span.start : cut].rstrip(b" \t") + data[resume : span.end]).rstrip()


def _closed(text: str, closer: bytes) -> str:
    """What follows in the prompt must not become part of a fence or comment that nobody closed."""
    return text.rstrip("\r\n") + "\n" + closer.decode("ascii")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").removeprefix("\ufeff")


def _counted(pieces: Sequence[Piece], kept: Iterable[int], count: Count) -> tuple[str, int]:
    text = join([pieces[at] for at in sorted(kept)])
    return text, count(text)


def join(pieces: Iterable[Piece]) -> str:
    """The pieces as one text, each heading once, before the first piece below it."""
    lines: list[str] = []
    shown: set[tuple[str, int]] = set()
    before: Piece | None = None
    for piece in pieces:
        fresh = [head for head in piece.above if (piece.path, head.line) not in shown]
        shown.update((piece.path, head.line) for head in fresh)
        for head in fresh:
            lines += ["", head.text] if lines else [head.text]
        alike = before is not None and before.above == piece.above and not fresh
        if lines and not (piece.tight and alike):
            lines.append("")
        lines.append(piece.text)
        before = piece
    return "\n".join([*lines, ""]) if lines else ""


def _omission(piece: Piece, tokens: int) -> Omission:
    reason: Reason = (
        "larger than all the room there is" if piece.tokens > tokens else "less important than what was kept"
    )
    return Omission(piece.path, piece.heading, (piece.first_line, piece.last_line), piece.tokens, reason)
