"""Finds and removes secrets in text before it is written, and removes `<private>` passages.

Knows nothing of files. The kinds are in `everself.text._secrets`.
"""

from collections.abc import Iterator
from functools import cache
from typing import Protocol

import re2

from everself.frozen import Frozen
from everself.text._secrets.assigned import ANCHORS, NAMES_SHOWN, find_assigned
from everself.text._secrets.copies import Copy, without_gaps, without_hidden
from everself.text._secrets.kind import Kind
from everself.text._secrets.marked import MARKED
from everself.text._secrets.mnemonics import MNEMONICS
from everself.text._secrets.numbers import NUMBERS
from everself.text._secrets.shapes import compiled
from everself.text._secrets.vendors import UNLISTED, VENDORS

KINDS: tuple[Kind, ...] = (*VENDORS, *MARKED, *NUMBERS, *MNEMONICS, *UNLISTED)


class Secret(Frozen):
    """The position of a secret, in characters. `kind` is one of `kind_names()`."""

    kind: str
    start: int
    end: int


class Redacted(Frozen):
    """The text without its secrets, and their kinds and positions in the original."""

    text: str
    found: tuple[Secret, ...]


# A span in bytes with the rank of its kind; of two overlapping spans, the lower rank gives the name.
_Span = tuple[int, int, int]


class _Set(Protocol):
    def Match(self, text: bytes) -> list[int] | None: ...  # noqa: N802 the name is google-re2's


@cache
def kind_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(kind.name for kind in KINDS), *NAMES_SHOWN.values())))


def mark(kind: str) -> str:
    """The replacement for a secret."""
    return f"[redacted: {kind}]"


# Removing one secret can expose another, rarely twice. The limit keeps hostile text linear.
_ROUNDS = 6


def find_secrets(text: str) -> tuple[Secret, ...]:
    """All secrets that `redact` removes, in order and without overlap."""
    data = text.encode("utf-8", "surrogatepass")
    spans = _spans(data)
    names = _names_by_rank()
    places = _character_places(data, [place for start, end, _ in spans for place in (start, end)])
    return tuple(Secret(names[rank], places[start], places[end]) for start, end, rank in spans)


_LINE_ENDS = (10, 13)


def blank_secrets(data: bytes) -> bytes:
    """The bytes with a dot for each byte of a secret. Line ends stay and no line becomes empty, so that positions of bytes, lines and
    entries are unchanged."""
    spans = _spans(data)
    if not spans:
        return data
    blanked = bytearray(data)
    for start, end, _ in spans:
        blanked[start:end] = bytes(byte if byte in _LINE_ENDS else 0x2E for byte in data[start:end])
    return bytes(blanked)


def _spans(data: bytes) -> list[_Span]:
    """Secrets of the text and of its joined forms, in case a secret was split."""
    spans = _plain_spans(data)
    hidden = without_hidden(data)
    if hidden is not None:
        found = _plain_spans(hidden.data)
        spans += [(*hidden.original(start, end), rank) for start, end, rank in found]
    gaps = without_gaps(data)
    if gaps is not None:
        # only secrets with a vendor's prefix: others may be two adjacent words
        found = [span for span in _plain_spans(gaps.data) if span[2] < len(VENDORS) and gaps.crosses(*span[:2])]
        # a complete secret does not continue into the next word
        known = {(start, rank) for start, _, rank in spans}
        whole = [(*gaps.original(start, end), rank) for start, end, rank in found]
        spans += [span for span in whole if (span[0], span[2]) not in known]
    return _joined(spans)


def _plain_spans(data: bytes) -> list[_Span]:
    spans: list[_Span] = []
    for _ in range(_ROUNDS):
        masked = _masked(data, spans)
        fresh = _scan(masked.data)
        if not fresh:
            break
        spans = _joined([*spans, *((*masked.original(start, end), rank) for start, end, rank in fresh)])
    return spans


def redact(text: str) -> Redacted:
    """The text with each secret replaced by `[redacted: kind]`. Redacting twice changes nothing."""
    found = find_secrets(text)
    parts: list[str] = []
    at = 0
    for secret in found:
        parts += (text[at : secret.start], mark(secret.kind))
        at = secret.end
    return Redacted("".join((*parts, text[at:])), found)


