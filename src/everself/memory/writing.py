"""Writes entries: add one, count a mention, close one, change its text. Works on a draft; pure."""

from dataclasses import replace
from datetime import date, datetime

from everself.frozen import Frozen
from everself.memory import provenance as trust
from everself.memory.drafts import Draft, comment_of
from everself.memory.entries import ParsedEntry, read_document, text_hash
from everself.memory.provenance import base_confidence
from everself.text.markdown.blocks import BlockKind, Scan, scan
from everself.text.markdown.comment import EntryComment, with_fields
from everself.text.markdown.edit import Splice, append_item, append_log, insert_log, replace_text, set_comment
from everself.text.markdown.endings import REFERENCE, is_reference
from everself.text.markdown.entries import EntryKind, EntrySpan
from everself.text.normalise import slug, without_surrogates
from everself.values import Entry, Origin, ProvenanceRecord, Tag, Tier, ended_words
from everself.workspace.layout import Kind, chronicle_of, place

CORE = "MEMORY.md"
# a longer text would make the line unreadable; the closed entry and CORRECTIONS.md contain it anyway
LONGEST_ASIDE = 200
HEADINGS = {
    Tag.DECISION: "Decisions",
    Tag.EVENT: "Events",
    Tag.SKILL: "Skills",
    Tag.CORRECTION: "Corrections",
    Tag.KNOWLEDGE: "Facts",
    Tag.NONE: "Facts",
}


class PageSpot(Frozen):
    """The target of an entry outside the daily log and the core: a page, and the heading of its list.

    Without a heading, the entry is appended as to a log. `title` is the title of a new page.
    """

    path: str
    title: str
    heading: str = ""


class NewEntry(Frozen):
    """A new entry with its origin, which the runtime sets, never a model.

    `explicit`: someone said "remember this", so it goes to the curated core. `person` and `project` are its scope, `who` is the person it
    is about, `spot` the page it belongs on. An entry with a `key` is remembered once. `was` is the corrected text, kept in a comment.
    """

    text: str
    origin: Origin
    category: str = "note"
    tag: Tag = Tag.KNOWLEDGE
    explicit: bool = False
    who: str = ""
    person: str = ""
    project: str = ""
    key: str = ""
    was: str = ""
    spot: PageSpot | None = None

    @property
    def source(self) -> str:
        return self.origin.source

    @property
    def lineage(self) -> tuple[str, ...]:
        return self.origin.lineage


class CleanedText(Frozen):
    """Text that may be stored; `kinds` are the secrets that were removed, `private` is True if private passages were removed."""

    text: str
    kinds: tuple[str, ...] = ()
    private: bool = False


def clean(text: str) -> CleanedText:
    """Remove secrets and private passages, and escape comments."""
    from everself.text.redaction import redact, strip_private

    # lone surrogates cannot be written, and the text must read back unchanged
    text = without_surrogates(text)
    bare = strip_private(text)
    redacted = redact(bare)
    kinds = tuple(sorted({secret.kind for secret in redacted.found}))
    # comments are escaped: a person sees the whole text, and no tool interprets it
    words = redacted.text.replace("<!--", "&lt;!--").strip()
    # text that begins like a reference by id would be parsed as one, and struck-through text as closed
    words = words.removeprefix(REFERENCE.strip()).strip() or words
    words = "".join(_no_reference(line) for line in words.splitlines(keepends=True))
    struck = words.startswith("~~") and words.find("~~", 2) == len(words) - 2 > 2
    return CleanedText(f"\\{words}" if struck else words, kinds, bare != text)


def _no_reference(line: str) -> str:
    """The line with any reference to an entry defused: a reference would end the entry above, and only the runtime writes one."""
    data = line.encode("utf-8", "replace")
    return line.replace(REFERENCE.strip(), "->") if is_reference(data, 0, len(data)) else line


def scope_of(person: str = "", project: str = "") -> str:
    """The folder of a person or project; empty for the owner's own memory."""
    if person:
        return f"users/{slug(person)}/"
    return f"projects/{slug(project)}/" if project else ""


def log_path(new_entry: NewEntry, day: date) -> str:
    return log_in(scope_of(new_entry.person, new_entry.project), day)


