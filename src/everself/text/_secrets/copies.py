"""Copies of a text in which a split secret is joined, and the mapping back to its position. Pure.

Text copied from a narrow window, a mail or a chat contains tokens with line breaks, blanks or zero-width characters.
"""

from bisect import bisect_right

from everself.frozen import Frozen
from everself.text._secrets.shapes import compiled, digits, letters

# zero width space, non-joiner and joiner, word joiner, byte order mark, soft hyphen
_HIDDEN = rb"\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad"
_HIDDEN_PATTERN = _HIDDEN.decode()
_HINTS = (b"\xe2\x80", b"\xe2\x81\xa0", b"\xef\xbb\xbf", b"\xc2\xad")
_PIECE = r"[A-Za-z0-9_+/=.-]+"
# few words contain a digit, and each match is slow
_GAPS = r"([A-Za-z0-9_+/=.-]*[0-9][A-Za-z0-9_+/=.-]*)([ \t]*\r?\n[ \t]*|[ \t]{1,2})"
_SHORTEST = 6


class Copy(Frozen):
    """`cuts` are the positions in the copy where text was changed, with the offset to the original from there on."""

    data: bytes
    cuts: tuple[tuple[int, int], ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self._place(start), self._place(end - 1) + 1

    def crosses(self, start: int, end: int) -> bool:
        """Whether this span contains a cut."""
        return self._missing(start) != self._missing(end - 1)

    def _place(self, at: int) -> int:
        return at + self._missing(at)

    def _missing(self, at: int) -> int:
        found = bisect_right(self.cuts, (at, 1 << 62)) - 1
        return self.cuts[found][1] if found >= 0 else 0


def without_hidden(data: bytes) -> Copy | None:
    """The text without zero-width characters; None if there are none."""
    if not any(hint in data for hint in _HINTS):
        return None
    return _without(data, [match.span() for match in compiled(_HIDDEN_PATTERN).finditer(data)])


def without_gaps(data: bytes) -> Copy | None:
    """The text without the gaps between parts that both look like a token, with letters and digits; None if there are none."""
    gaps = [
        match.span(2)
        for match in compiled(_GAPS).finditer(data)
        if _is_piece(data[slice(*match.span(1))]) and _is_piece(_next(data, match.span(2)[1]))
    ]
    return _without(data, gaps)


def _without(data: bytes, gaps: list[tuple[int, int]]) -> Copy | None:
    if not gaps:
        return None
    parts: list[bytes] = []
    cuts: list[tuple[int, int]] = []
    at = length = missing = 0
    for start, end in gaps:
        parts.append(data[at:start])
        length += start - at
        missing += end - start
        cuts.append((length, missing))
        at = end
    return Copy(b"".join((*parts, data[at:])), tuple(cuts))


def _next(data: bytes, at: int) -> bytes:
    found = compiled(_PIECE).match(data, at, min(len(data), at + 64))
    return b"" if found is None else data[slice(*found.span())]


def _is_piece(value: bytes) -> bool:
    return len(value) >= _SHORTEST and bool(digits(value) and letters(value))