@cache
def _names_by_rank() -> tuple[str, ...]:
    return (*(kind.name for kind in KINDS), *NAMES_SHOWN.values())


@cache
def _anchors() -> _Set:
    """A set of anchors: one pass over the text tells which patterns to try."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    options.max_mem = 64 << 20
    made = re2.Set.SearchSet(options)
    for anchors in (*(kind.anchors for kind in KINDS), ANCHORS):
        made.Add("|".join(re2.escape(anchor) for anchor in anchors).encode())
    made.Compile()
    anchored: _Set = made
    return anchored


@cache
def _marks_pattern() -> str:
    return "|".join(re2.escape(mark(name)) for name in kind_names())


def _scan(data: bytes) -> list[_Span]:
    present = set(_anchors().Match(data) or ())
    marks = [match.span() for match in compiled(_marks_pattern()).finditer(data)] if b"[redacted: " in data else []
    found = [span for rank, kind in enumerate(KINDS) if rank in present for span in _of_kind(kind, rank, data)]
    if len(KINDS) in present:
        ranks = {name: rank for rank, name in reversed(list(enumerate(_names_by_rank())))}
        found += ((start, end, ranks[name]) for name, start, end in find_assigned(data))
    return _joined(_clear_of(marks, sorted(found)))


def _of_kind(kind: Kind, rank: int, data: bytes) -> Iterator[_Span]:
    pattern = compiled(kind.pattern)
    group = min(pattern.groups, 1)
    for match in pattern.finditer(data):
        start, end = match.span(group)
        judged = kind.judge(data, start, end)
        if judged is not None:
            yield (*judged, rank)


def _joined(spans: list[_Span]) -> list[_Span]:
    joined: list[_Span] = []
    for start, end, rank in sorted(spans):
        if joined and start < joined[-1][1]:
            first, last, best = joined[-1]
            joined[-1] = (first, max(last, end), min(best, rank))
        else:
            joined.append((start, end, rank))
    return joined


def _clear_of(marks: list[tuple[int, int]], spans: list[_Span]) -> list[_Span]:
    """The spans that do not touch a mark: redacted text is not a secret any more."""
    clear = []
    at = 0
    for span in spans:
        while at < len(marks) and marks[at][1] <= span[0]:
            at += 1
        if at == len(marks) or marks[at][0] >= span[1]:
            clear.append(span)
    return clear


def _masked(data: bytes, spans: list[_Span]) -> Copy:
    """The text with a mark in place of each secret."""
    names = _names_by_rank()
    parts: list[bytes] = []
    cuts: list[tuple[int, int]] = []
    at = length = 0
    for start, end, rank in spans:
        parts += (data[at:start], mark(names[rank]).encode())
        length += len(parts[-2]) + len(parts[-1])
        cuts.append((length, end - length))
        at = end
    return Copy(b"".join((*parts, data[at:])), tuple(cuts))


def _character_places(data: bytes, places: list[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    at = characters = 0
    for place in places:
        characters += len(data[at:place].decode("utf-8", "surrogatepass"))
        found[place] = characters
        at = place
    return found


_PRIVATE_TAG = r"(?i)<\s*(/?)\s*private(?:\s[^<>]*|/)?>"


def strip_private(text: str) -> str:
    """The text without `<private>…</private>`, in any case and nesting; an unclosed tag is private to the end."""
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(_ROUNDS):
        stripped = _without_private(data)
        if stripped == data:
            return data.decode("utf-8", "surrogatepass")
        data = stripped
    # New tags still form from the pieces, which is an attack: remove everything after the first one.
    first = compiled(_PRIVATE_TAG).search(data)
    return (data if first is None else data[: first.span()[0]]).decode("utf-8", "surrogatepass")


def _without_private(data: bytes) -> bytes:
    if b"private" not in data.lower():
        return data
    kept: list[bytes] = []
    depth = at = 0
    for match in compiled(_PRIVATE_TAG).finditer(data):
        start, end = match.span()
        slash_start, slash_end = match.span(1)
        closing = slash_end > slash_start
        if depth == 0:
            if closing:
                continue
            kept.append(data[at:start])
        if closing:
            depth -= 1
        elif data[end - 2 : end] != b"/>":
            depth += 1
        if depth == 0:
            at = end
    return b"".join((*kept, data[at:] if depth == 0 else b""))