def core_path(new_entry: NewEntry) -> str:
    return f"{scope_of(new_entry.person, new_entry.project)}{CORE}"


def log_in(scope: str, day: date) -> str:
    """The path of the log of a day in a scope from `scope_of`."""
    return f"{scope}memory/{day.isoformat()}.md"


def target(new_entry: NewEntry, day: date) -> str:
    """The path of the document that a new entry is written to."""
    if new_entry.spot is not None:
        return new_entry.spot.path
    return core_path(new_entry) if new_entry.explicit else log_path(new_entry, day)


def is_quarantined(path: str) -> bool:
    return place(path).kind is Kind.QUARANTINE


def add_entry(draft: Draft, new_entry: NewEntry, identity: str, now: datetime) -> ProvenanceRecord:
    """Add an entry to today's log, to the core (with a reference in the log), or to a page."""
    comment = _comment(new_entry, identity, now.date())
    if new_entry.spot is not None:
        return _add_to_page(draft, new_entry, new_entry.spot, now, comment)
    if not new_entry.explicit:
        written = _add_to_log(draft, new_entry, new_entry.text, now, comment)
        grown = draft.growth(log_path(new_entry, now.date()))
        return _provenance_record(new_entry, identity, written, None if grown is None else grown[2])
    core = core_path(new_entry)
    words = f"{new_entry.text}{_beside(new_entry)}".encode("utf-8", "replace")
    draft.splice(core, lambda document: append_item(document, HEADINGS[new_entry.tag], words, comment), b"# Memory\n")
    _add_to_log(draft, new_entry, f"{REFERENCE}{core} (entry:{identity})", now, None)
    return _provenance_record(new_entry, identity, draft.find(core) or b"")


def _beside(new_entry: NewEntry) -> str:
    """A comment with the corrected text, verbatim in quotation marks so that forgetting finds it; empty if that is not possible."""
    was = new_entry.was
    if not 0 < len(was) <= LONGEST_ASIDE or any(part in was for part in ("\n", "--", ">", "”")):
        return ""
    # except at the end of a paragraph, the comment would be visible or keep a fence open
    fits = scan(b"\n" + new_entry.text.encode("utf-8", "replace")).blocks[-1].lead is BlockKind.PARAGRAPH
    return f" <!-- was: “{was}” -->" if fits else ""


def count_mention(draft: Draft, entry: Entry, day: date) -> None:
    """Count a mention: changes only the count and the day in the entry's comment."""

    def mention(document: Scan, span: EntrySpan) -> Splice:
        known = comment_of(span, entry)
        seen = max(day.isoformat(), known.get("seen"))
        return set_comment(document, span, with_fields(known, n=str(entry.mentions + 1), seen=seen))

    draft.edit_entry(entry, mention)


def close_entry(draft: Draft, entry: Entry, day: date, by: str) -> None:
    """Close an entry: its comment gets the day and the successor, and in the curated core the text is struck through."""

    def strike(document: Scan, span: EntrySpan) -> Splice:
        return replace_text(document, span, f"~~{entry.text}~~".encode("utf-8", "replace"))

    def close(document: Scan, span: EntrySpan) -> Splice:
        known = comment_of(span, entry)
        return set_comment(document, span, with_fields(known, until=day.isoformat(), by=by or None))

    draft.edit_entry(entry, close)
    _mark_chronicle(draft, entry, day)
    plain = "\n" not in entry.text and "~~" not in entry.text
    if entry.tier is Tier.CORE and entry.kind == EntryKind.ITEM and not entry.struck and plain:
        draft.edit_entry(entry, strike)


def _mark_chronicle(draft: Draft, entry: Entry, day: date) -> None:
    """Mark the entry as ended in the chronicle too."""
    path = chronicle_of(entry.day) if entry.day is not None else ""
    told = draft.find(path) if path else None
    reference = f" (entry:{entry.id})".encode()
    if told is not None and reference in told:
        draft.put(path, told.replace(reference, f" ({ended_words(day)})".encode() + reference, 1))


