"""A note with the words that it was made of, where it leaves some of them out: `Jory is the apprentice. (“jory is my apprentice, nice
lad”)`. Pure.

The quotation is evidence: who compares what two notes claim looks at them without it.
"""

from typing import Final

_OPEN: Final = " (“"
_CLOSE: Final = "”)"
_BETWEEN: Final = " … "


def with_quote(note: str, words: str) -> str:
    """The note with these words behind it, or behind those that it quotes already."""
    quoted = " ".join(words.split()).replace("“", "‘").replace("”", "’")
    claim = without_quote(note)
    if claim == note:
        return f"{note}{_OPEN}{quoted}{_CLOSE}"
    return f"{note[: -len(_CLOSE)]}{_BETWEEN}{quoted}{_CLOSE}"


def without_quote(note: str) -> str:
    """What the note claims itself."""
    at = note.rfind(_OPEN)
    return note[:at] if at > 0 and note.endswith(_CLOSE) and "”" not in note[at : -len(_CLOSE)] else note
