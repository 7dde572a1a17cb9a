"""Renders Markdown on a terminal while it is streamed: headings, emphasis, code and lists are styled, words are wrapped.

Text already shown is never changed, so that resizing, scrolling and copying cannot break it. Knows no stream. Control characters in the
incoming text are made visible here, so that the only terminal commands are ours.
"""

from collections.abc import Callable
from typing import Final, Literal

from everself.text.normalise import columns_of
from everself.text.visible import visible

RESET: Final = "\x1b[0m"
BOLD: Final = "\x1b[1m"
DIM: Final = "\x1b[2m"
CODE: Final = "\x1b[36m"
_FENCE: Final = "```"
_BULLETS: Final = ("-", "*", "+")
# narrower than this nothing can be wrapped well
_LEAST: Final = 20

# the kind of a line: fence opens or closes a block of code, code is within one
Kind = Literal["prose", "heading", "fence", "code"]
_LOOKS: Final[dict[Kind, str]] = {"prose": "", "heading": BOLD, "fence": DIM, "code": CODE}


class Marking:
    """Feed it pieces and show what it returns. `width` is called for every word, because windows change."""

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._half_break = False
        self._fenced = False
        self._start()

    def feed(self, text: str) -> str:
        # the two characters of a line break may come in two pieces
        text = "\r" * self._half_break + text
        self._half_break = text.endswith("\r")
        return "".join(map(self._take, visible(text.removesuffix("\r") if self._half_break else text)))

    def end(self) -> str:
        """The text that was held back. An unfinished line is ended, and the text after it begins without styles."""
        shown = self._finish()
        shown += "\n" if self._column else ""
        self._half_break = self._fenced = False
        self._start()
        return shown

    def _start(self) -> None:
        self._kind: Kind | None = None
        self._head = ""
        self._column = self._indent = self._gap = 0
        self._word = ""
        self._word_columns = 0
        self._stars = 0
        self._bold = self._code = False

    def _take(self, char: str) -> str:
        if char == "\n":
            shown = self._finish() + "\n"
            self._start()
            return shown
        if self._kind is None:
            self._head += char
            return "" if _undecided(self._head) else self._open()
        return self._within(char)

    def _finish(self) -> str:
        shown = self._open() if self._kind is None else ""
        self._settle_stars("\n")
        shown += self._flush()
        looks = self._bold or self._code or (self._kind is not None and bool(_LOOKS[self._kind]))
        return shown + RESET if looks else shown

    def _open(self) -> str:
        """Decide by its beginning what kind of line this is."""
        head, self._head = self._head, ""
        bare = head.lstrip(" ")
        lead = head[: len(head) - len(bare)]
        hashes = len(bare) - len(bare.lstrip("#"))
        self._kind = "code" if self._fenced else "prose"
        if bare.startswith(_FENCE):
            self._kind = "fence"
            self._fenced = not self._fenced
        elif not self._fenced and 0 < hashes <= 6 and bare[hashes:].startswith(" "):
            self._kind, head = "heading", bare[hashes + 1 :]
        elif not self._fenced and bare.startswith(tuple(f"{bullet} " for bullet in _BULLETS)):
            self._indent = len(lead) + 2
            self._column = self._indent
            return f"{lead}• " + "".join(map(self._within, bare[2:]))
        return _LOOKS[self._kind] + "".join(map(self._within, head))

    def _within(self, char: str) -> str:
        if self._kind in ("code", "fence"):
            self._column += columns_of(char)
            return char
        if char == "*" and not self._code and self._stars < 2:
            self._stars += 1
            return ""
        self._settle_stars(char)
        if char == " ":
            shown = self._flush()
            self._gap += 1
            return shown
        if char == "`":
            self._code = not self._code
            self._word += CODE + char if self._code else char + RESET + self._look()
            self._word_columns += 1
            return ""
        if columns_of(char) < 2:
            self._word += char
            self._word_columns += columns_of(char)
            return ""
        # scripts without blanks may be broken between any two characters
        shown = self._flush()
        self._word, self._word_columns = char, 2
        return shown + self._flush()

    def _settle_stars(self, following: str) -> None:
        """Two stars begin bold text only before a character that is not a blank; all others are literal stars unless they end it."""
        stars, self._stars = self._stars, 0
        if stars == 2 and (self._bold or not following.isspace()):
            self._bold = not self._bold
            self._word += BOLD if self._bold else RESET + self._look()
        else:
            self._word += "*" * stars
            self._word_columns += stars

    def _look(self) -> str:
        return BOLD if self._bold or self._kind == "heading" else ""

    def _flush(self) -> str:
        """The pending word, on a new line if it does not fit."""
        word, columns, gap = self._word, self._word_columns, self._gap
        if not word:
            return ""
        self._word, self._word_columns, self._gap = "", 0, 0
        if columns and self._column > self._indent and self._column + gap + columns > max(self._width(), _LEAST):
            self._column = self._indent + columns
            return "\n" + " " * self._indent + word
        self._column += gap + columns
        return " " * gap + word


def _undecided(head: str) -> bool:
    """Whether more characters are needed to know the kind of line."""
    bare = head.lstrip(" ")
    return not bare or bare in ("`", "``", *_BULLETS) or (not bare.strip("#") and len(bare) <= 6)


def wrapped(line: str, width: int) -> str:
    """The line wrapped to the width between words, with continuation lines indented. Control characters are made visible."""
    line = visible(line)
    if sum(map(columns_of, line)) <= width:
        return line
    inset = " " * (len(line) - len(line.lstrip(" ")) + 2)
    most = max(width, _LEAST)
    lines, row = [], ""
    for at, word in enumerate(line.split(" ")):
        joined = f"{row} {word}" if at else word
        if word and row.strip() and sum(map(columns_of, joined)) > most:
            lines.append(row.rstrip(" "))
            joined = inset + word
        row = joined
    return "\n".join([*lines, row])
