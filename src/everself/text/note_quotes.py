"""A note with the words that it was made of, where it leaves some of them out: `Jory is the apprentice. (“jory is my apprentice, nice
lad”)`. Pure.

The quotation is evidence: who compares what two notes claim looks at them without it.
"""

from typing import Final

_OPEN: Final = " (“"
_CLOSE: Final = "”)"
BETWEEN: Final = " … "


def with_quote(note: str, words: str) -> str:
    """The note with these words behind it, or behind those that it quotes already; the same where it quotes them."""
    quoted = " ".join(words.split()).replace("“", "‘").replace("”", "’")
    _, known = parts_of(note)
    if quoted in known.split(BETWEEN):
        return note
    return f"{note[: -len(_CLOSE)]}{BETWEEN}{quoted}{_CLOSE}" if known else f"{note}{_OPEN}{quoted}{_CLOSE}"


def without_quote(note: str) -> str:
    """What the note claims itself."""
    return parts_of(note)[0]


def parts_of(note: str) -> tuple[str, str]:
    """What the note claims itself, and what it quotes; empty where it quotes nothing."""
    at = note.rfind(_OPEN)
    if at <= 0 or not note.endswith(_CLOSE) or "”" in note[at : -len(_CLOSE)]:
        return note, ""
    return note[:at], note[at + len(_OPEN) : -len(_CLOSE)]
