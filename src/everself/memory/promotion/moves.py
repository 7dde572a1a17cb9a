"""Moves entries to the curated core in one change: all or nothing, never lost, never duplicated.

Plans over a draft and reads back the result. An entry that would not read back unchanged stays where it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from everself.errors import ChangedMeanwhile, NotFound, RefusedByRule
from everself.frozen import Frozen
from everself.memory._archive_parts import Day, find_copy, part_of, put_over
from everself.memory.drafts import Draft, comment_of, find_span
from everself.memory.entries import TRANSCRIPT, read_document, text_hash, words_at
from everself.memory.memory import Memory
from everself.memory.promotion._sections import Stretch, moving_along, stretch_of
from everself.memory.promotion.destinations import (
    PromotionPermission,
    can_leave,
    check_fit,
    check_target,
    heading_in,
    permission_of,
    title_of,
)
from everself.memory.promotion.scoring import CATEGORIES
from everself.memory.provenance import HAND, OWNER, base_confidence, kept, owned, provenance_of
from everself.memory.undo import trace
from everself.text.markdown.blocks import BlockKind, Scan, scan
from everself.text.markdown.comment import with_fields
from everself.text.markdown.edit import Splice, append_item, apply_splice, lead_in, newline, remove_entry, set_comment
from everself.text.markdown.entries import EntryKind, EntrySpan, heading_time
from everself.text.markdown.sections import sections
from everself.values import Author, Change, Entry, ProvenanceRecord, Tag, Tier
from everself.workspace.layout import archives_of

# words in a log heading that add nothing to the page title
_PLAIN: Final = frozenset({"", "note", "memory", "fact", "mined", "released", *CATEGORIES, *(tag.value for tag in Tag)})


class Pick(Frozen):
    """An entry and its target page, with a default heading if none is given. `named`: the owner named this entry."""

    entry: str
    target: str
    named: bool = False
    heading: str = ""


class Moved(Frozen):
    """A moved entry. `along` are the entries of the same section."""

    entry: str
    source: str
    target: str
    along: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()


class NotMoved(Frozen):
    entry: str
    reason: str


class Moves(Frozen):
    """The planned moves. `change` is None if there are none."""

    change: Change | None
    moved: tuple[Moved, ...] = ()
    left: tuple[NotMoved, ...] = ()


@dataclass(slots=True)
class _Packing:
    """The parts of a plan."""

    draft: Draft
    moved: list[Moved] = field(default_factory=list)
    left: list[NotMoved] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    provenance: list[ProvenanceRecord] = field(default_factory=list)


class Promotion(Frozen):
    """The result. `change` is empty if nothing was moved."""

    change: str
    moved: tuple[Moved, ...] = ()
    left: tuple[NotMoved, ...] = ()


def apply_moves(memory: Memory, picks: Sequence[Pick], author: Author) -> Promotion:
    """Move all entries that may be moved, in one change."""
    moves = Moves(None)

    def plan() -> Change | None:
        nonlocal moves
        moves = plan_moves(memory, picks, author)
        return moves.change

    change = memory.change(plan)
    # refresh both documents together, or the id would briefly belong to the old place
    memory.catalog.refresh()
    return Promotion(change, moves.moved, moves.left)


def plan_moves(memory: Memory, picks: Sequence[Pick], author: Author) -> Moves:
    """Plan one change with all allowed moves; the others are listed with the reason. Call it under `Memory.apply`."""
    packing = _Packing(memory.draft())
    gone: set[str] = set()
    for pick in picks:
        check_target(pick.target)
        if pick.entry in gone:
            continue
        try:
            moved = _move(memory, packing, pick, author)
        except (RefusedByRule, NotFound) as refusal:
            packing.left.append(NotMoved(pick.entry, str(refusal)))
            continue
        gone |= {moved.entry, *moved.along}
        packing.moved.append(moved)
    edits = packing.draft.edits()
    evidence, provenance = tuple(dict.fromkeys(packing.evidence)), tuple(packing.provenance)
    change = Change(author, "promote", edits, evidence, provenance=provenance) if edits else None
    return Moves(change, tuple(packing.moved), tuple(packing.left))


def _move(memory: Memory, packing: _Packing, pick: Pick, author: Author) -> Moved:
    entry = memory.catalog.get(pick.entry)
    _check_entry(entry)
    draft = packing.draft
    moving = moving_along(scan(draft.find(entry.path) or b""), entry, memory.catalog.of(entry.path))
    standing = permission_of(memory, moving)
    _check_standing(entry, standing, pick, author)
    # only an action of the owner makes outside text the owner's
    confirmed = tuple(one for one in moving if author is Author.OWNER and one.source == HAND)
    heading = pick.heading or heading_in(pick.target, entry)
    carry(draft, moving, pick.target, heading, frozenset(one.id for one in confirmed))
    packing.evidence += [f"entry:{one.id}" for one in moving]
    _vouch(packing, pick.target, moving, confirmed)
    along = tuple(one.id for one in moving[1:])
    return Moved(entry.id, entry.path, pick.target, along, tuple(one.id for one in confirmed))


def _vouch(packing: _Packing, target: str, moving: Sequence[Entry], confirmed: Sequence[Entry]) -> None:
    """Record provenance for confirmed entries, and for entries whose text changed when they were marked, such as a closed fence."""
    texts = {read.claim("id"): text_hash(read.text) for read in read_document(packing.draft.find(target) or b"")}
    for one in moving:
        text = texts.get(one.id, "")
        if one in confirmed or (one.vouched and text != text_hash(one.text)):
            origin = owned(one) if one in confirmed else kept(one)
            packing.provenance.append(provenance_of(origin, one.id, one.tag.value, text))
            packing.evidence.append(trace(one))


def _check_entry(entry: Entry) -> None:
    if entry.tier is Tier.CORE:
        raise RefusedByRule(f"{entry.id} is in {entry.path}, which is already core memory.")
    if not can_leave(entry.path):
        raise RefusedByRule(f"{entry.id} is in {entry.path}; entries of this file cannot be promoted.")
    if entry.closed or entry.kind == TRANSCRIPT:
        raise RefusedByRule(f"{entry.id} {'no longer holds' if entry.closed else 'is a transcript'}.")


def _check_standing(entry: Entry, standing: PromotionPermission, pick: Pick, author: Author) -> None:
    owner = author is Author.OWNER
    if (standing.may == "held" and not (owner and pick.named)) or (standing.may == "confirm" and not owner):
        raise RefusedByRule(f"{entry.id} is not promoted automatically: {standing.why}.")
    check_fit(entry, standing.weakest, pick.target)


def _stamping(entry: Entry, *, confirm: bool) -> Callable[[Scan, EntrySpan], Splice]:
    """Store the day from the file name in the entry's comment, because a page without a date would lose it."""

    def stamp(document: Scan, span: EntrySpan) -> Splice:
        known = comment_of(span, entry)
        changes: dict[str, str | None] = {}
        if entry.day is not None and not known.get("at"):
            changes["at"] = entry.day.isoformat() + (f"T{entry.time}" if entry.time else "")
        if entry.seen is not None and not known.get("seen"):
            changes["seen"] = entry.seen.isoformat()
        if confirm:
            changes |= {"src": OWNER, "conf": f"{base_confidence(OWNER):g}"}
        return set_comment(document, span, with_fields(known, **changes))

    return stamp


