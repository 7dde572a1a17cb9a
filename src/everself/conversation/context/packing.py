"""Chooses the parts of a document that fit into a prompt and lists the omitted ones.

An item is an entry, kept whole or omitted; a heading is shown with the first kept item below it. Bookkeeping comments, rules between
sections and comments outside entries are not items, because they are not text to read. Knows no slot and no file.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from everself.conversation.context._shown_text import without_gaps
from everself.frozen import Frozen
from everself.text import tokens as tokens_of_text
from everself.text.markdown.blocks import BlockKind, Scan, scan
from everself.text.markdown.entries import EntryKind, EntrySpan, entries
from everself.text.markdown.sections import Section, sections

Count = Callable[[str], int]
# fewer lines of a block are not worth showing
_LEAST_LINES: Final = 3
# bytes beyond which the items of a document are estimated
_LARGE: Final = 100_000
Reason = Literal[
    "larger than all the room there is", "less important than what was kept", "from outside; it can be recalled"
]


class Head(Frozen):
    line: int
    text: str
    tokens: int


class PackItem(Frozen):
    """One entry. `heading` are the titles above it, `above` those headings as they are written; the lines are the entry's own.

    `tight`: no blank line precedes it, as in most lists.
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


class Omission(Frozen):
    path: str
    heading: tuple[str, ...]
    lines: tuple[int, int]
    tokens: int
    reason: Reason

    @property
    def reference(self) -> str:
        first, last = self.lines
        return f"{self.path}#L{first}" + (f"-L{last}" if last > first else "")


class PackedDocument(Frozen):
    """`tokens` is the cost of the whole `text`; kept and omitted items are in document order."""

    text: str
    tokens: int
    kept: tuple[PackItem, ...]
    omitted: tuple[Omission, ...] = ()


Importance = Callable[[PackItem], float]


def flat(_: PackItem) -> float:
    """Give all items the same importance, so that the first ones are kept."""
    return 0.0


def items_of(
    path: str, data: bytes, importance: Importance = flat, count: Count = tokens_of_text.count
) -> list[PackItem]:
    """The items in document order. `importance` is called with each item while its importance is still 0; the most important are kept
    longest."""
    scanned = scan(data)
    heads = sections(scanned)
    trail = _Trail(data, heads, count)
    blank = {block.last_line + 1 for block in scanned.blocks if block.kind in (BlockKind.BLANK, BlockKind.BREAK)}
    found: list[PackItem] = []
    for span in _spans(scanned, heads):
        text = _words(data, span)
        if span.end == len(data) and scanned.closer:
            text = _closed(text, scanned.closer)
        if not text.strip():
            continue
        tight = span.first_line not in blank
        lines = (span.first_line, span.last_line)
        item = PackItem(text, count(text + "\n"), 0.0, span.path, path, *lines, trail.above(span.start), tight)
        found.append(replace(item, importance=importance(item)))
    return found


def pack(
    items: Sequence[PackItem], tokens: int, count: Count = tokens_of_text.count, *, cut: bool = False
) -> PackedDocument:
    """The most important items that fit, in the given order. The joined text is counted and never exceeds `tokens`.

    `cut`: keep the first lines of the most important item that does not fit, as far as there is room.
    """
    ranks = sorted(range(len(items)), key=lambda at: (-items[at].importance, at))
    kept: list[int] = []
    heads: set[tuple[str, int]] = set()
    used = 0
    for at in ranks:
        item = items[at]
        cost = item.tokens + sum(head.tokens for head in item.above if (item.path, head.line) not in heads)
        if used + cost <= tokens:
            kept.append(at)
            heads.update((item.path, head.line) for head in item.above)
            used += cost
    text, size = _counted(items, kept, count)
    while kept and size > tokens:
        # items were counted separately or estimated: drop the least important until it should fit, then count again
        excess = size - tokens
        while kept and excess > 0:
            excess -= max(1, items[kept.pop()].tokens)
        text, size = _counted(items, kept, count)
    stays = set(kept)
    gone = {at: _omission(item, tokens) for at, item in enumerate(items) if at not in stays}
    shown = {at: items[at] for at in sorted(stays)}
    if cut and gone:
        at = next(at for at in ranks if at in gone)
        beginning = _beginning(items[at], lambda part: count(_joined(shown | {at: part})) <= tokens)
        if beginning is not None:
            shown[at] = beginning
            gone[at] = replace(_omission(items[at], tokens), lines=(beginning.last_line + 1, items[at].last_line))
            text = _joined(shown)
            size = count(text)
    return PackedDocument(text, size, tuple(shown[at] for at in sorted(shown)), tuple(gone[at] for at in sorted(gone)))


def _joined(items: Mapping[int, PackItem]) -> str:
    return join([items[at] for at in sorted(items)])