def change_words(draft: Draft, entry: Entry, text: str, origin: Origin) -> ProvenanceRecord:
    """Change the text of an entry; id and lineage stay."""
    source = origin.source

    def say(document: Scan, span: EntrySpan) -> Splice:
        return replace_text(document, span, text.encode("utf-8", "replace"))

    def stamp(document: Scan, span: EntrySpan) -> Splice:
        known = comment_of(span, entry)
        return set_comment(document, span, with_fields(known, conf=f"{base_confidence(source):g}", src=source))

    draft.edit_entry(entry, stamp)
    draft.edit_entry(entry, say)
    new_entry = NewEntry(text, trust.lowered(origin, source, entry.lineage), tag=entry.tag)
    return _provenance_record(new_entry, entry.id, draft.find(entry.path) or b"")


def restamp(draft: Draft, entry: Entry, origin: Origin) -> ProvenanceRecord:
    """Record a more trusted source for the unchanged text."""
    source, lineage = origin.source, origin.lineage

    def stamp(document: Scan, span: EntrySpan) -> Splice:
        known = comment_of(span, entry)
        fields = with_fields(known, conf=f"{base_confidence(source):g}", src=source, from_=",".join(lineage) or None)
        return set_comment(document, span, fields)

    draft.edit_entry(entry, stamp)
    return trust.provenance_of(origin, entry.id, entry.tag.value, text_hash(entry.text))


def _comment(new_entry: NewEntry, identity: str, day: date) -> EntryComment:
    fields = [("id", identity)]
    if new_entry.tag is not Tag.NONE:
        fields.append(("tag", new_entry.tag.value))
    fields += [("conf", f"{base_confidence(new_entry.source):g}"), ("src", new_entry.source)]
    fields += [("seen", day.isoformat()), ("n", "1")]
    optional = (("from", ",".join(new_entry.lineage)), ("who", new_entry.who), ("project", new_entry.project))
    return EntryComment(tuple(fields) + tuple((key, value) for key, value in optional if value))


def _add_to_page(
    draft: Draft, new_entry: NewEntry, spot: PageSpot, now: datetime, comment: EntryComment
) -> ProvenanceRecord:
    if spot.heading:
        words = new_entry.text.encode("utf-8", "replace")
        header = f"# {spot.title}\n".encode()
        draft.splice(spot.path, lambda document: append_item(document, spot.heading, words, comment), header)
    else:
        draft.log(spot.path, now, new_entry.category, new_entry.text, comment, f"# {spot.title}\n")
    return _provenance_record(new_entry, comment.id, draft.find(spot.path) or b"")


def _add_to_log(draft: Draft, new_entry: NewEntry, text: str, now: datetime, comment: EntryComment | None) -> bytes:
    day = now.date()
    clock, words = now.strftime("%H:%M:%S"), text.encode("utf-8", "replace")
    header = f"# Memory Log: {day.isoformat()}\n".encode()
    path = log_path(new_entry, day)
    if _ends_later(draft.find(path) or b"", clock):
        # a checkpoint records messages that are older than entries already in the file
        return draft.splice(
            path, lambda document: insert_log(document, clock, new_entry.category, words, comment), header
        )
    return draft.append(path, lambda document: append_log(document, clock, new_entry.category, words, comment), header)


def _ends_later(log: bytes, clock: str) -> bool:
    """Whether the last section may be later in the day. `insert_log` checks the headings again."""
    at = log.rfind(b"\n## [")
    return at >= 0 and log[at + 5 : at + 5 + len(clock)] > clock.encode()


def _provenance_record(
    new_entry: NewEntry, identity: str, written: bytes, reads: tuple[ParsedEntry, ...] | None = None
) -> ProvenanceRecord:
    """The provenance record for the text as it reads back: writing may escape parts of it."""
    reads = read_document(b"\n" + written) if reads is None else reads
    found = next((one for one in reads if one.claim("id") == identity), None)
    return trust.provenance_of(
        new_entry.origin, identity, new_entry.tag.value, text_hash(found.text if found else new_entry.text)
    )


def as_correction(new_entry: NewEntry) -> NewEntry:
    """The entry with source and tag of a correction, for the curated core."""
    origin = trust.as_correction(new_entry.origin)
    return replace(new_entry, origin=origin, tag=Tag.CORRECTION, category="correction", explicit=True)