def carry(
    draft: Draft, moving: Sequence[Entry], target: str, heading: str, confirmed: frozenset[str] = frozenset()
) -> None:
    """Mark the entries, remove them from their document and add them to the page. RefusedByRule leaves both unchanged in the draft."""
    path = moving[0].path
    source, page = draft.find(path), draft.find(target)
    for one in moving:
        draft.edit_entry(one, _stamping(one, confirm=one.id in confirmed))
    try:
        _carry(draft, moving[0], target, heading)
    except RefusedByRule:
        draft.put(path, source)
        draft.put(target, page)
        raise
    _keep_copy_in_step(draft, path)


def _carry(draft: Draft, entry: Entry, target: str, heading: str) -> None:
    """Move an entry in the first form that reads back unchanged."""
    source = draft.find(entry.path) or b""
    document = scan(source)
    try:
        span = find_span(document, entry, begun=True)
    except ChangedMeanwhile as torn:
        raise RefusedByRule(f"{entry.id} cannot be marked in a way that can be read back.") from torn
    stretch = stretch_of(document, span)
    rest = apply_splice(source, remove_entry(document, replace(span, start=stretch.start, end=stretch.end)))
    before = draft.find(target)
    page = before if before is not None else f"# {title_of(target)}\n".encode()
    wanted = _told(source, page)
    for grown, at in _forms(scan(page), (source, span, stretch), heading):
        if _told(rest, grown) == wanted and _is_private(grown, entry, at):
            draft.put(entry.path, rest)
            draft.put(target, grown)
            return
    words = f"{entry.id} cannot be written to {target} unchanged and with the same sharing."
    raise RefusedByRule(words, mend="Move it by hand, or name another file: --target")


