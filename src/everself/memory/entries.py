"""Parses the entries of a document: text, position, and the fields of the comment. Pure.

Decides what counts as an entry: noise, placeholders and references by id do not. Does not decide what to trust.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from everself.frozen import Frozen
from everself.text.markdown.blocks import scan
from everself.text.markdown.endings import is_reference
from everself.text.markdown.entries import EntryKind, EntrySpan, entries
from everself.text.markdown.lines import measure
from everself.text.markdown.sections import before_comments
from everself.text.normalise import fold
from everself.values import digest
from everself.workspace.layout import Kind, place

# documents that contain memory; others are rules, runtime logs or foreign files
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
# lines of a session note about the session itself
_SESSION, _SESSION_LABELS = "session:", ("**session key**", "**session id**", "**source**")
# Limit of lines that are parsed for entries: parsing an entry takes more than a kilobyte. Ordinary documents reach the size limit first.
LINES_READ = 200_000


class ParsedEntry(Frozen):
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
    # start and end of the text, start and end of our comment inside it (0, 0: none), and the indentation of the list item
    words: tuple[int, int, int, int, int]

    def claim(self, key: str) -> str:
        return next((value for name, value in self.claims if name == key), "")


def holds_memory(path: str) -> bool:
    return place(path).kind in HOLDERS


def read_document(data: bytes) -> tuple[ParsedEntry, ...]:
    """The entries of a document, in order."""
    document = scan(data)
    found: list[ParsedEntry] = []
    for span in entries(document):
        words = _words(data, span)
        text = words_at(data, words, struck=span.struck)
        if is_memory(span, text):
            found.append(_read(len(found), span, text, words))
    return tuple(found)


def reach(data: bytes) -> int:
    """The end of the last line that is parsed. A lone carriage return also ends a line."""
    lines = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n") if b"\r" in data else data
    if lines.count(b"\n") <= LINES_READ:
        return len(data)
    at = 0
    for _ in range(LINES_READ):
        at = lines.find(b"\n", at) + 1
    return at


def last_section(data: bytes) -> int | None:
    """The start of the last section of a log; None if the whole log must be parsed, because a block may be open."""
    if b"```" in data or b"~~~" in data or data.count(b"<") != data.count(b"<!-- everself:"):
        return None
    at = data.rfind(b"\n## [")
    return None if at < 0 else at


def read_growth(data: bytes, old: int, known: int) -> tuple[ParsedEntry, ...] | None:
    """The entries added to a log after byte `old`, which had `known` entries; None if the whole log must be read."""
    tail = data[old:]
    if not tail.startswith((b"\n## [", b"## [")) or not data[:old].endswith(b"\n") or last_section(data) is None:
        return None
    title, newline, _ = data.partition(b"\n")
    head = title + newline if title.startswith(b"# ") else b""
    by, lines = old - len(head), data.count(b"\n", 0, old) - head.count(b"\n")
    found = []
    for read in read_document(head + tail):
        if read.start < len(head):
            return None
        start, end, cut, after, indent = read.words
        words = (start + by, end + by, cut + by if after else 0, after + by if after else 0, indent)
        found.append(
            replace(
                read,
                ordinal=read.ordinal + known,
                start=read.start + by,
                end=read.end + by,
                first_line=read.first_line + lines,
                last_line=read.last_line + lines,
                words=words,
            )
        )
    return tuple(found)


def is_memory(span: EntrySpan, text: str) -> bool:
    """Whether text counts as an entry. Text with an id of ours always does."""
    if span.kind is EntryKind.FRONT_MATTER or not text:
        return False
    if span.comment is not None:
        return True
    if text.strip("*_`. ") in NOISE or refers(text):
        return False
    if span.path and span.path[0].lower().startswith(_SESSION) and text.lower().startswith(_SESSION_LABELS):
        return False
    # a template's blank: `- **Name:** _(what shall I call you?)_`
    bare = text.rpartition(":**")[2].strip()
    return bool(bare) and not (bare.startswith("_(") and bare.endswith(")_"))


def _read(ordinal: int, span: EntrySpan, text: str, words: tuple[int, int, int, int, int]) -> ParsedEntry:
    return ParsedEntry(
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
        words=words,
    )


def text_of(data: bytes, span: EntrySpan) -> str:
    """The text of the entry at that position."""
    return words_at(data, _words(data, span), struck=span.struck)


def _words(data: bytes, span: EntrySpan) -> tuple[int, int, int, int, int]:
    """The position of the text. Comments at its end, ours or another tool's, are not part of it."""
    end = before_comments(data, span.text_start, span.text_end)
    found = span.comment
    inside = found is not None and span.text_start <= found.start < end
    cut, after = (found.start, found.end) if found and inside else (0, 0)
    return span.text_start, end, cut, after, span.indent


def words_at(data: bytes, words: Sequence[int], *, struck: bool = False) -> str:
    """The text of an entry, without the indentation of its list and without strike-through marks."""
    start, end, cut, after, indent = words
    raw = data[start:cut].rstrip(b" \t") + data[after:end] if after else data[start:end]
    if indent and b"\n" in raw:
        first, *rest = raw.splitlines(keepends=True)
        raw = first + b"".join(_outdented(line, indent) for line in rest)
    text = raw.decode("utf-8", "replace").strip()
    return text.replace("~~", "", 1).removesuffix("~~").strip() if struck else text


def _outdented(line: bytes, indent: int) -> bytes:
    width, rest = measure(line, 0)
    return b" " * max(0, width - indent) + rest


def _is_transcript(text: str) -> bool:
    """Whether the text is a raw conversation or data marked untrusted: it records what was said, not facts."""
    lines = [line.strip("*# ").lower() for line in text.splitlines() if line.strip()]
    spoken = sum(line.startswith(_SPEAKERS) for line in lines)
    if spoken >= 2 and spoken * 3 >= len(lines):
        return True
    return "untrusted" in lines[0] and len(lines) > 1 and lines[1].startswith(("```", "~~~"))


def refers(text: str) -> bool:
    """Whether the text only refers to an entry elsewhere."""
    data = text.encode("utf-8", "surrogatepass")
    return is_reference(data, 0, len(data))


def quotes_a_talk(text: str) -> bool:
    """Whether a line of the text is a turn of a conversation, as in session notes."""
    lines = (line.replace("*", "").strip("-+>#_ ").lower() for line in text.splitlines())
    return any(line.startswith(_SPEAKERS) for line in lines)


@lru_cache(maxsize=4096)
def parse_day(text: str) -> date | None:
    """The day in a comment field of the form YYYY-MM-DD; None for any other text."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def text_hash(text: str) -> str:
    """The hash of a text, ignoring spacing, case and width."""
    return digest(fold(text).encode("utf-8", "surrogatepass"))
