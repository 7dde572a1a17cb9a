"""Marks closed entries in a document before it goes into a prompt: `(until 2026-03-19, now: …)` beside their text. Pure.

What holds now is named only where it stands in the same document: a session that sees a part of memory is not told of the rest.
"""

from collections.abc import Sequence
from datetime import date
from typing import Final

from everself.conversation.context.provenance import unlabelled
from everself.memory.entries import ParsedEntry, holds_memory, quotes_a_talk, read_document
from everself.text.normalise import fold, one_line
from everself.values import ended_words

_SHOWN: Final = 160
_ENDS: Final = " .!?。！？…"
# most documents have no closed entries and need not be parsed
_SIGN: Final = b"until="
# a mark after these would become part of them, or break them
_BLOCKS: Final = (b"```", b"~~~", b"|", b"<", b"#", b"$$", b"    ", b"\t")


def mark_ended(path: str, data: bytes) -> bytes:
    """The document with a mark behind the words of each entry that ended; the same bytes where none did."""
    if _SIGN not in data or not holds_memory(path):
        return data
    found = read_document(data)
    known = {one.claim("id"): one for one in found if one.claim("id")}
    for one in reversed(found):
        until = _day(one.claim("until"))
        if until is not None:
            data = _marked(data, one, f"({ended_words(until, _now(one, known))})".encode())
    return data


def ended_in(path: str, data: bytes) -> tuple[tuple[str, str], ...]:
    """The words of each entry that ended, with what to say beside them."""
    if _SIGN not in data or not holds_memory(path):
        return ()
    found = read_document(data)
    known = {one.claim("id"): one for one in found if one.claim("id")}
    dated = [(one, _day(one.claim("until"))) for one in found]
    return tuple(
        (unlabelled(one.text), ended_words(until, _now(one, known))) for one, until in dated if until is not None
    )


def mark_quoted(data: bytes, ended: Sequence[tuple[str, str]]) -> bytes:
    """The note of a session in which somebody says what ended since; it quotes the talk, and no comment in it would tell."""
    lines = data.decode("utf-8", "replace").split("\n") if ended else []
    folded = [(fold(words).strip(_ENDS), one_line(words, _SHOWN), mark) for words, mark in ended]
    for at, line in enumerate(lines):
        said = fold(line) if quotes_a_talk(line) else ""
        for words, shown, mark in folded:
            if words and words in said and mark not in line:
                lines[at] += f" (“{shown}” {mark})"
    return "\n".join(lines).encode("utf-8", "replace") if ended else data


def _now(ended: ParsedEntry, known: dict[str, ParsedEntry]) -> str:
    """The words of what took its place; of several in a row those of the last."""
    seen = {ended.claim("id")}
    found: ParsedEntry | None = ended
    while found is not None and (name := found.claim("by")) and name not in seen:
        seen.add(name)
        found = known.get(name)
    holds = found is not None and found is not ended and not found.claim("until") and not found.struck
    return one_line(unlabelled(found.text), _SHOWN) if found is not None and holds else ""


def _marked(data: bytes, one: ParsedEntry, mark: bytes) -> bytes:
    """At the end of its last line; above its words where that line is no prose."""
    start, end, cut, after, _ = one.words
    if after and cut <= end <= after:
        end = cut
    words = data[start:end].rstrip()
    if words.rpartition(b"\n")[2].startswith(_BLOCKS):
        return data[:start] + mark + b"\n\n" + data[start:]
    end = start + len(words)
    return data[:end] + b" " + mark + data[end:]


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None
