"""Lays out imported entries as a document that reads back as the same entries: headings, bullets, comments. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.memory.entries import TRANSCRIPT, ParsedEntry, read_document
from everself.memory.provenance import HAND, base_confidence, rank
from everself.memory.transfer.export import ExportedLine
from everself.text.markdown.blocks import scan
from everself.text.markdown.comment import EntryComment, escape_forged
from everself.text.markdown.edit import append_item, append_log, apply_splice, lead_in, set_comment
from everself.text.markdown.entries import EntryKind, entries
from everself.text.markdown.sections import sections
from everself.text.normalise import fold
from everself.workspace.layout import place

# how often an entry could not be read back: 0 writes it as it was, 1 escaped and closed, 2 as a list item
Care = Counter[str]
_HEADED = (EntryKind.LOG.value, EntryKind.SECTION.value)


class LaidOut(Frozen):
    """A document before and after, and the text of each new entry as it will read back."""

    before: bytes | None
    after: bytes
    texts: dict[str, str]


def lay_out(before: bytes | None, lines: Sequence[ExportedLine]) -> LaidOut:
    """The document with these entries added in order, under existing headings if possible."""
    old = len(read_document(before or b""))
    care: Care = Counter()
    for _ in range(3):
        after = _lay_out(before or b"", lines, care)
        found = read_document(after)
        # if existing text would change, none is written as it is
        lost = {line.id for line in lines} if len(found) != old + len(lines) else _unread(found, lines, care)
        if not lost:
            return LaidOut(before, after, {read.claim("id"): read.text for read in found})
        care.update(lost)
    raise RefusedByRule(f"{len(lost)} entries of {lines[0].path} cannot be written in a way that can be read back.")


def _unread(found: Sequence[ParsedEntry], lines: Sequence[ExportedLine], care: Care) -> set[str]:
    """Ids of entries that would not read back unchanged.

    Text that was written with care may be escaped or closed; it only has to exist.
    """
    by_id = {read.claim("id"): read for read in found}
    lost = set()
    for line in lines:
        read = by_id.get(line.id)
        if read is None or (line.id not in care and not _is_same(read, line)):
            lost.add(line.id)
    return lost


def _is_same(read: ParsedEntry, line: ExportedLine) -> bool:
    return fold(read.text) == fold(line.text) and (read.struck, read.time) == (line.struck, line.time)


def _lay_out(before: bytes, lines: Sequence[ExportedLine], care: Care) -> bytes:
    data = before
    # an item goes to the first section with its title, so only if that is its section
    known = {section.title: section.path for section in reversed(sections(scan(before)))}
    tail: list[ExportedLine] = []
    for line in lines:
        heading = tuple(line.heading)
        if _shape(line) == EntryKind.ITEM and heading and known.get(heading[-1]) == heading and line.id not in care:
            document = scan(data)
            words = _dedented(_words(line)).encode("utf-8", "replace")
            data = apply_splice(data, append_item(document, line.heading[-1], words, comment_for(line)))
        else:
            tail.append(line)
    if not tail:
        return data
    document = scan(data)
    trail = sections(document)[-1].path if data and sections(document) else ()
    return data + (lead_in(document) if data else b"") + b"".join(_pieces(tail, trail, care))


def _pieces(lines: Sequence[ExportedLine], trail: tuple[str, ...], care: Care) -> Iterator[bytes]:
    """The bytes of each entry, with the headings that lead there from the entry before."""
    after_item = False
    first = True
    for line in lines:
        shape, heading = _shape(line), tuple(_title(part) for part in line.heading)
        if care[line.id] > 1 and shape != EntryKind.LOG:
            # a list item can contain any text
            shape = EntryKind.ITEM.value
        own = shape in _HEADED and bool(heading)
        shared = _shared(trail, heading)
        # text directly under a heading needs a heading of its own; going back up repeats the heading
        fresh = heading[min(shared, len(heading) - 1) if own or shared < len(trail) else shared :]
        made = _entry(line, shape, care)
        gap = b"" if first or (after_item and shape == EntryKind.ITEM and not fresh) else b"\n"
        if gap and after_item is False and shape == EntryKind.PARAGRAPH and heading and not fresh:
            gap += b"---\n\n"
        yield gap
        for level, title in enumerate(fresh, len(heading) - len(fresh) + 1):
            yield b"#" * level + b" " + title.encode("utf-8", "replace") + b"\n\n"
        if fresh and shape == EntryKind.PARAGRAPH:
            yield b"---\n\n"
        yield made
        trail, after_item, first = heading, shape == EntryKind.ITEM, False


def _shared(trail: tuple[str, ...], heading: tuple[str, ...]) -> int:
    count = 0
    while count < min(len(trail), len(heading)) and trail[count] == heading[count]:
        count += 1
    return count


def _entry(line: ExportedLine, shape: str, care: Care) -> bytes:
    """The entry without its headings, with its comment and a final line end."""
    if line.id not in care:
        item = shape == EntryKind.ITEM
        lead = b"- " if item else f"# {_title(line.heading[-1])}\n\n".encode() if line.heading else b""
        body = _words(line).encode("utf-8", "replace")
        alone = lead + body + b"\n"
        spans = entries(scan(alone))
        if len(spans) == 1 and b"<!-- everself:" not in body:
            made = apply_splice(alone, set_comment(scan(alone), spans[0], comment_for(line)))
            return made if item else made[len(lead) :]
    words = escape_forged(_words(line)).encode("utf-8", "replace")
    if shape == EntryKind.ITEM:
        holder = b"# x\n"
        return append_item(scan(holder), "x", words, comment_for(line)).data.lstrip(b"\n")
    logged = append_log(scan(b""), "00:00:00", "x", words, comment_for(line)).data
    return logged.partition(b"\n\n")[2]


def comment_for(line: ExportedLine) -> EntryComment:
    """The comment fields that path and text do not imply."""
    where = place(line.path)
    source = line.source if line.vouched or rank(line.source) < rank(HAND) else line.claimed
    fields = [("id", line.id), ("tag", line.tag), ("src", source)]
    if line.vouched:
        fields.append(("conf", f"{base_confidence(line.source):g}"))
    if where.day is None or line.seen != where.day.isoformat():
        fields.append(("seen", line.seen))
    fields += [("n", str(line.mentions)), ("from", ",".join(line.lineage)), ("until", line.until), ("by", line.by)]
    if line.who != (f"person:{where.person}" if where.person else ""):
        fields.append(("who", line.who))
    if line.project != (where.project or ""):
        fields.append(("project", line.project))
    known = {key for key, _ in fields}
    fields += [(key, value) for key, value in line.extra.items() if key not in known]
    return EntryComment(tuple((key, value) for key, value in fields if value))


def _shape(line: ExportedLine) -> str:
    """The kind of block to write. A transcript is recognised by its text alone."""
    if line.time:
        return EntryKind.LOG.value
    if line.kind == TRANSCRIPT:
        return EntryKind.SECTION.value if line.heading else EntryKind.PARAGRAPH.value
    return line.kind if line.kind in (EntryKind.SECTION, EntryKind.PARAGRAPH) else EntryKind.ITEM.value


def _words(line: ExportedLine) -> str:
    if not line.struck:
        return line.text
    if "~~" in line.text:
        # the text kept one of its two marks: the one before a foreign comment, or the one after a checkbox
        return f"~~{line.text}" if not line.text.startswith("[") else f"{line.text}~~"
    return f"~~{line.text}~~"


def _dedented(text: str) -> str:
    """The text without the indentation that the list item adds again."""
    first, *rest = text.split("\n")
    depth = min((len(one) - len(one.lstrip(" ")) for one in rest if one.strip()), default=0)
    return "\n".join([first, *(one[min(depth, 2) :] for one in rest)])


def _title(text: str) -> str:
    return escape_forged(text).strip()
