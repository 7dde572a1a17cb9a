"""A note that quotes the words it omits from its message: `Jory is the apprentice. (“jory is my apprentice, nice lad”)`. Pure.

The quotation is evidence; notes are compared without it.
"""

from typing import Final

_OPEN: Final = " (“"
_CLOSE: Final = "”)"
BETWEEN: Final = " … "


def with_quote(note: str, words: str) -> str:
    """The note with these words quoted at its end; unchanged if it quotes them already."""
    quoted = " ".join(words.split()).replace("“", "‘").replace("”", "’")
    _, known = parts_of(note)
    if quoted in known.split(BETWEEN):
        return note
    return f"{note[: -len(_CLOSE)]}{BETWEEN}{quoted}{_CLOSE}" if known else f"{note}{_OPEN}{quoted}{_CLOSE}"


def without_quote(note: str) -> str:
    """The note without its quotation."""
    return parts_of(note)[0]


def parts_of(note: str) -> tuple[str, str]:
    """The note and its quotation, which is empty if there is none."""
    at = note.rfind(_OPEN)
    if at <= 0 or not note.endswith(_CLOSE) or "”" in note[at : -len(_CLOSE)]:
        return note, ""
    return note[:at], note[at + len(_OPEN) : -len(_CLOSE)]
