"""The forgotten words, and how a document or a text is cleaned of them. Pure.

"The text" of a forgotten entry means its words, ignoring case, spacing and typographic quotes:

* an entry with a forgotten id, or with exactly this text, is removed as a whole, wherever it is; so is a log line that only refers to
  it by id, and the record of a correction whose entries are all forgotten;
* elsewhere `[forgotten]` replaces the words if they stand alone: as a whole line, in quotation marks or struck through, or after the
  label of an Everself record. Distinctive words (too long for a coincidence) also count as a sentence of their own, and anywhere in
  messages and reasons;
* words inside another sentence of a document belong to that sentence. They stay, and are reported as a mention. So "tea" removes no line
  about tea.

Words that someone asks to forget as such (`anywhere`) are removed everywhere: an entry of one paragraph that contains them is removed as
a whole, and so is a sentence of a conversation (`said_sentences.py` finds them). Longer texts, records and headings lose only the words.

When whole days, people or sessions are forgotten, short words ("yes") count only in the documents they came from. Documents that only
the owner may write (the soul, the settings) are never changed by forgetting; their mentions are reported too.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Protocol

import re2

from everself.memory.entries import TRANSCRIPT, ParsedEntry, holds_memory, read_document, refers
from everself.storage.history.rewriting import CleanedDocument
from everself.storage.state.scrub import map_strings
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import apply_splice, remove_entry
from everself.text.markdown.entries import EntrySpan, entries
from everself.text.normalise import fold, without_surrogates
from everself.text.patterns import LazyPattern
from everself.workspace.layout import Kind, place

FORGOTTEN = "[forgotten]"
# Shorter texts may match by coincidence. A Han, kana or hangul character counts as two letters.
TELLING = 12
# longer texts are searched literally: their pattern would exceed the limits of RE2
LONGEST_PATTERN = 4000
MOST_SENTENCES = 8
MOST_WORDS = 8
_AROUND = ".,;:!?…\"'()[]{}<>*_~`#-“”„‘’«»"

_RECORDS = frozenset({Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG})
_CLOSED = frozenset({Kind.SOUL_HISTORY, Kind.TEMPORARY, Kind.FOREIGN})
_OPENERS, _CLOSERS = "\"'“„«‘‹`(「『《〈~*_", "\"'”“»’›`)」』》〉~*_"
_ENDS = ".!?。！？…;；"
_ALIKE = {"'": "'‘’‚‛′ʼ＇`´", '"': '"“”„‟″«»〝〞＂', "-": "-‐‑‒–—―−﹘﹣－"}


class TextStore(Protocol):
    """A store of text that another package owns: transcripts, an index, a cache. It is searched before and after the removal."""

    @property
    def name(self) -> str: ...

    def holds(self, words: "ForgottenWords") -> int:
        """The number of forgotten texts in the store."""

    def remove(self, words: "ForgottenWords") -> int:
        """Remove them; returns their number."""


class DerivedStore(TextStore, Protocol):
    """A store derived from documents, such as an index, and cleaned after them. Plans do not ask it, because the documents contain the
    same text."""

    @property
    def notice(self) -> str:
        """A message for the user about how it was cleaned."""


class ForgottenWords:
    """What is forgotten: entries by id, their texts, and whole folders.

    `homes` (document, text) limits short texts to a document. An empty text stands for a folder, whose name ends in /. An empty document
    means everywhere, also within other text.
    """

    def __init__(self, ids: Iterable[str], texts: Iterable[str], homes: Sequence[tuple[str, str]] = ()) -> None:
        self.ids = frozenset(ids)
        self.folders = tuple(path for path, text in homes if not text)
        self.anywhere = frozenset(fold(text) for path, text in homes if not path)
        homes = [(path, text) for path, text in homes if path]
        self.homes: dict[str, set[str]] = defaultdict(set)
        for path, text in homes:
            if text:
                self.homes[path].add(fold(text))
        every = {fold(text): text for text in texts if fold(text)}
        self.known = frozenset(every)
        self.texts = {
            folded: text for folded, text in every.items() if not homes or is_telling(folded) or folded in self.anywhere
        }
        self._needles = tuple({needle for folded, text in self.texts.items() for needle in _needles(folded, text)})
        # other texts of the same entries, found in the documents that were read
        self.older: set[str] = set()
        self._marks = tuple(identity.encode() for identity in self.ids)

    def in_document(self, path: str, data: bytes) -> CleanedDocument:
        """The document without the forgotten text."""
        return self._cleaned(path, data)[0]

    def look_into(self, path: str, data: bytes) -> tuple[CleanedDocument, Sequence[int]]:
        """`in_document`, and the `mentions` that remain then."""
        cleaned, may_mention = self._cleaned(path, data)
        return cleaned, self.mentions(path, cleaned.data or b"") if may_mention else ()

    def _cleaned(self, path: str, data: bytes) -> tuple[CleanedDocument, bool]:
        """The document without the forgotten text, and whether the words may remain in it."""
        if path.startswith(self.folders):
            return CleanedDocument(None, (data,)), False
        if not is_open(path):
            return CleanedDocument(data), True
        text = fold(data.decode("utf-8", "replace"))
        known = [one for one in self.texts if one in text]
        at_home = any(one in text for one in self.homes.get(path, ()))
        pieces: list[bytes] = []
        made = data
        if known or at_home or any(mark in data for mark in self._marks):
            made = self._without_entries(path, made, pieces)
        if known:
            labels = place(path).kind in _RECORDS
            made = self._without_lines(made, known, pieces, labels=labels)
        # removing an entry brings its neighbours together, which may spell the words
        return CleanedDocument(made, tuple(pieces)), bool(known or pieces)

    def in_text(self, text: str) -> str | None:
        """A message, reason or commit message without the forgotten text; None if it does not change."""
        made = self._in_json(text) or text
        made = self._in_plain(made) or made
        return None if made == text else made

    def _in_json(self, text: str) -> str | None:
        """The same for the JSON of a tool call or its result, where quotation marks are escaped."""
        if text[:1] not in ("{", "[") or "\\" not in text:
            return None
        try:
            value = json.loads(text)
        except ValueError:
            return None
        made = map_strings(value, self.in_text)
        return None if made == value else json.dumps(made, ensure_ascii=False)

    def _in_plain(self, text: str) -> str | None:
        folded = fold(text)
        spans = [
            (start, end)
            for one in self.texts
            if one in folded
            for start, end in _occurrences(self.texts[one], text)
            if is_telling(one) or one in self.anywhere or _stands(text, start, end, telling=False, labels=False)
        ]
        return _replaced(text, spans) if spans else None

    def goes_alone(self, text: str) -> bool:
        """Whether only the forgotten words are removed from this text, and not the sentence around them."""
        if not self.anywhere:
            return False
        whole = ForgottenWords(self.ids, [one for folded, one in self.texts.items() if folded not in self.anywhere])
        return self._holds(fold(whole.in_message(text))) and fold(text) not in self.anywhere

    def in_message(self, text: str) -> str:
        """The same for a commit message, which is returned in any case."""
        made = self.in_text(text)
        return text if made is None else made

    def mentions(self, path: str, data: bytes) -> list[int]:
        """The lines where the words remain, because they are part of another sentence or only the owner may edit the document."""
        text = data.decode("utf-8", "surrogateescape")
        folded = fold(data.decode("utf-8", "replace"))
        labels = place(path).kind in _RECORDS
        found = []
        for one in self.texts:
            if one in folded:
                for start, end in _occurrences(self.texts[one], text):
                    if not is_open(path) or not self._goes(one, text, (start, end), labels=labels):
                        found.append(text.count("\n", 0, start) + 1)
        return sorted(found)

    def count(self, data: bytes) -> int:
        """The number of occurrences of distinctive texts in these bytes, plain or JSON-escaped."""
        return sum(data.count(needle) for needle in self._needles)

    def _without_entries(self, path: str, data: bytes, pieces: list[bytes]) -> bytes:
        doomed = self._doomed(path, data)
        if not doomed:
            return data
        document = scan(data)
        kept = [one.text for one in read_document(data) if one.start not in {span.start for span in doomed}]
        made = data
        for span in reversed(doomed):
            made = apply_splice(made, remove_entry(document, span))
        if [one.text for one in read_document(made)] != kept:
            # removing neighbours together could merge other entries: remove them one by one
            made = data
            while found := self._doomed(path, made):
                made = apply_splice(made, remove_entry(scan(made), found[0]))
        pieces += [data[span.start : span.end] for span in doomed]
        return made

    def _doomed(self, path: str, data: bytes) -> list[EntrySpan]:
        reads = {one.start: one for one in read_document(data)}
        return [span for span in entries(data) if self._is_doomed(path, data, span, reads.get(span.start))]

    def _is_doomed(self, path: str, data: bytes, span: EntrySpan, read: ParsedEntry | None) -> bool:
        if span.comment is not None and span.comment.comment.id in self.ids:
            if read is not None and fold(read.text) not in self.known:
                self.older.add(read.text)
            return True
        text = span.text(data).decode("utf-8", "replace").strip()
        named = [part[:12] for part in text.split("entry:")[1:]]
        gone = bool(named) and self.ids.issuperset(named)
        if gone and place(path).kind is Kind.CORRECTIONS:
            return True
        if read is not None:
            words = fold(read.text)
            if words in self.texts or words in self.homes.get(path, ()):
                return True
            return self._holds(words) and holds_memory(path) and is_one_statement(read.kind, read.text)
        return gone and refers(text)

    def _holds(self, folded: str) -> bool:
        return any(contains(folded, one) for one in self.anywhere)

    def _goes(self, one: str, text: str, where: tuple[int, int], *, labels: bool) -> bool:
        """Whether these words are removed from this position of a document."""
        return one in self.anywhere or _stands(text, *where, telling=is_telling(one), labels=labels)

    def _without_lines(self, data: bytes, known: Sequence[str], pieces: list[bytes], *, labels: bool) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        spans = [
            (start, end)
            for one in known
            for start, end in _occurrences(self.texts[one], text)
            if self._goes(one, text, (start, end), labels=labels)
        ]
        pieces += [text[start:end].encode("utf-8", "surrogateescape") for start, end in spans]
        return _replaced(text, spans).encode("utf-8", "surrogateescape") if spans else data


def is_open(path: str) -> bool:
    """Whether forgetting may change the document."""
    where = place(path)
    return path.lower().endswith(".md") and not where.humans_only and where.kind not in _CLOSED


def is_telling(folded: str) -> bool:
    return sum(2 if ord(char) > 0x2E7F else 1 for char in folded[:TELLING]) >= TELLING


def is_one_statement(kind: str, text: str) -> bool:
    """Whether an entry is a single statement that is removed as a whole. A page of several paragraphs is not."""
    return kind != TRANSCRIPT and all(line.strip() for line in text.splitlines())


def contains(folded: str, words: str) -> bool:
    """Whether a text contains words as whole words. Both are folded."""
    at = folded.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if not (_touches(folded[at - 1 : at] if at else "", words[0]) or _touches(words[-1], folded[end : end + 1])):
            return True
        at = folded.find(words, at + 1)
    return False


def runs(text: str) -> Iterator[str]:
    """All runs of a few words in a text, to find words inside longer texts by their hash."""
    for line in text.splitlines():
        words = line.split()
        for first in range(len(words)):
            for last in range(first + 1, min(len(words), first + MOST_WORDS) + 1):
                run = " ".join(words[first:last])
                yield run
                yield run.strip(_AROUND)


def candidates(text: str) -> Iterator[str]:
    """All passages of a text that may be a text of their own, to find forgotten texts by their hash."""
    yield text
    for line in text.splitlines():
        bare = line.strip(" \t>#-*+~`_")
        yield from (line.strip(), bare, bare.partition(":")[2].strip(" *_~"))
        for mark in ('"', "`", "~~"):
            yield from line.split(mark)[1::2]
        # a sentence after a colon ("I was told: …") counts too
        starts = [0, *(at + 1 for at, char in enumerate(bare) if char in _ENDS or char in ":："), len(bare)]
        for number, first in enumerate(starts):
            yield from (bare[first:last].strip() for last in starts[number + 1 : number + 1 + MOST_SENTENCES])


def _occurrences(text: str, where: str) -> Iterator[tuple[int, int]]:
    """The positions of the text in `where`, as whole words."""
    if len(text) > LONGEST_PATTERN:
        at = where.find(text)
        while at >= 0:
            yield at, at + len(text)
            at = where.find(text, at + len(text))
        return
    where = without_surrogates(where)
    for found in _pattern(without_surrogates(text)).finditer(where):
        start, end = found.span()
        if not (_touches(where[start - 1 : start], where[start]) or _touches(where[end - 1], where[end : end + 1])):
            yield start, end


def _touches(one: str, other: str) -> bool:
    """Whether two adjacent characters belong to one word. Scripts without spaces have no such boundary."""
    return bool(one and other) and all(char.isalnum() and ord(char) <= 0x2E7F for char in (one, other))


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re2._Regexp:
    options = re2.Options()
    options.max_mem = 64 << 20
    options.case_sensitive = False
    words = ["".join(_letter(char) for char in word) for word in text.split()]
    # a quoted or indented line starts after its margin
    return re2.compile(r"[\s>]+".join(words), options)


def _letter(char: str) -> str:
    for alike in _ALIKE.values():
        if char in alike:
            return f"[{re2.escape(alike)}]"
    return str(re2.escape(char))


def _stands(text: str, start: int, end: int, *, telling: bool, labels: bool) -> bool:
    """Whether the words at this position are a text of their own."""
    before = without_surrogates(text[text.rfind("\n", 0, start) + 1 : start])
    line_end = text.find("\n", end)
    after = _without_comments(text[end : line_end if line_end >= 0 else len(text)])
    begins = _MARGIN.fullmatch(before) is not None or before.rstrip().endswith("<!--")
    ends = not after.strip(" \t\r~*_`") or after.lstrip().startswith("-->")
    if begins and ends:
        return True
    if before[-1:] and after[:1] and before[-1] in _OPENERS and after[0] in _CLOSERS:
        return True
    label = before.rstrip(" \t*_~").endswith((":", "："))
    if label and ends and (labels or telling):
        return True
    if not telling:
        return False
    sentence = begins or label or before.rstrip()[-1:] in tuple(_ENDS) or before[-1:] in tuple(_OPENERS)
    over = ends or after[0] in _ENDS or after[0] in _CLOSERS or text[end - 1] in _ENDS
    return sentence and over


# what may precede the first word of a line: marks of lists, quotations, headings, tasks and emphasis
_MARGIN: Final = LazyPattern(r"(?:\s|[-*+>~_`\x{FEFF}]|#{1,6}|\d{1,9}[.)]|\[[ xX]\])*")


def _without_comments(line: str) -> str:
    while (at := line.rfind("<!--")) >= 0 and line.rstrip().endswith("-->"):
        line = line[:at]
    return line


def _replaced(text: str, spans: Iterable[tuple[int, int]]) -> str:
    last = len(text) + 1
    for start, end in sorted(set(spans), key=lambda span: (-span[1], span[0])):
        # of two overlapping spans the later one is removed already
        if end <= last:
            text = text[:start] + FORGOTTEN + text[end:]
            last = start
    return text


def _needles(folded: str, text: str) -> Iterator[bytes]:
    if is_telling(folded):
        yield text.encode("utf-8", "surrogateescape")
        for plain in (True, False):
            # a tool call is JSON within JSON
            once = json.dumps(text, ensure_ascii=plain)[1:-1]
            for written in (once, json.dumps(once, ensure_ascii=plain)[1:-1]):
                if written != text:
                    yield written.encode("utf-8", "surrogatepass")