def _beginning(item: PackItem, fits: Callable[[PackItem], bool]) -> PackItem | None:
    """The first lines of an item that fit; None if not even a few do."""
    lines = item.text.split("\n")

    def part(count: int) -> PackItem:
        text = "\n".join(lines[:count])
        closer = scan(text.encode("utf-8", "surrogatepass")).closer
        return replace(item, text=_closed(text, closer) if closer else text, last_line=item.first_line + count - 1)

    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(part(middle)) else (low, middle - 1)
    return part(low) if low >= _LEAST_LINES else None


def fit(
    path: str,
    data: bytes,
    tokens: int,
    importance: Importance = flat,
    count: Count = tokens_of_text.count,
    *,
    cut: bool = False,
) -> PackedDocument:
    """The whole document without our comments if it fits, otherwise its most important items. `cut` as for `pack`."""
    large = len(data) > _LARGE
    text = readable(data)
    if not large or tokens_of_text.estimate(text) <= 2 * tokens:
        size = count(text)
        if size <= tokens:
            return PackedDocument(text, size, ())
    # counting the tokens of megabytes takes seconds; the kept text is counted anyway
    return pack(items_of(path, data, importance, tokens_of_text.estimate if large else count), tokens, count, cut=cut)


def readable(data: bytes) -> str:
    """The document without Everself's own comments; a fence left open at its end is closed."""
    scanned = scan(data)
    parts: list[bytes] = []
    done = 0
    for span in entries(scanned):
        if span.comment is not None:
            parts.append(data[done : span.comment.start].rstrip(b" \t"))
            done = span.comment.end
    text = without_gaps(_decode(b"".join(parts) + data[done:]))
    return _closed(text, scanned.closer) + "\n" if scanned.closer else text


def prioritize_unverified(corrections: Iterable[PackItem], unverified: Container[int]) -> list[PackItem]:
    """Rank corrections: those not embedded again yet before the others, then newest first, which is lowest in the file.

    `unverified` are the first lines of those not embedded again yet.
    """
    ordered = sorted(corrections, key=lambda item: (item.first_line not in unverified, -item.first_line))
    ranked = (replace(item, importance=float(len(ordered) - at)) for at, item in enumerate(ordered))
    return sorted(ranked, key=lambda item: item.first_line)


def unverified_lines(path: str, data: bytes) -> frozenset[int]:
    """The first lines of the corrections that do not record that they were embedded again."""
    return frozenset(item.first_line for item in items_of(path, data, count=lambda _: 0) if not is_verified(item.text))


def is_verified(text: str) -> bool:
    """Whether a correction records that it was embedded again, so that search finds it."""
    return any(
        "".join(line.split()).casefold().lstrip("-*+").replace("*", "").replace("`", "").startswith("re-embedded:true")
        for line in text.splitlines()
    )


def _spans(scanned: Scan, heads: Sequence[Section]) -> list[EntrySpan]:
    """Entries, and headings with nothing below them, because titles are text too."""
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
    """The headings above a position that moves down the document. Each is decoded and counted once."""

    def __init__(self, data: bytes, heads: Sequence[Section], count: Count) -> None:
        self._data, self._count = data, count
        self._left = list(reversed(heads))
        self._around: list[tuple[Section, Head]] = []

    def above(self, start: int) -> tuple[Head, ...]:
        """The headings above an entry. An entry that begins with a heading contains that heading itself."""
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
    """Close an open fence or comment, so that the text after it in the prompt does not become part of it."""
    return text.rstrip("\r\n") + "\n" + closer.decode("ascii")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").removeprefix("\ufeff")


def _counted(items: Sequence[PackItem], kept: Iterable[int], count: Count) -> tuple[str, int]:
    text = join([items[at] for at in sorted(kept)])
    return text, count(text)


def join(items: Iterable[PackItem]) -> str:
    """The items as one text, each heading once, before the first item below it."""
    lines: list[str] = []
    shown: set[tuple[str, int]] = set()
    before: PackItem | None = None
    for item in items:
        fresh = [head for head in item.above if (item.path, head.line) not in shown]
        shown.update((item.path, head.line) for head in fresh)
        for head in fresh:
            lines += ["", head.text] if lines else [head.text]
        alike = before is not None and before.above == item.above and not fresh
        if lines and not (item.tight and alike):
            lines.append("")
        lines.append(item.text)
        before = item
    return "\n".join([*lines, ""]) if lines else ""


def _omission(item: PackItem, tokens: int) -> Omission:
    reason: Reason = (
        "larger than all the room there is" if item.tokens > tokens else "less important than what was kept"
    )
    return Omission(item.path, item.heading, (item.first_line, item.last_line), item.tokens, reason)