def _keep_copy_in_step(draft: Draft, path: str) -> None:
    """Update the day's copy in its archive, which becomes the entries when the day is removed."""
    for archive in archives_of(path):
        found = draft.find(archive)
        if found is None:
            return
        if (copy := find_copy(found, path)) is not None:
            part = part_of(Day(path, draft.find(path) or b""), kept=True)
            draft.put(archive, put_over(found, copy, part or b""))
            return


def _forms(page: Scan, cut: tuple[bytes, EntrySpan, Stretch], heading: str) -> Iterator[tuple[bytes, int]]:
    """The page with the entry added, and its position: as an item of the existing list, of a new list, or as a section."""
    source, span, stretch = cut
    raw = source[stretch.start : stretch.end]
    comment = span.comment.comment if span.comment is not None else None
    if comment is not None and _fits_a_list(source, span, stretch):
        words = _words(source, span).encode()
        splice = append_item(page, heading, words, comment)
        yield apply_splice(page.data, splice), splice.start
        yield _with_section(page, append_item(scan(b""), heading, words, comment).data)
    if stretch.level:
        yield _with_section(page, _levelled(raw, 2 - stretch.level))


def _fits_a_list(source: bytes, span: EntrySpan, stretch: Stretch) -> bool:
    """Whether a list item can represent the entry. Bytes that are not text cannot be an item."""
    if span.kind is EntryKind.SECTION and stretch.level:
        return False
    if span.kind is EntryKind.LOG:
        title = heading_time(span.path[-1])[1].strip(" -–—").lower()
        if title.removesuffix("s") not in _PLAIN and title not in _PLAIN:
            return False
    try:
        source[stretch.start : stretch.end].decode()
    except UnicodeDecodeError:
        return False
    blocks = scan(b"\n" + source[span.text_start : span.text_end]).blocks
    return not any(block.kind is BlockKind.HEADING and not block.depth for block in blocks)


def _words(source: bytes, span: EntrySpan) -> str:
    """The text with comments of other tools, which entry text excludes."""
    found = span.comment
    inside = found is not None and span.text_start <= found.start < span.text_end
    cut, after = (found.start, found.end) if found is not None and inside else (0, 0)
    return words_at(source, (span.text_start, span.text_end, cut, after, span.indent))


def _with_section(page: Scan, raw: bytes) -> tuple[bytes, int]:
    end = newline(page.data)
    section = raw.replace(b"\r\n", b"\n").replace(b"\n", end)
    if not section.endswith((b"\n", b"\r")):
        section += end
    start = len(page.data) + len(lead := lead_in(page))
    return page.data + lead + section, start


def _levelled(raw: bytes, by: int) -> bytes:
    """The section with its headings shifted, so that it is directly below the page's title."""
    if not by:
        return raw
    for block in reversed(scan(raw).blocks):
        if block.kind is not BlockKind.HEADING or block.depth:
            continue
        at = raw.find(b"#", block.start, block.start + 4)
        if at >= 0:
            raw = raw[:at] + (b"#" * by + raw[at:] if by > 0 else raw[at - by :])
    return raw


def _told(*documents: bytes) -> Counter[tuple[str, ...]]:
    """The entries of documents regardless of position, to verify that none is lost or duplicated."""
    return Counter(
        (read.claim("id"), text_hash(read.text), repr(sorted(read.claims)))
        for data in documents
        for read in read_document(data)
    )


def _is_private(page: bytes, entry: Entry, start: int) -> bool:
    """Whether no existing section shares the entry with more readers than before."""
    at = next((read.start for read in read_document(page) if read.claim("id") == entry.id), -1)
    found = sections(scan(page))
    return at >= 0 and not any(one.share and one.start < start and one.start <= at < one.end for one in found)
