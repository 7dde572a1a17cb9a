"""From the bytes of a document to its entries as they stand there: words, place, and what the comment claims. Pure.

Judges what is a memory at all: noise, placeholders and references by id are none. Does not decide whom to believe.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from everself.markdown.blocks import scan
from everself.markdown.entries import EntryKind, EntrySpan, entries
from everself.values import digest
from everself.workspace.layout import Kind, place

# documents whose text is memory; the others are rules, logs of the runtime, or not ours
HOLDERS = frozenset(
    {
        Kind.CORE_MEMORY,
        Kind.DAILY_LOG,
        Kind.SESSION_NOTE,
        Kind.TOPIC,
        Kind.ARCHIVE,
        Kind.CHRONICLE,
        Kind.BANK,
        Kind.USER,
    }
    | {Kind.PERSON_USER, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY, Kind.QUARANTINE}
)
NOISE = frozenset({"HEARTBEAT_OK", "NO_REPLY"})
TRANSCRIPT = "transcript"
_SPEAKERS = ("user:", "assistant:", "system:", "human:", "tool:")
REFERENCE = "→ "


@dataclass(frozen=True, slots=True)
class Read:
    """One entry of a document. `claims` are the fields of its comment."""

    ordinal: int
    text: str
    claims: tuple[tuple[str, str], ...]
    kind: str
    heading: tuple[str, ...]
    category: str
    time: str
    struck: bool
    start: int
    end: int
    first_line: int
    last_line: int
    # where the words stand, and where our comment interrupts them (0, 0: nowhere)
    words: tuple[int, int, int, int]

    def claim(self, key: str) -> str:
        return next((value for name, value in self.claims if name == key), "")


def holds_memory(path: str) -> bool:
    return place(path).kind in HOLDERS


def read_document(data: bytes) -> tuple[Read, ...]:
    """The memories of a document, in its order."""
    document = scan(data)
    found: list[Read] = []
    for span in entries(document):
        text = words_at(data, _words(span), struck=span.struck)
        if not is_memory(span, text):
            continue
        found.append(_read(len(found), span, text))
    return tuple(found)


def is_memory(span: EntrySpan, text: str) -> bool:
    """Whether a person would call it something remembered."""
    if span.kind is EntryKind.FRONT_MATTER or not text or text in NOISE:
        return False
    if text.startswith(REFERENCE) and "entry:" in text:
        return False
    # a template's blank: `- **Name:** _(what shall I call you?)_`
    bare = text.rpartition(":**")[2].strip()
    return bool(bare) and not (bare.startswith("_(") and bare.endswith(")_")) and not _is_comment(bare)


def _is_comment(text: str) -> bool:
    return text.startswith("<!--") and text.endswith("-->") and text.count("<!--") == 1


def _read(ordinal: int, span: EntrySpan, text: str) -> Read:
    return Read(
        ordinal=ordinal,
        text=text,
        claims=span.comment.comment.fields if span.comment else (),
        kind=TRANSCRIPT if _is_transcript(text) else span.kind.value,
        heading=span.path,
        category=span.category,
        time=span.time,
        struck=span.struck,
        start=span.start,
        end=span.end,
        first_line=span.first_line,
        last_line=span.last_line,
        words=_words(span),
    )


def _words(span: EntrySpan) -> tuple[int, int, int, int]:
    found = span.comment
    inside = found is not None and span.text_start <= found.start < span.text_end
    return (
        span.text_start,
        span.text_end,
        found.start if found and inside else 0,
        found.end if found and inside else 0,
    )


def words_at(data: bytes, words: Sequence[int], *, struck: bool = False) -> str:
    """The words of an entry in the document it was read from, without the line that goes through them."""
    start, end, cut, after = words
    raw = data[start:cut].rstrip(b" \t") + data[after:end] if after else data[start:end]
    text = raw.decode("utf-8", "replace").strip()
    return text.removeprefix("~~").removesuffix("~~").strip() if struck else text


def _is_transcript(text: str) -> bool:
    """Raw lines of a conversation are what was said, not what is so."""
    lines = [line.strip("*# ").lower() for line in text.splitlines() if line.strip()]
    spoken = sum(line.startswith(_SPEAKERS) for line in lines)
    return spoken >= 2 and spoken * 3 >= len(lines)


def text_hash(text: str) -> str:
    """The hash of the words, whatever their spacing, case or width."""
    from everself.text.normalise import fold

    return digest(fold(text).encode("utf-8", "surrogatepass"))
