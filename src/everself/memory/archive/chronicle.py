"""The chronicle of a month: one sentence for each entry, with its reference. Works on a draft; pure.

A line made by rules is a reference by id: people read it, forgetting finds it, and it is not an entry. Text by a model is an entry of its
own, with its sources as lineage, and is trusted no more than they are.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final

from everself.frozen import Frozen
from everself.memory.drafts import Draft
from everself.memory.entries import TRANSCRIPT, read_document, text_hash
from everself.memory.provenance import AGENT, OWN, base_confidence, concluded_in, provenance_of, rank
from everself.memory.writing import clean
from everself.text.markdown.blocks import Scan, scan
from everself.text.markdown.comment import EntryComment
from everself.text.markdown.edit import Splice, append_item, lead_in
from everself.text.markdown.endings import REFERENCE
from everself.values import Entry, ProvenanceRecord, Tag, ended_words, new_id
from everself.workspace.layout import chronicle_of
from everself.workspace.layout.dates import MONTHS

LONGEST: Final = 200
# a longer comment could not be parsed
MOST_CITED: Final = 200
_ENDS: Final = ".!?。！？…"
_WIDE: Final = "。！？"
_HEARTBEAT: Final = "heartbeat"


class ChronicleText(Frozen):
    """A model's text about a day, and the entries that it rests on."""

    day: date
    text: str
    entries: tuple[str, ...]


def tells(entry: Entry, trust: str) -> bool:
    """Whether the chronicle includes an entry: no raw transcripts, no heartbeats, nothing from outside."""
    return entry.kind != TRANSCRIPT and entry.category != _HEARTBEAT and rank(trust) >= rank(AGENT)


def add_days(
    draft: Draft,
    days: Mapping[date, Sequence[Entry]],
    stories: Sequence[ChronicleText] = (),
    now: Callable[[Entry], str] = lambda _: "",
) -> tuple[ProvenanceRecord, ...]:
    """Add days to the chronicles of their months: the given story, else the first sentence of each entry. `now` returns the text that
    replaced a closed entry."""
    told = {one.day: one for one in stories}
    provenance = []
    for day, entries in sorted(days.items()):
        path = chronicle_of(day)
        head = f"# {MONTHS[day.month - 1]} {day.year}\n".encode()
        story = told.get(day)
        if story is not None and clean(story.text).text:
            provenance.append(_tell(draft, path, head, story, new_id()))
        elif entries:
            lines = "".join(f"- {line_of(entry, now(entry) if entry.closed else '')}\n" for entry in entries)
            body = f"## {day.isoformat()}\n\n{lines}".encode("utf-8", "replace")
            before = draft.find(path)
            document = scan(head if before is None else before)
            draft.put(path, document.data + lead_in(document) + body)
    return tuple(provenance)


def line_of(entry: Entry, now: str = "") -> str:
    """The chronicle line for an entry; `now` is the text that replaced it, if it is closed."""
    ended = f" ({ended_words(entry.until, now)})" if entry.closed else ""
    return f"{REFERENCE}{first_sentence(entry.text)}{ended} (entry:{entry.id})"


def first_sentence(text: str) -> str:
    """The first sentence of an entry, on one line, without secrets and Markdown marks."""
    lines = (line.strip(" \t#>*-+`|") for line in clean(text).text.splitlines())
    line = next((one for one in lines if one), "")
    for at, char in enumerate(line[:LONGEST]):
        after = line[at + 1 : at + 2]
        if char in _ENDS and (char in _WIDE or after in ("", " ")) and at >= 2:
            return line[: at + 1]
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}…"


def _tell(draft: Draft, path: str, head: bytes, story: ChronicleText, identity: str) -> ProvenanceRecord:
    lineage = tuple(f"entry:{one}" for one in story.entries[:MOST_CITED])
    words = " ".join(clean(story.text).text.split()).encode("utf-8", "replace")
    fields = (
        *(("id", identity), ("tag", Tag.EVENT.value), ("conf", f"{base_confidence(AGENT):g}"), ("src", AGENT)),
        *(("seen", story.day.isoformat()), ("n", "1"), ("from", ",".join(lineage))),
    )

    def add(document: Scan) -> Splice:
        return append_item(document, story.day.isoformat(), words, EntryComment(fields))

    draft.splice(path, add, head)
    read = next(one for one in read_document(draft.find(path) or b"") if one.claim("id") == identity)
    return provenance_of(concluded_in(OWN, "keeper", *lineage), identity, Tag.EVENT.value, text_hash(read.text))
