"""Makes any text safe to print on a terminal: nothing in it moves the cursor, sets a colour or changes the writing direction.

Line breaks stay; every other control is shown as its picture, never obeyed. Knows no terminal.
"""

from everself.text.normalise import one_line

_TAB = "    "


def visible(text: str) -> str:
    """Spaces and line breaks as they are. Safe piece by piece too: half a sequence is as powerless as a whole one."""
    return "\n".join(map(_line, text.replace("\r\n", "\n").split("\n")))


def _line(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    return " ".join(map(_word, line.replace("\t", _TAB).replace("\r", "␍").split(" ")))


def _word(word: str) -> str:
    return word if not word or word.isprintable() else one_line(word, 2 * len(word))
