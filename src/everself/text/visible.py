"""Makes any text safe to print on a terminal: it cannot move the cursor, set a colour or change the writing direction.

Line breaks stay; every other control is shown as a picture. Knows no terminal.
"""

from everself.text.normalise import one_line

_TAB = "    "


def visible(text: str) -> str:
    """The safe text. Spaces and line breaks stay. Parts of a text can be converted separately: half an escape sequence is harmless
    too."""
    return "\n".join(map(_line, text.replace("\r\n", "\n").split("\n")))


def _line(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    return " ".join(map(_word, line.replace("\t", _TAB).replace("\r", "␍").split(" ")))


def _word(word: str) -> str:
    return word if not word or word.isprintable() else one_line(word, 2 * len(word))
