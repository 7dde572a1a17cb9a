"""A stranger's text as HTML: nothing in it is markup, what nobody would see is shown, and its writing direction ends with it. Pure."""

from typing import Final

from markupsafe import Markup, escape

from everself.text.invisible import UNSEEN, needed

_KEPT: Final = frozenset("\n\t")
_BREAKS: Final = frozenset("\x0b\x0c\x85\u2028\u2029")
# what a picture of a control looks like to whoever copies it: one place, named
_MARK: Final = '<span class="unseen" title="{title}">{code}</span>'
_TITLE: Final = "This character cannot be seen"


def is_unseen(text: str, at: int) -> bool:
    char = text[at]
    if char in _KEPT:
        return False
    if char in UNSEEN:
        return not needed(text, at)
    # private use, unassigned, surrogates, breaks of a line that a browser does not make; spaces are seen
    return not char.isprintable() and (char in _BREAKS or not char.isspace())


def shown(text: object, most: int = 0) -> Markup:
    """Isolated in its own direction. With `most`, no more characters than that: whoever shows it says that it was cut."""
    said = str(text)
    if most and len(said) > most:
        said = f"{said[:most]}…"
    if said.isascii() and said.isprintable():
        return Markup("<bdi>{}</bdi>").format(said)
    said = said.replace("\r\n", "\n").replace("\r", "\n")
    parts: list[Markup] = []
    start = 0
    for at, char in enumerate(said):
        if (char.isprintable() and char not in UNSEEN) or not is_unseen(said, at):
            continue
        parts.append(escape(said[start:at]))
        parts.append(Markup(_MARK).format(title=_TITLE, code=f"U+{ord(char):04X}"))
        start = at + 1
    parts.append(escape(said[start:]))
    return Markup("<bdi>{}</bdi>").format(Markup("").join(parts))


def one_line(text: object, most: int) -> Markup:
    """The beginning as one line."""
    return shown(" ".join(str(text)[: most * 4].split()), most)
