"""Decides which entries of a document may be part of every prompt, and labels them with their source. Pure.

Text of the web, tools, imports and other people can be recalled, but is left out of the part that every prompt contains. What the agent
concluded or a hand wrote is labelled with its source; text without a label is the owner's.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from everself.frozen import Frozen
from everself.memory.provenance import CORRECTION, OWNER, is_outside, is_source

_COMMENT: Final = b"<!-- everself:"
_FENCES: Final = (b"```", b"~~~")


class Passage(NamedTuple):
    """An entry's position in the bytes of a document, and the least trusted source that it rests on."""

    start: int
    end: int
    first_line: int
    last_line: int
    source: str


class Vetted(Frozen):
    """`data` has as many lines as the document; `sources` are those of the entries left in it, `withheld` the others."""

    data: bytes
    sources: tuple[str, ...] = ()
    withheld: tuple[Passage, ...] = ()


def vet(data: bytes, passages: Sequence[Passage], own: str = "") -> Vetted:
    """The document without entries from outside, the others labelled. `own` is the source of the person to whom the document belongs."""
    withheld = tuple(one for one in passages if is_outside(one.source) and one.source != own)
    kept = [one for one in passages if one not in withheld]
    gaps = sorted((one.start, one.end) for one in withheld)
    labels = sorted((at, one.source) for one in kept if (at := _label_at(data, one)) is not None)
    sources = tuple(dict.fromkeys(one.source for one in kept))
    return Vetted(b"".join(_laid(data, gaps, labels)), sources, withheld)


def unlabelled(words: str) -> str:
    """The text of an entry without the label that `vet` added."""
    bare, bracket, source = words.rpartition(" [")
    return bare if bracket and source.endswith("]") and is_source(source[:-1]) else words


def _laid(data: bytes, gaps: Sequence[tuple[int, int]], labels: Sequence[tuple[int, str]]) -> Iterator[bytes]:
    edits = [(start, end, b"") for start, end in gaps] + [(at, at, f" [{source}]".encode()) for at, source in labels]
    done = 0
    for start, end, label in sorted(edits):
        if end <= done and end != start:
            continue
        if label and start < done:
            # inside an omitted part
            continue
        begin = max(start, done)
        yield data[done:begin]
        # line numbers stay the same, because citations use them
        yield label or b"\n" * data.count(b"\n", begin, end)
        done = max(done, end)
    yield data[done:]


def _label_at(data: bytes, passage: Passage) -> int | None:
    """The position of the label: after the last line of an entry, or after its first if the last is not prose that text can be appended
    to."""
    if passage.source in (OWNER, CORRECTION):
        return None
    end = data.rfind(_COMMENT, passage.start, passage.end)
    end = passage.end if end < 0 else end
    stop = passage.start + len(data[passage.start : end].rstrip())
    if stop <= passage.start:
        return None
    last = data[data.rfind(b"\n", passage.start, stop) + 1 : stop].strip() if stop > passage.start else b""
    if not last.startswith(_FENCES) and any(byte > 0x7F or chr(byte).isalnum() for byte in last):
        return stop
    first = data.find(b"\n", passage.start, stop)
    return stop if first < 0 else passage.start + len(data[passage.start : first].rstrip())
