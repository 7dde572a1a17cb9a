"""Where in a JSON5 text each key stands, and which stand twice: the parser tells neither.

Reads only texts that the parser has accepted; it finds places and never decides what a value is.
"""

from dataclasses import dataclass

Where = tuple[str | int, ...]

_SPACE = frozenset(
    " \t\n\r\v\f\xa0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_ENDS_OF_LINE = frozenset("\n\r\u2028\u2029")
_ENDS_OF_WORD = _SPACE | frozenset(",:{}[]/")


@dataclass(frozen=True, slots=True)
class Positions:
    lines: dict[Where, int]
    repeated: tuple[Where, ...]

    def line_of(self, where: Where) -> int:
        """The line of the key, or of the nearest group around it that is known; 0 when nothing is."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where, 0)


def locate(text: str) -> Positions:
    """The line of every key and list item of a text that is valid JSON5."""
    scanner = _Scanner(text)
    try:
        scanner.value(())
    except (IndexError, ValueError):
        # the two readers disagree about where the text ends: places help, they are no reason to fail
        return Positions({}, ())
    return Positions(scanner.lines, tuple(scanner.repeated))


class _Scanner:
    """Recursive descent; the parser has already bounded the depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.counted = 0
        self.lines: dict[Where, int] = {}
        self.repeated: list[Where] = []

    def value(self, where: Where) -> None:
        self.skip()
        opening = self.text[self.at]
        if opening == "{":
            self.members(where)
        elif opening == "[":
            self.items(where)
        else:
            self.scalar()

    def members(self, where: Where) -> None:
        self.at += 1
        while not self.closed("}"):
            line = self.current_line()
            place = (*where, self.key())
            if place in self.lines:
                self.repeated.append(place)
            self.lines[place] = line
            self.skip()
            self.at += 1
            self.value(place)

    def items(self, where: Where) -> None:
        self.at += 1
        index = 0
        while not self.closed("]"):
            self.lines.setdefault((*where, index), self.current_line())
            self.value((*where, index))
            index += 1

    def closed(self, closing: str) -> bool:
        """Step over commas and over the closing sign, if it comes next."""
        self.skip()
        if self.text[self.at] == ",":
            self.at += 1
            self.skip()
        if self.text[self.at] != closing:
            return False
        self.at += 1
        return True

    def key(self) -> str:
        raw = self.scalar()
        if "\\" in raw:
            import pyjson5

            decoded = pyjson5.decode(raw if raw[0] in "\"'" else f'"{raw}"')
            return str(decoded)
        return raw[1:-1] if raw[0] in "\"'" else raw

    def scalar(self) -> str:
        start = self.at
        quote = self.text[start]
        if quote in "\"'":
            self.at += 1
            while self.text[self.at] != quote:
                self.at += 2 if self.text[self.at] == "\\" else 1
            self.at += 1
        else:
            while self.at < len(self.text) and self.text[self.at] not in _ENDS_OF_WORD:
                self.at += 1
        if self.at == start:
            raise IndexError(start)
        return self.text[start : self.at]

    def skip(self) -> None:
        self.at = skip_blanks(self.text, self.at)

    def current_line(self) -> int:
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line


def skip_blanks(text: str, at: int) -> int:
    """The next position that is neither space nor comment."""
    while True:
        if text[at] in _SPACE:
            at += 1
        elif text.startswith("//", at):
            while text[at] not in _ENDS_OF_LINE:
                at += 1
        elif text.startswith("/*", at):
            at = text.index("*/", at + 2) + 2
        else:
            return at
